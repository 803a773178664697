#!/usr/bin/env bash
# What a GPU makes of the code that no GPU has run yet: float32 and TF32 in tiles, and several seeds at a time.
#
#   scripts/gpu/float.sh PLAIN UNTRIED        build folders without and with -DGRACO_UNTRIED=ON, CUDA in both
#
# GRACO_DATA has cora and pubmed. Every result is a line "NAME: ..."; a step that fails or takes too long is a
# line too, and the next one begins. Under four minutes in all. PYTHON: with torch, for the comparison.
set -uo pipefail
[ $# -eq 2 ] || { echo "usage: $0 PLAIN UNTRIED" >&2; exit 2; }
plain=$(cd "$1" && pwd) && untried=$(cd "$2" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-python3}
ALL=220 # seconds of all steps together
failed=0
SECONDS=0

# step NAME SECONDS COMMAND...: the last line of what the command prints; all of it is in $work/NAME.
step() {
    local name=$1 limit=$2 left=$((ALL - SECONDS)) file code=0
    shift 2
    [ "$left" -gt 0 ] || { failed=$((failed + 1)); echo "$name: FAILED, no time left"; return 1; }
    limit=$((limit < left ? limit : left))
    file=$work/${name// /-}
    timeout -k 2 "$limit" "$@" >"$file" 2>&1 || code=$?
    case $code in
    0) echo "$name: $(tail -n 1 "$file")" ;;
    77) echo "$name: $(grep -m 1 skipped "$file")" ;;
    124 | 137) failed=$((failed + 1)); echo "$name: FAILED, not done after $limit s" ;;
    *) failed=$((failed + 1)); echo "$name: FAILED with $code"; tail -n 8 "$file" | sed 's/^/    /' ;;
    esac
    return "$code"
}

# epoch BUILD DATA PRECISION EPOCHS: the median of an epoch, by graco itself.
epoch() {
    rm -rf "$work/run"
    "$1/graco" train "$2" -o "$work/run" --device cuda --precision "$3" --epochs "$4" --json --quiet |
        grep -o '"epoch_ms_median": *[0-9.]*'
}

# peer DATA: PyTorch's epoch; with TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 in TF32.
peer() {
    "$python" bench/peer_torch.py "$work/$1.npz" "$work/$1-0/model.safetensors" --device cuda --epochs 6 \
        --masks torch --json | grep -o '"epoch_seconds": *[0-9.e-]*'
}

# seeds BUILD FOLDER: 20 trainings of Cora, by the clock.
seeds() {
    local from to
    from=$(date +%s%N)
    "$1/graco" train cora --runs 20 -o "$2" --device cuda --quiet || return
    to=$(date +%s%N)
    echo "$(((to - from) / 1000000)) ms"
}

same_seeds() {
    local i
    for i in $(seq 20); do
        cmp "$work/seeds-plain-1/run-$i/embeddings.npy" "$work/seeds-untried-1/run-$i/embeddings.npy" || return
    done
    echo "20 seeds have the same bytes, one after the other and at a time"
}
export -f epoch peer seeds same_seeds
export work python plain untried

# Right first: with GRACO_UNTRIED, then without, where panels must pass the same test.
step "tiles untried" 40 "$untried/tests/compute_test_tiles"
step "tiles plain" 40 "$plain/tests/compute_test_tiles"
if command -v compute-sanitizer >/dev/null; then
    step "racecheck untried" 40 compute-sanitizer --tool racecheck --error-exitcode 1 \
        "$untried/tests/compute_test_tiles" tiny
fi

# The objective alone, then epochs; builds in turn, twice.
for round in 1 2; do
    for precision in fp32 tf32; do
        for build in plain untried; do
            step "objective $precision $build $round" 10 "${!build}/bench_cuda" "$precision" 19717 256 5
            step "pubmed $precision $build $round" 15 bash -c "epoch '${!build}' pubmed $precision 20"
        done
    done
    for build in plain untried; do
        step "cora fp16 $build $round" 10 bash -c "epoch '${!build}' cora fp16 400"
    done
done
if "$python" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    "$plain/graco" convert pubmed "$work/pubmed.npz" >"$work/convert" 2>&1
    "$plain/graco" train pubmed -o "$work/pubmed-0" --epochs 0 --device cpu --quiet >>"$work/convert" 2>&1
    step "pubmed fp32 torch" 25 bash -c "peer pubmed"
    TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 step "pubmed tf32 torch" 25 bash -c "peer pubmed"
else
    echo "pubmed torch: skipped: $python has no torch that sees the GPU"
fi

for round in 1 2; do
    for build in plain untried; do
        step "20 seeds of cora $build $round" 15 bash -c "seeds '${!build}' '$work/seeds-$build-$round'"
    done
done
step "the same bits" 10 bash -c same_seeds

echo "done in $SECONDS s, $failed failed"
[ "$failed" -eq 0 ]
