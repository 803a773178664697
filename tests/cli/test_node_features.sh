#!/usr/bin/env bash
# Graphs without features: what is made in their place, said in config.json, the same bytes for any number
# of threads and after a resumed training; which kinds serve another graph; communities that are in the
# edges alone are found.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$graco" generate bare.npz --nodes 300 --classes 3 --degree 12 --homophily 0.9 --features 0 --seed 1 2>/dev/null
"$graco" generate other.npz --nodes 100 --classes 3 --degree 6 --features 0 --seed 2 2>/dev/null
"$graco" generate own.npz --nodes 100 --classes 4 --features 30 --seed 3 2>/dev/null
short=(-q --objective moment --set encoder=gcn --set drop_feature_1=0.4 --set drop_feature_2=0.2 --set hidden=16 --seed 1)

# The default is spectral where there are none, and what is given where there are some.
exits 0 "" train bare.npz "${short[@]}" --epochs 40 -o default
holds "config.json says spectral" grep -q '"node_features": "spectral"' default/config.json
exits 0 "bare has no features: spectral ones are made" train bare.npz --objective moment \
    --set hidden=8 --epochs 1 -o said
exits 0 "" train own.npz "${short[@]}" --epochs 2 -o given
holds "config.json says given" grep -q '"node_features": "given"' given/config.json
accuracy=$("$graco" eval default bare.npz --splits 3 2>/dev/null | awk '/±/ { print $2 }')
holds "the communities are found: $accuracy" awk "BEGIN { exit !($accuracy > 90) }"

for kind in degree spectral learned walk; do
    run=(train bare.npz "${short[@]}" --node-features $kind)
    exits 0 "" "${run[@]}" --epochs 4 --threads 1 -o $kind
    exits 0 "" "${run[@]}" --epochs 4 --threads 3 -o threads
    same $kind/embeddings.npy threads/embeddings.npy
    exits 0 "" "${run[@]}" --epochs 2 -o resumed
    exits 0 "" "${run[@]}" --epochs 4 --resume -o resumed
    same $kind/embeddings.npy resumed/embeddings.npy
    exits 0 "" embed $kind bare.npz -o again.npy
    same $kind/embeddings.npy again.npy
    rm -r threads resumed again.npy
    [ $kind = degree ] ||
        exits 2 "only degree serves any graph" embed $kind other.npz -o never.npy
done
exits 0 "" embed degree other.npz -o there.npy
# Made features replace given ones.
exits 0 "" train own.npz "${short[@]}" --epochs 2 --node-features degree -o replaced
holds "made features replace given ones" grep -q '"input": 24' replaced/config.json
# A batch takes rows of them as of others.
exits 0 "" train bare.npz "${short[@]}" --epochs 2 --set batch=64 --set fanout=5,5 -o batches

exits 2 "needs node features" train bare.npz "${short[@]}" --node-features given -o never
exits 2 "the method deepwalk reads no features" train bare.npz --method deepwalk \
    --node-features spectral -o never
exits 2 "looks at the whole graph" train bare.npz "${short[@]}" --node-features spectral \
    --set inductive=1 -o never
exits 2 "was trained with node_features = degree" train bare.npz "${short[@]}" --epochs 9 \
    --node-features spectral --resume -o degree

checked
