#!/usr/bin/env bash
# The exact objective's kernels for the H100 family, on a GPU that emulated_gpu.hpp emulates: what no GPU has
# run yet is compared with plain loops all the same. Launches become calls; nothing else of the files changes.
set -euo pipefail
build=$1
flags=()

command -v g++ >/dev/null || { echo "skipped: g++ is not installed"; exit 77; }
echo '_Float16 x;' | g++ -x c++ -fsyntax-only - 2>/dev/null ||
    { echo "skipped: g++ knows no halves"; exit 77; }
grep -q '^TILES_STEP:[A-Z]*=[1-9]' "$build/CMakeCache.txt" &&
    flags+=("-D$(sed -n 's/^\(TILES_STEP\):[A-Z]*=/\1=/p' "$build/CMakeCache.txt")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
source=$GRACO_SOURCE
# Small pieces, so that few rows make several panels.
mkdir compute
sed 's/WIDE_SUMS = 128/WIDE_SUMS = 2/; s/WIDE_WEIGHTS = 64/WIDE_WEIGHTS = 1/' "$source/src/compute/device_scratch.h" \
    >compute/device_scratch.h
flags+=(-std=c++17 -O2 -w -fno-strict-aliasing -DGRACO_UNTRIED=1 -I. "-I$source/src" "-I$source/include"
    "-I$source/tests/compute")
touch cuda_fp16.h cuda_bf16.h
for name in cuda_tiles cuda_tiles_wgmma cuda_wide cuda_wide_wgmma; do
    {
        echo '#include "emulated_gpu.hpp"'
        sed -zE 's/([A-Za-z_]+(<[A-Za-z_0-9]+>)?)<<<([^;]*)>>>\(/emulate(\1, \3)(/g' "$source/src/compute/cuda/$name.cu"
    } >"$name.cpp"
done
cp "$source"/tests/compute/emulated_*.cpp .
for file in *.cpp; do
    g++ "${flags[@]}" -c "$file"
done
g++ -o emulated ./*.o
./emulated
