#!/usr/bin/env bash
# Names of nodes: a run carries them, `embed` puts them beside its file, `export` writes them with the
# vectors, and no name is ever that of another node.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# refuses CODE PART ARGUMENT...: graco must exit so, with one line that has PART.
refuses() {
    exits "$@"
    holds "graco ${*:3}: one line: $(cat err)" [ "$(wc -l <err)" -eq 1 ]
}

printf 'ann;"Bo, b"\n"Bo, b";=cid\n=cid;dan\ndan;ann\n' >edges.csv
printf 'id;a;b\nann;1;2\n=cid;0;1\n"Bo, b";3;1\ndan;1;1\n' >x.csv
printf '0 1\n1 2\n2 3\n' >plain.txt
printf '1 2\n0 1\n3 1\n1 1\n' >plain_x.txt
printf 'ann\nBo, b\n=cid\ndan\n' >names.txt
little=(--epochs 1 --set hidden=2 --set projection=2 --threads 1 --device cpu -q)
tables=(edges.csv --features x.csv)

# ---- The run folder -----------------------------------------------------------------------------
exits 0 "" train "${tables[@]}" -o run "${little[@]}"
same run/node_ids.txt names.txt
exits 0 "" train "${tables[@]}" -o runs --runs 2 "${little[@]}"
same runs/run-2/node_ids.txt names.txt
exits 0 "" convert "${tables[@]}" set.npz
exits 0 "" convert set.npz set
exits 0 "" train set -o of_set "${little[@]}"
same of_set/node_ids.txt names.txt
same of_set/embeddings.npy run/embeddings.npy
rm of_set/node_ids.txt
exits 0 "" train set -o of_set --resume "${little[@]}" --epochs 2
same of_set/node_ids.txt names.txt
exits 0 "" train plain.txt --features plain_x.txt -o plain "${little[@]}"
holds "nodes without names have none: $(ls plain)" [ ! -e plain/node_ids.txt ]

# A folder without a checkpoint may be begun again with other data: old names go.
mkdir begun
cp names.txt begun/node_ids.txt
refuses 1 "begun holds node_ids.txt but no checkpoint" train plain.txt --features plain_x.txt -o begun "${little[@]}"

# ---- embed --------------------------------------------------------------------------------------
exits 0 "wrote Z.node_ids.txt: the names of the nodes" embed run "${tables[@]}" -o Z.npy --device cpu
same Z.node_ids.txt names.txt
exits 0 "" embed run plain.txt --features plain_x.txt -o Z.npy --device cpu
holds "names of an older file are gone: $(ls)" [ ! -e Z.node_ids.txt ]
exits 0 "" embed run "${tables[@]}" -o - --device cpu
holds "the standard output has no names: $(ls)" [ ! -e -.node_ids.txt ]

# ---- Names decide which row is which node ----------------------------------------------------------
for i in $(seq 0 39); do
    printf 'n%d,n%d\n' "$i" $(((i + 1) % 40)) >>ring.csv
    printf '%d %d\n' "$i" $(((i + 1) % 40)) >>numbers.txt
    printf 'n%d,%s\n' "$i" $((i / 20)) >>y.csv
done
tac ring.csv >gnir.csv
exits 0 "" convert ring.csv ring.npz --labels y.csv --undirected
exits 0 "" convert gnir.csv gnir.npz --labels y.csv --undirected
exits 0 "" convert numbers.txt numbers.npz --undirected
exits 0 "" split-links ring.npz -o ring-links
exits 0 "" split-links gnir.npz -o gnir-links
exits 0 "" train ring.npz -o ring-run "${little[@]}"
cp ring-run/embeddings.npy R.npy
cp ring-run/node_ids.txt R.node_ids.txt
other="node 0 is called 'n0' in R.npy and 'n39' in data set 'gnir"
for task in classify cluster; do
    exits 0 "" eval R.npy ring.npz --task $task
    refuses 2 "$other'" eval R.npy gnir.npz --task $task
done
exits 0 "" eval R.npy ring-links --task link
refuses 2 "$other-links'" eval R.npy gnir-links --task link
refuses 2 "$other'" map R.npy gnir.npz -o x.html
# Where one side has no names, rows decide, and a note says so.
exits 0 "R.npy names its nodes, data set 'numbers' names none: row i is taken for node i" \
    eval R.npy numbers.npz --task cluster --clusters 2
exits 0 "data set 'numbers' names none: row i is taken for node i" map R.npy numbers.npz -o x.html
rm R.node_ids.txt
for task in classify cluster; do
    exits 0 "R.npy names no nodes, data set 'gnir' names its: row i is taken for node i" eval R.npy gnir.npz --task $task
    holds "one note" [ "$(grep -c "row i" err)" = 1 ]
done
exits 0 "R.npy names no nodes, data set 'ring-links' names its" eval R.npy ring-links --task link
exits 0 "R.npy names no nodes, data set 'gnir' names its" map R.npy gnir.npz -o x.html
exits 0 "" map R.npy -o y.html
holds "no note without a data set" bash -c '! grep -q "row i" err'
printf "0 1\n1 2\n" >fewer.txt
exits 0 "" convert fewer.txt fewer.npz
exits 0 "" convert numbers.txt same.npz --undirected
exits 0 "" eval R.npy same.npz --task cluster --clusters 2
holds "no note where neither has names" bash -c '! grep -q "row i" err'
refuses 2 "40" eval R.npy fewer.npz --task cluster --clusters 2
refuses 2 "40" map R.npy fewer.npz -o z.html
(tail -n 1 ring-run/node_ids.txt && head -n 39 ring-run/node_ids.txt) >R.node_ids.txt
cp R.node_ids.txt ring-run/node_ids.txt
refuses 2 "is called 'n39' in ring-run and 'n0' in data set 'ring'" eval ring-run ring.npz
exits 0 "remark" report ring-run --no-map -o ring.html
holds "the report scores no other nodes" grep -q "is called &#39;n39&#39;\|is called 'n39'" ring.html

# ---- export -------------------------------------------------------------------------------------
exits 0 "wrote z.csv: 4 nodes by name, 2 numbers each" export run -o z.csv
tr -d '\r' <z.csv | sed 's/,[^,]*,[^,]*$//' >found
printf 'node\nann\n"Bo, b"\n=cid\ndan\n' >wanted
same found wanted
holds "the header: $(head -1 z.csv)" grep -q '^node,z0,z1' z.csv
exits 0 "" export run -o safe.csv --spreadsheet-safe
holds "a formula is defused" grep -q "^'=cid," safe.csv
exits 0 "" embed run "${tables[@]}" -o Z.npy --device cpu
exits 0 "" export Z.npy -o Z.csv
same Z.csv z.csv
exits 0 "" export run -o z.npz
exits 0 "4 nodes by number" export plain -o plain.vec
holds "word2vec's head: $(head -1 plain.vec)" [ "$(head -1 plain.vec)" = "4 2" ]
exits 0 "runs holds several runs; these are the embeddings of the first, runs/run-1" export runs -o first.csv
same first.csv z.csv

# ---- --of ---------------------------------------------------------------------------------------
exits 0 "wrote of.csv: 2 nodes by name" export run -o of.csv --of dan --of "Bo, b"
(head -1 z.csv && grep '^dan,' z.csv && grep '^"Bo, b",' z.csv) >wanted
same of.csv wanted
exits 0 "" export run -o of.npz --of dan
exits 0 "2 nodes by number" export plain -o of.vec --of 3 --of 0
(echo "2 2" && grep '^3 ' plain.vec && grep '^0 ' plain.vec) >wanted
same of.vec wanted
exits 0 "node               =cid" info "${tables[@]}" --of =cid
exits 0 "edges out          1: dan" info "${tables[@]}" --directed --of =cid --of ann
holds "two nodes: $(cat out)" [ "$(grep -c '^node ' out)" -eq 2 ]
exits 0 "neighbours         2: ann, =cid" info "${tables[@]}" --undirected --of "Bo, b"
exits 0 '"edges_in": [{"node": "Bo, b", "weight": 1.0}]' info "${tables[@]}" --directed --of =cid --json
exits 0 "node               2" info plain.txt --of 2
refuses 2 "no node is called 'eve'" info "${tables[@]}" --json --of eve
refuses 2 "no node '9'" info plain.txt --of 9 --json
refuses 2 "no node is called '3': nodes have names here; expected one of them" export run -o of.csv --of 3
refuses 2 "no node '4': nodes have no names here; expected a number from 0 to 3" export plain -o of.csv --of 4
refuses 2 "no node '-1'" export plain -o of.csv --of=-1
refuses 2 "no node 'ann'" export plain -o of.csv --of ann
refuses 2 "cannot hold the name 'Bo, b'" export run -o z.vec --of "Bo, b"
same of.vec wanted

refuses 2 "line 2: word2vec's format cannot hold the name 'Bo, b'" export run -o z.vec
holds "nothing is left of it: $(ls)" [ "$(ls | grep -c 'z\.vec')" -eq 0 ]
refuses 2 "z.parquet: its ending names no format" export run -o z.parquet
refuses 2 "z.npz is no table for a spreadsheet" export run -o z.npz --spreadsheet-safe
refuses 2 "export: no output file given" export run
refuses 1 "cannot open nowhere: No such file or directory" export nowhere -o z.csv
refuses 1 "set/embeddings.npy: No such file or directory" export set -o z.csv
cp z.csv before.csv
echo eve >>run/node_ids.txt
refuses 1 "run/node_ids.txt has 5 names: expected 4, one for each row of run/embeddings.npy" export run -o z.csv
same z.csv before.csv
: >run/embeddings.npy
refuses 1 "run has no embeddings of its last checkpoint; finish it with graco train --resume" export run -o z.csv
checked
