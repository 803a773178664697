#!/usr/bin/env bash
# graco partition: the data set as it was, with an order by which ranks read fewer rows of each other; bad
# input is refused in one line, and what cannot be written leaves nothing.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# ---- Bad input ----------------------------------------------------------------------------------
exits 0 "" generate g.npz --nodes 400 --features 30 --classes 4 --degree 6
exits 0 "" generate many --like ppi --scale 0.02
exits 2 "partition: no number of ranks given; expected -n P" partition g.npz -o dir
exits 2 "partition: no output given; expected -o DIR" partition g.npz -n 2
exits 2 "partition: --ranks is '0'; expected a whole number from 1 to 65536" partition g.npz -n 0 -o dir
exits 2 "partition: --ranks is 'two'" partition g.npz -n two -o dir
exits 2 "400 nodes for 401 ranks: expected at least one for each" partition g.npz -n 401 -o dir
exits 2 "and an order is of one: expected one" partition many -n 2 -o dir
exits 1 "no data set 'nothing'" partition nothing -n 2 -o dir
: >none.txt
exits 1 "none.txt" partition none.txt -n 2 -o dir
mkdir taken
touch taken/file file.npz
exits 1 "taken" partition g.npz -n 1 -o taken
exits 1 "file.npz" partition g.npz -n 1 -o file.npz
exits 1 "g.npz" partition g.npz -n 1 -o g.npz --force
exits 1 "/nowhere" partition g.npz -n 1 -o /nowhere/dir
holds "nothing is left: $(ls)" [ ! -e dir ]
code=0
(ulimit -f 4 && trap '' XFSZ && exec "$graco" partition g.npz -n 1 -o dir) 2>err || code=$?
holds "a full disk is one line, code $code: $(cat err)" [ "$code $(wc -l <err) $(cut -c 1-6 err)" = "1 1 graco:" ]
holds "nothing of it is left: $(ls)" [ -z "$(ls -d dir* 2>/dev/null)" ]

# ---- Without METIS ------------------------------------------------------------------------------
if ! "$graco" partition g.npz -n 2 -o parts 2>err; then
    holds "one line says how to get METIS: $(cat err)" grep -q '^graco: .*make setup-metis' err
    holds "it is one: $(cat err)" [ "$(wc -l <err)" -eq 1 ]
    echo "left out: orders by METIS, which this build has not"
    checked
    exit 0
fi

# ---- Orders -------------------------------------------------------------------------------------
# read_rows DATASET: rows of others that each of 4 ranks reads, in the mean.
read_rows() {
    "$graco" plan "$1" --ranks 4 --threads 1 --device cpu --epochs 1 --json |
        sed 's/.*"mean": //; s/.*"boundary_rows": \([0-9.]*\).*/\1/'
}
awk 'BEGIN { for (i = 0; i < 4000; i++) { s = (s * 16807 + 7) % 2147483647; a = s % 1000
    s = (s * 16807 + 7) % 2147483647; print a, (a + (s % 100 == 0 ? 1 : s % 250 * 4)) % 1000 } }' >groups.txt
exits 0 "" convert groups.txt plain.npz --undirected
exits 0 "wrote parts4: 1000 nodes" partition groups.txt -n 4 -o parts4 --undirected
exits 0 "" partition groups.txt -n 4 -o again.npz --undirected
before=$(read_rows plain.npz) after=$(read_rows parts4)
holds "ranks read fewer rows: $after, not $before" awk -v a="$after" -v b="$before" 'BEGIN { exit !(a > 0 && a < b / 2) }'
holds "an archive has the same order: $(read_rows again.npz)" [ "$(read_rows again.npz)" = "$after" ]
# It is the same data set to everything else.
exits 0 "" info plain.npz --json
sed 's/"name": "[^"]*"//; s/"source": "[^"]*"//; s/plain.npz//g' out >one
exits 0 "" info parts4 --json
sed 's/"name": "[^"]*"//; s/"source": "[^"]*"//; s/parts4//g' out >two
holds "info says the same: $(diff one two)" [ "$(sed 's/"dataset": "[^"]*"//' one)" = "$(sed 's/"dataset": "[^"]*"//' two)" ]
for data in plain.npz parts4; do
    exits 0 "" train "$data" -o "run-${data%.npz}" -q --epochs 2 --set hidden=8 --threads 1 --device cpu \
        --node-features degree
done
same run-plain/embeddings.npy run-parts4/embeddings.npy
# Parts of a graph that is not connected, and of single nodes.
printf '0 1\n2 3\n4 5\n6 7\n' >apart.txt
for count in 1 2 3 8; do exits 0 "" partition apart.txt -n $count -o "apart$count" --undirected; done
exits 0 "over 2 ranks" plan apart2 --ranks 2 --threads 1 --device cpu --node-features degree --set hidden=4
holds "no edge crosses: $(cat out)" grep -qE '^boundary +0 ' out
checked
