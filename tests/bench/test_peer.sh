#!/usr/bin/env bash
# The same training in plain PyTorch, and as an expert writes it, has graco's losses: same data, same first
# weights, same masks.
set -euo pipefail

graco=$1/graco
bench=$GRACO_SOURCE/bench
python=/usr/bin/python3
"$python" -c 'import numpy, torch' 2>/dev/null ||
    { echo "skipped: $python has no torch or no numpy (Debian: python3-torch, python3-numpy)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# compare NAME OPTION...: trains a few epochs both ways on graph.npz.
compare() {
    local name=$1
    shift
    "$graco" train graph.npz -o "$name-start" --epochs 0 -q "$@"
    "$graco" train graph.npz -o "$name" --epochs 4 -q "$@"
    for peer in peer_torch expert_torch; do
        found=$("$python" "$bench/$peer.py" graph.npz "$name-start/model.safetensors" --epochs 4 \
            --threads 1 --block 64 --tolerance 1e-5 --compare "$name/metrics.jsonl" | grep differ)
        echo "$name, $peer: $found"
    done
}

small=(--set activation=relu --set hidden=16 --set projection=24 --set lr=0.01)
"$graco" generate graph.npz --nodes 301 --features 61 --seed 3
compare words "${small[@]}" --seed 5
compare scaled "${small[@]}" --set scaling=rowsum --set activation=prelu --set drop_edge_2=0
# A seed of more than 32 bits, three layers, and every feature and edge drawn.
compare deep "${small[@]}" --seed 12345678901 --set layers=3 --set activation=elu --set drop_feature_1=0.5
rm graph.npz
"$graco" generate graph.npz --force --nodes 150 --features 33 --dense
compare dense "${small[@]}" --set tau=0.2

# The comparison itself must be able to fail: another seed has other masks.
"$graco" train graph.npz -o other --epochs 4 -q "${small[@]}" --set tau=0.2 --seed 1
for peer in peer_torch expert_torch; do
    if "$python" "$bench/$peer.py" graph.npz dense-start/model.safetensors --epochs 4 --threads 1 \
        --compare other/metrics.jsonl 2>message; then
        echo "$peer: losses of another seed were taken for equal"
        exit 1
    fi
    grep -q "^$peer: .*apart, expected at most" message
done

# The benchmark runs these peers with settings that they know, on a graph of its own: real ones would take minutes.
if [ ! -x "$1/bench_objective" ] || ! "$python" "$bench/peer_torch.py" graph.npz dense-start/model.safetensors \
    --epochs 1 --json | grep -q openblas; then
    echo "left out: run_bench.py, which needs bench_objective and PyTorch on OpenBLAS"
    exit 0
fi
GRACO_DATA=$work "$python" "$bench/run_bench.py" --build "$1" --quick --only peers --rounds 1 --output bench.json |
    grep generated
