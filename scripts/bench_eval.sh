#!/usr/bin/env bash
# graco's probe by itself, on one thread and on all, and against LIBLINEAR: trains short runs on Cora and
# Pubmed unless they are there, then compares objectives, accuracies and time. SPLITS, EPOCHS and DEVICE
# may be set.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build}
cmake -S . -B "$build" >/dev/null
cmake --build "$build" -j "${JOBS:-$(nproc)}" --target graco bench_eval >/dev/null
for name in cora pubmed; do
    run=$build/bench-eval/$name
    if [ ! -f "$run/embeddings.npy" ]; then
        "$build/graco" train "$name" -o "$run" --objective moment --epochs "${EPOCHS:-100}"
    fi
    "$build/bench_eval" times "$name" "$run/embeddings.npy" "${SPLITS:-20}" "${DEVICE:-auto}" 1 "$(nproc)"
    "$build/bench_eval" "$name" "$run/embeddings.npy" "${SPLITS:-20}"
done
