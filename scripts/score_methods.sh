#!/usr/bin/env bash
# Trains a method on data sets and scores it under the paper's protocol, a line each:
# scripts/score_methods.sh GRACO METHOD [DATASET ...]        RUNS=5 DEVICE=auto by default
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: $0 GRACO METHOD [DATASET ...]" >&2; exit 2; }
graco=$1 method=$2
shift 2
[ $# -gt 0 ] || set -- cora citeseer pubmed dblp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for data; do
    "$graco" train "$data" --method "$method" --runs "${RUNS:-5}" --device "${DEVICE:-auto}" \
        -o "$work/$data" --json -q >"$work/train.json"
    "$graco" eval "$work/$data" "$data" --protocol paper --json >"$work/eval.json"
    python3 - "$work" "$method" "$data" <<'END'
import json, sys
train, score = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("train", "eval"))
epochs = [run["epochs"] for run in train.get("runs", [train])]
print(f"{sys.argv[2]} {sys.argv[3]}: {score['mean']:.2f} ± {score['std']:.2f}, epochs {epochs}, "
      f"{train['epoch_ms_median']:.2f} ms an epoch on {train['device']}", flush=True)
END
done
