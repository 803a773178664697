#!/usr/bin/env bash
# What was trained on is what is used: embed, eval and --resume read the data as the run did, and tell
# other data. And what --resume says where there is nothing to do, or nothing to continue.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fits() { holds "nothing is said to differ: $(cat err)" bash -c '! grep -q "differ\|checked" err'; }

# A directed graph as tables: 40 nodes in a ring with chords, two features, two classes.
for i in $(seq 0 39); do
    echo "$i $(((i + 1) % 40))" >>ring.txt
    echo "$i $(((i * 7 + 3) % 40))" >>ring.txt
    echo "$i,$((i % 5)).5,$((i * i % 7)).25" >>rows
    echo "$i,$((i / 20))" >>y.csv
done
(echo node_id,a,b && tac rows) >x.csv
(echo node_id,a,b && sed 's/^3,.*/3,9,9/' rows) >x2.csv
(cat x.csv && echo 40,1,1) >more.csv
sed 's/^0 1$/0 5/' ring.txt >ring2.txt
tables=(ring.txt --features x.csv --labels y.csv --undirected)
small=(--set hidden=8 --set checkpoint_every=2)

# The run records how its data were read, and a fingerprint, which convert keeps.
exits 0 embeddings train "${tables[@]}" -o run --epochs 4 "${small[@]}"
for field in '"source": "ring.txt"' '"features": "x.csv"' '"labels": "y.csv"' '"direction": "undirected"' \
    '"fingerprint": "40-'; do
    holds "config.json has $field" grep -qF "$field" run/config.json
done
"$graco" convert "${tables[@]}" whole.npz 2>/dev/null
"$graco" convert ring.txt --directed --features x.csv --labels y.csv directed.npz 2>/dev/null

# Rows under node_id in any order are the rows in the order of the nodes: the same embeddings and score.
(echo a,b && cut -d, -f2- rows) >ordered.csv
"$graco" train ring.txt --features ordered.csv --labels y.csv --undirected -o ordered --epochs 4 \
    "${small[@]}" -q
same ordered/embeddings.npy run/embeddings.npy
"$graco" eval run whole.npz --splits 2 2>/dev/null | sed 's/run //' >one
"$graco" eval ordered whole.npz --splits 2 2>/dev/null | sed 's/ordered //' >other
holds "the same score: $(cat one other)" cmp <(tr -d ' ' <one) <(tr -d ' ' <other)
rm one other

# embed: the same reading unless told otherwise; other data are said, and embedded.
exits 0 "read as the data of run were: features x.csv, labels y.csv" \
    embed run ring.txt -o Z.npy
same Z.npy run/embeddings.npy
exits 0 "" embed run whole.npz -o Z.npy
fits
same Z.npy run/embeddings.npy
exits 0 "directed: read as the data of run were: undirected" embed run directed.npz -o Z.npy
same Z.npy run/embeddings.npy
exits 0 "directed.npz is not what run was trained on; it differs in: graph" \
    embed run directed.npz --directed -o Z.npy
holds "another graph, other embeddings" bash -c '! cmp -s Z.npy run/embeddings.npy'
exits 0 "it differs in: features" embed run ring.txt --features x2.csv -o Z.npy
exits 2 "both set" embed run whole.npz --directed --undirected -o Z.npy

# eval: likewise, but other data are refused.
exits 0 "accuracy" eval run ring.txt --splits 2
exits 0 "accuracy" eval run whole.npz --splits 2
fits
exits 2 "run was trained on other data than directed, which differs in: graph" \
    eval run directed.npz --directed --splits 2
exits 2 "differs in: graph, features" eval run ring2.txt --features x2.csv --labels y.csv --splits 2
exits 2 "have 40 rows" eval run/embeddings.npy ring.txt --splits 2 \
    --features more.csv --labels y.csv

# --resume: likewise.
exits 2 "was trained on other data than 'directed', which differs in: graph; it cannot be resumed" \
    train directed.npz --directed -o run --resume --epochs 6
exits 2 "differs in: features" train ring.txt --features x2.csv -o run --resume --epochs 6
cp -r run other
exits 0 "6 epochs" train ring.txt -o run --resume --epochs 6
"$graco" train "${tables[@]}" -o six --epochs 6 "${small[@]}" -q
for file in embeddings.npy model.safetensors config.json; do same run/$file six/$file; done
# Without -o the folder is known after the data; the reading is the run's all the same.
exits 0 "" train "${tables[@]}" --epochs 2 "${small[@]}" -q
exits 0 "3 epochs" train ring.txt --features x.csv --labels y.csv --resume --epochs 3

# Nothing to do: said, and nothing changes.
for epochs in 6 4; do
    rm -rf before && cp -r run before
    exits 0 "run has 6 epochs already, $epochs were asked for: nothing to do" \
        train whole.npz -o run --resume --epochs $epochs
    holds "no nan in: $(cat out err)" bash -c '! grep -qi nan out err'
    for file in embeddings.npy model.safetensors metrics.jsonl; do same run/$file before/$file; done
done
same run/config.json before/config.json
exits 0 '"loss": null' train whole.npz -o run --resume --epochs 4 --json
"$graco" train whole.npz -o pair --runs 2 --epochs 2 "${small[@]}" -q
rm -rf pair/run-2
exits 0 "(mean)" train whole.npz -o pair --runs 2 --resume
holds "the mean is over runs that were trained: $(cat out)" bash -c '! grep -qi nan out'

# Embeddings older than their checkpoint, and runs without any, are not passed over.
"$graco" train whole.npz -o old --epochs 4 "${small[@]}" -q
"$graco" train whole.npz -o old --resume --epochs $endless -q 2>/dev/null &
victim=$!
await $victim "old has not reached epoch 7" has_lines old/metrics.jsonl 7
kill -9 $victim
wait $victim 2>/dev/null || true
exits 1 "old has no embeddings of its last checkpoint" eval old whole.npz --splits 2
exits 1 "old has no embeddings" eval run old whole.npz --splits 2
exits 0 "" embed old whole.npz -o old/embeddings.npy
exits 0 "accuracy" eval old whole.npz --splits 2
rm pair/run-2/embeddings.npy
exits 1 "pair/run-2 has no embeddings" eval pair whole.npz --splits 2
rm -r pair/run-2 && cp -r pair/run-1 pair/run-3
exits 1 "pair/run-2 has no embeddings" eval pair whole.npz --splits 2
mv pair/run-1 pair/run-2
exits 1 "pair/run-1 has no embeddings" eval pair whole.npz --splits 2

# metrics.jsonl is cut by its epochs, though a line is missing.
sed -i 3d other/metrics.jsonl
cp other/metrics.jsonl wanted
echo '{"epoch": 9, "loss": 1}' >>other/metrics.jsonl
"$graco" train whole.npz -o other --resume --epochs 5 -q
holds "epochs 1 2 4 5 in: $(cat other/metrics.jsonl)" \
    [ "$(sed 's/^{"epoch": *\([0-9]*\).*/\1/' other/metrics.jsonl | tr '\n' ' ')" = "1 2 4 5 " ]
holds "the lines are kept as they are" bash -c 'head -3 other/metrics.jsonl | cmp - wanted'

# A training that was killed before its first checkpoint.
mkdir begun && cp run/config.json run/metrics.jsonl begun/
exits 1 "begun holds config.json, metrics.jsonl but no checkpoint" train whole.npz -o begun --epochs 2
holds "no run is claimed" bash -c '! grep -q "already holds" err'
exits 0 "starting at epoch 1" train whole.npz -o begun --resume --epochs 2 "${small[@]}"
holds "two lines of metrics" [ "$(wc -l <begun/metrics.jsonl)" -eq 2 ]

# Embeddings without a checkpoint are scored, with a line that says so; a model alone embeds.
mkdir bare && cp run/embeddings.npy bare/
exits 0 "bare has no checkpoint: that its embeddings are of this data set cannot be checked" \
    eval bare whole.npz --splits 2
mkdir alone && cp run/model.safetensors alone/
exits 0 "" embed alone whole.npz -o Z.npy
fits
same Z.npy run/embeddings.npy

checked
