#!/usr/bin/env bash
# A driver that is too old for this build gives one clear line with `cuda`, and `auto` does without.
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$build/graco" generate "$folder/graph.npz" --nodes 60 >/dev/null
export LD_LIBRARY_PATH=$build/tests/old-driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
if "$build/graco" train "$folder/graph.npz" -o "$folder/run" --device cuda --epochs 1 2>"$folder/error"; then
    echo "an old driver was accepted"
    exit 1
fi
if grep -q 'built without CUDA' "$folder/error"; then
    echo "skipped: built without CUDA"
    exit 77
fi
[ "$(wc -l <"$folder/error")" -eq 1 ]
grep -q 'the GPU driver is for CUDA 11.4; this build needs [0-9.]* or later' "$folder/error"
[ ! -e "$folder/run/embeddings.npy" ]
"$build/graco" train "$folder/graph.npz" -o "$folder/run" --epochs 1 --quiet
[ -s "$folder/run/embeddings.npy" ]
echo "an old driver: one line with cuda, the CPU with auto"
