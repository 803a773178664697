#!/usr/bin/env bash
# Methods that learn from labels: a model per split, in folders of their own, trained at a time or one
# after the other, killed and resumed, to the same bits; and graco eval, which scores each on its split.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# field NAME: its number in the JSON of the last command, at the top.
field() { sed 's/"results".*//; s/"runs": \[.*//' out | grep -o "\"$1\": [-0-9.]*" | head -1 | cut -d' ' -f2; }

"$graco" generate g.npz --nodes 300 --classes 4 --features 80 2>/dev/null
gcn=(g.npz --method gcn --device cpu --set checkpoint_every=5 --epochs 60)

# ---- A model per split ---------------------------------------------------------------------------
exits 0 "1 run of 3 splits" train "${gcn[@]}" -o all --splits 3 --threads 2
for s in 0 1 2; do
    holds "config.json names split $s" grep -q "\"split\": $s" "all/split-$s/config.json"
done
holds "splits differ" bash -c '! cmp -s all/split-0/embeddings.npy all/split-1/embeddings.npy'
exits 0 '"split": 2' train "${gcn[@]}" -o slow --splits 3 --threads 1 --json -q
exits 0 "kept" train "${gcn[@]}" -o one --set split=1
for s in 0 1 2; do same "all/split-$s/embeddings.npy" "slow/split-$s/embeddings.npy"; done
same one/embeddings.npy all/split-1/embeddings.npy

# Killed at any moment, and resumed.
"$graco" train "${gcn[@]}" -o killed --splits 3 --threads 2 --epochs 400 -q 2>/dev/null &
victim=$!
await $victim "split 1 has no checkpoint" [ -e killed/split-1/model.safetensors ]
kill -9 "$victim" 2>/dev/null || true
wait "$victim" 2>/dev/null || true
exits 0 "" train "${gcn[@]}" -o killed --splits 3 --epochs 400 --resume -q
exits 0 "" train "${gcn[@]}" -o whole --splits 3 --epochs 400 -q
for s in 0 1 2; do same "killed/split-$s/embeddings.npy" "whole/split-$s/embeddings.npy"; done
exits 0 "" train g.npz -o whole --splits 3 --resume -q
same killed/split-2/embeddings.npy whole/split-2/embeddings.npy

# ---- Scores --------------------------------------------------------------------------------------
exits 0 "" eval all g.npz --json
holds "three splits: $(field splits)" [ "$(field splits)" = 3 ]
holds "an accuracy above chance: $(field mean)" awk "BEGIN { exit !($(field mean) > 50) }"
holds "a score per split" bash -c 'grep -o "\"runs\": \[[^]]*\]" out | head -1 | tr -cd , | wc -c | grep -qx 2'
holds "no C was chosen" grep -q '"C": \[null' out
holds "eval.json is in the folder" [ -s all/eval.json ]
exits 0 "accuracy over 1 split" eval one g.npz
holds "text has no C: $(cat out)" bash -c '! grep -q " C " out'
exits 0 "" train "${gcn[@]}" -o two --splits 2 --runs 2 -q
exits 0 "2 runs" eval two g.npz
holds "two seeds differ" bash -c '! cmp -s two/run-1/split-0/embeddings.npy two/run-2/split-0/embeddings.npy'
exits 0 "" train g.npz -o plain --epochs 5 --set hidden=8 -q
exits 0 "all - plain" eval all plain g.npz --splits 3
exits 0 "" train "${gcn[@]}" --set protocol=public -o public --splits 3 -q
exits 0 "protocol public" eval public g.npz --protocol public
exits 2 "expected --protocol public" eval public g.npz
exits 2 "expected neither --seed" eval all g.npz --seed 1

# ---- A method that has nothing to train -------------------------------------------------------------
exits 0 "serves every split" train g.npz --method sgc --device cpu -o sgc --splits 3
exits 0 "" embed sgc g.npz -o Z.npy --device cpu
same Z.npy sgc/embeddings.npy
exits 0 "nothing to do" train g.npz --method sgc --device cpu -o sgc --resume
exits 0 "" eval sgc g.npz --splits 3 --json
holds "better than the features alone: $(field mean)" awk "BEGIN { exit !($(field mean) > 50) }"
exits 2 "method sgc has nothing to train: epochs is 5, expected 0" train g.npz --method sgc --epochs 5 -o new

# ---- Predictions ----------------------------------------------------------------------------------
# 40 nodes in two rings, of which every fourth has no label; names and classes need quotes, and have some.
for i in $(seq 0 39); do
    printf '"#n, %d",%d,%d\n' "$i" $((i / 20)) $((i % 3)) >>rows.csv
    [ $((i % 4)) -eq 0 ] || printf '"#n, %d","class, ""%d"""\n' "$i" $((i / 20)) >>y.csv
    printf '"#n, %d","#n, %d"\n' "$i" $(((i + 1) % 20 + i / 20 * 20)) >>ring.csv
done
(echo node_id,a,b && cat rows.csv) >x.csv
tables=(ring.csv --features x.csv --labels y.csv --undirected --delimiter comma)
cp ring.csv copy.csv
for method in gcn sgc; do
    exits 0 "" train "${tables[@]}" --method $method -o "$method-run" --device cpu -q
    exits 0 "wrote $method.csv: 10 nodes, 2 classes" predict "$method-run" ring.csv -o "$method.csv"
    holds "$method: the header: $(head -1 $method.csv)" \
        bash -c "head -1 $method.csv | tr -d '\r' | grep -qx 'node,class,\"class, \"\"0\"\"\",\"class, \"\"1\"\"\"'"
    holds "$method: node 20 is of class 1: $(grep 'n, 20' $method.csv)" \
        grep -q '^"#n, 20","class, ""1""",' $method.csv
    holds "$method: every line ends with CR LF" bash -c "[ \$(grep -c \$'\r\$' $method.csv) -eq 11 ]"
done
exits 0 "wrote all.csv: 40 nodes" predict gcn-run ring.csv --all -o all.csv
exits 0 "wrote of.csv: 2 nodes" predict gcn-run ring.csv --of '#n, 21' --of '#n, 4' -o of.csv
(head -1 all.csv && grep '^"#n, 21"' all.csv && grep '^"#n, 4"' all.csv) >wanted
same of.csv wanted
exits 2 "no node is called '4'" predict gcn-run ring.csv --of 4 -o of.csv
# A table of predictions is one of labels.
exits 0 "all.csv: column 1 names nodes; 2 classes, which have names; header" \
    convert ring.csv back.npz --features x.csv --labels all.csv --undirected --delimiter comma
exits 0 "wrote again.csv: 40 nodes" predict gcn-run back.npz --all -o again.csv
same again.csv all.csv
# The model knows what its classes are called: another order of the labels or no labels change no name, and
# other classes are refused.
exits 0 "" convert ring.csv bare.npz --features x.csv --undirected --delimiter comma
exits 0 "wrote bare.csv: 40 nodes" predict gcn-run bare.npz -o bare.csv
same bare.csv all.csv
tac y.csv >yx.csv
exits 0 "" convert ring.csv turned.npz --features x.csv --labels yx.csv --undirected --delimiter comma
exits 0 "wrote turned.csv: 40 nodes" predict gcn-run turned.npz --all -o turned.csv
same turned.csv all.csv
sed 's/class, ""1/cat, ""1/' y.csv >cats.csv
exits 0 "" convert ring.csv cats.npz --features x.csv --labels cats.csv --undirected --delimiter comma
exits 2 "data set 'cats' has a class 'cat, \"1\"' that the model was not trained on" predict gcn-run cats.npz --all -o none.csv
# A resumed training keeps its classes: these have the same numbers and other names.
sed 's/class, ""/cat, ""/' y.csv >both.csv
exits 2 "class 0 is called 'cat, \"0\"' in data set 'ring', and the training began with 'class, \"0\"'" \
    train "${tables[@]}" --labels both.csv --method gcn -o gcn-run --device cpu -q --resume --epochs 300
exits 0 "holds several runs" predict all g.npz --all -o -
exits 2 "nothing to predict" predict all g.npz -o none.csv
exits 2 "has no labels" \
    predict sgc-run copy.csv --features x.csv --delimiter comma -o none.csv
exits 2 "no output file given" predict all g.npz
holds "a refusal writes nothing" [ ! -e none.csv ]

# ---- What is refused, and what is said -----------------------------------------------------------
exits 0 "has one split, its own" train "${gcn[@]}" --set protocol=public -o own --splits 3
exits 0 "serves every split" train g.npz -o grace --splits 3 --epochs 2 --set hidden=8
exits 2 "expected no --set split=1" train "${gcn[@]}" -o new --splits 3 --set split=1
exits 1 "holds a model for each of several splits" train "${gcn[@]}" -o all --resume
exits 1 "holds a model for one split" train "${gcn[@]}" -o one --splits 3 --resume
exits 1 "already holds a run" train "${gcn[@]}" -o all --splits 3
exits 1 "holds a single run" train "${gcn[@]}" -o all --splits 3 --runs 2
printf '0 1\n1 2\n2 0\n' >bare.txt
exits 2 "method gcn needs labels; data set 'bare' has none" \
    train bare.txt --method gcn --undirected -o bare -q
holds "no folder is left behind" [ ! -e bare ]
checked
