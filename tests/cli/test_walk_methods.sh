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

# Features beside the embeddings: a row of the table, and of eval.json.
exits 0 "with features" eval deepwalk graph.npz --splits 3 --with-features --baseline raw
holds "the baseline stays what it is: $(cat out)" bash -c '! grep -q "^raw.*with features" out'
holds "eval.json" grep -q '"with_features": true' deepwalk/eval.json
exits 0 "" eval deepwalk graph.npz --splits 3
holds "eval.json without" bash -c '! grep -q with_features deepwalk/eval.json'
printf '0\n1\n0\n1\n0\n' >labels.txt
exits 2 "has no features to put beside the embeddings" eval bare-deepwalk bare.txt --labels labels.txt --with-features
checked
