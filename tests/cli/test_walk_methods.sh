#!/usr/bin/env bash
# deepwalk and node2vec as a user meets them: graphs without features, the same bytes for any number of
# threads and after a kill, what they refuse, and features beside their embeddings.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$graco" generate graph.npz --nodes 300 --classes 3 --seed 1 >/dev/null
"$graco" generate other.npz --nodes 200 --classes 3 --seed 2 >/dev/null
printf '0 1\n1 2\n2 0\n2 3\n3 4\n' >bare.txt
settings=(--set walks=2 --set length=10 --set window=3 --set hidden=16 -q)

for method in deepwalk node2vec; do
    run=(train graph.npz --method $method "${settings[@]}")
    exits 0 "" train bare.txt --undirected --method $method "${settings[@]}" -o bare-$method
    exits 0 "" "${run[@]}" --epochs 3 --threads 1 -o $method
    exits 0 "" "${run[@]}" --epochs 3 --threads 3 -o threads
    same $method/embeddings.npy threads/embeddings.npy

    # A training that is killed at some step, then resumed.
    "$graco" "${run[@]}" --epochs 3 --set checkpoint_every=1 -o killed &
    process=$!
    while [ ! -e killed/model.safetensors ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
    kill -9 $process 2>/dev/null || true
    wait $process 2>/dev/null || true
    exits 0 "" "${run[@]}" --epochs 3 --set checkpoint_every=1 -o killed --resume
    same $method/embeddings.npy killed/embeddings.npy
    rm -r threads killed

    exits 0 "" embed $method graph.npz -o again.npy
    same $method/embeddings.npy again.npy
    exits 2 "has a vector for each of 300 nodes" embed $method other.npz -o never.npy
    exits 2 "runs on the CPU alone" "${run[@]}" -o never --device cuda
done
holds "the two methods differ" bash -c '! cmp -s deepwalk/embeddings.npy node2vec/embeddings.npy'
exits 2 "does not read the setting 'p'" train graph.npz --method deepwalk --set p=2 -o never
exits 2 "p is '0'; expected a number from 0.01 to 100" train graph.npz --method node2vec --set p=0 -o never
"$graco" generate ppi --like ppi --scale 0.02 >/dev/null
exits 2 "expected inductive = 0" train ppi --method deepwalk "${settings[@]}" --epochs 1 -o never
exits 0 "" train ppi --method deepwalk "${settings[@]}" --epochs 1 --set inductive=0 -o many

# A vector belongs to a name: the same edges in another order, and a part of the nodes.
for i in $(seq 0 39); do echo "v$i,v$(((i + 1) % 40))" && echo "v$i,v$(((i * 7 + 3) % 40))"; done >named.csv
tac named.csv >turned.csv
grep 'v[123],\|,v[123]$' named.csv >part.csv
(cat named.csv && echo v0,new && echo new,newer) >grown.csv
sed 's/v/w/g' named.csv >renamed.csv
(echo node,class && for i in $(seq 0 35); do echo "v$i,$((i % 2))"; done) >classes.csv
exits 0 "" train named.csv --undirected --method node2vec "${settings[@]}" --epochs 1 -o named
vectors() { "$graco" export "$1" -o table.csv >/dev/null 2>&1 && sort table.csv; }
vectors named >wanted
for order in named turned part; do
    exits 0 "wrote" embed named $order.csv -o $order.npy
    vectors $order.npy >found
    holds "$order.csv: vectors go with names" bash -c '[ -s found ] && [ -z "$(comm -23 found wanted)" ]'
done
holds "as many vectors as nodes" [ "$(wc -l <found)" -lt 41 ]
exits 2 "grown' has 2 nodes that the training did not see, the first of them 'new'" \
    embed named grown.csv -o never.npy
exits 2 "renamed' has 40 nodes that the training did not see" embed named renamed.csv -o never.npy
exits 2 "has 2 nodes that the training did not see" \
    predict named grown.csv --labels classes.csv -o never.csv
exits 0 "wrote" predict named named.csv --labels classes.csv -o one.csv
exits 0 "wrote" predict named turned.csv --labels classes.csv -o two.csv
holds "the same names, predicted or not" diff <(sort one.csv | cut -d, -f1) <(sort two.csv | cut -d, -f1)
# Names on one side only: rows of a ring may be any nodes, unless the names are numbers of rows.
for i in $(seq 0 19); do
    echo "$i $(((i + 1) % 20))" >>ring.txt
    echo "v$i,v$(((i + 1) % 20))" >>ring.csv
done
tac ring.txt | tr ' ' , >numbers.csv
exits 0 "" train ring.txt --undirected --method node2vec "${settings[@]}" --epochs 1 -o ring
exits 0 "" train ring.csv --undirected --method deepwalk "${settings[@]}" --epochs 1 -o named-ring
exits 2 "'ring' has names, which that one had not" embed ring ring.csv -o never.npy
exits 2 "'ring' has no names of nodes" embed named-ring ring.txt -o never.npy
exits 0 "wrote" embed ring numbers.csv -o numbers.npy
"$graco" generate alike.npz --nodes 300 --classes 3 --seed 5 >/dev/null
exits 2 "has another graph" embed node2vec alike.npz -o never.npy

# Features beside the embeddings: a row of the table, and of eval.json.
exits 0 "with features" eval deepwalk graph.npz --splits 3 --with-features --baseline raw
holds "the baseline stays what it is: $(cat out)" bash -c '! grep -q "^raw.*with features" out'
holds "eval.json" grep -q '"with_features": true' deepwalk/eval.json
exits 0 "" eval deepwalk graph.npz --splits 3
holds "eval.json without" bash -c '! sed /earlier/q deepwalk/eval.json | grep -q with_features'
printf '0\n1\n0\n1\n0\n' >labels.txt
exits 2 "has no features to put beside the embeddings" eval bare-deepwalk bare.txt --labels labels.txt --with-features
checked
