#!/usr/bin/env bash
# The exact objective's kernels, those that draw views and the one that propagates features, without a GPU: g++ compiles their own
# text, and emulated_gpu.hpp plays the GPU. Machines without one compare them with plain loops all the same. Launches become
# calls, and the headers with instructions are the emulation's; nothing else of the files changes. Kernels that wait for too
# little, or read beyond a buffer, and queues that do not meet must be found.
#     emulated.sh few    views, and a small case of each kernel, compiled without optimisation: seconds
#     emulated.sh all    every case; then changes of the kernels, each of which must be found: minutes
set -euo pipefail
cases=$1
source=$GRACO_SOURCE
kernels=(cuda_contrast cuda_panels cuda_tiles cuda_tiles_mma cuda_tiles_wgmma cuda_ahead_wgmma cuda_ahead_back_wgmma
    cuda_float_tiles cuda_wide cuda_wide_wgmma cuda_sparse cuda_propagate)
optimise=-O2
[ "$cases" = all ] || optimise=-O0
flags=(-std=c++17 $optimise -w -U_FORTIFY_SOURCE -fno-strict-aliasing -fno-extern-tls-init
    -I. "-I$source/src" "-I$source/include" "-I$source/tests/compute")

command -v g++ >/dev/null || { echo "skipped: g++, which compiles the kernels, is not installed"; exit 77; }
echo '_Float16 x;' | g++ -x c++ -fsyntax-only - 2>/dev/null ||
    { echo "skipped: g++ knows no halves"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# Small pieces, so that few rows make several panels, and few parts several rounds.
mkdir -p compute/cuda
sed -zE 's/(WIDE_SUMS)\s*=\s*[0-9]+/\1 = 2/; s/(WIDE_WEIGHTS)\s*=\s*[0-9]+/\1 = 1/
    s/(PANEL_BYTES)\s*=\s*[0-9< ]+/\1 = 32 << 10/; s/(PANEL_COLS)\s*=\s*[0-9]+/\1 = 64/' \
    "$source/src/compute/device_scratch.h" >compute/device_scratch.h
touch cuda_fp16.h cuda_bf16.h
# emulated FILE: its text, with calls in the place of launches.
emulated() {
    sed -zE 's/([A-Za-z_]+(<[A-Za-z_0-9, ]+>)?)\s*<<<([^;]*)>>>\(/emulate(\1, \3)(/g
        s/(PARTS_AHEAD|SHARES_AHEAD)\s*=\s*[0-9]+/\1 = 2/g' "$source/src/compute/cuda/$1"
}
emulated cuda_ring.cuh >compute/cuda/cuda_ring.cuh
for name in "${kernels[@]}"; do
    {
        echo '#include "emulated_gpu.hpp"'
        emulated "$name.cu"
    } >"$name.cpp"
done
sed -i 's/FOLD_TILES = 64/FOLD_TILES = 2/' cuda_ahead_wgmma.cpp # few tiles are added up often
grep -q 'FOLD_TILES = 2' cuda_ahead_wgmma.cpp
cp "$source"/tests/compute/emulated_*.?pp .
g++ "${flags[@]}" -x c++-header emulated_gpu.hpp # read once, not by every file
for file in *.cpp; do
    g++ "${flags[@]}" -c "$file"
done
g++ -o emulated ./*.o
if [ "$cases" = few ]; then
    ./emulated few
    exit
fi
./emulated

# spoil FILE KERNELS CHANGE: with this change of the file, a case of these kernels must fail.
spoil() {
    local objects=(./*.o)
    mkdir -p spoiled
    sed "$3" "$1.cpp" >"spoiled/$1.cpp"
    ! cmp -s "$1.cpp" "spoiled/$1.cpp" || { echo "does not hold: '$3' changes $1.cu"; exit 1; }
    g++ "${flags[@]}" -c "spoiled/$1.cpp" -o "spoiled/$1.o"
    g++ -o hasty "${objects[@]/#.\/$1.o/spoiled/$1.o}"
    if ./hasty "$2" >out; then
        echo "does not hold: '$3' in $1.cu is found"
        exit 1
    fi
    echo "'$3' in $1.cu is found: $(grep -m 1 'does not hold' out)"
}
spoil cuda_contrast mma 's/i - n + sums.rows \/ 2/i/'
spoil cuda_contrast mma '/room.* = total;/{n;s/__syncthreads();/;/}'
spoil cuda_contrast mma 's/(2 \* from + 1)/2 * from/'
spoil cuda_sparse views 's/scale_of(1.0 + (double)(to/scale_of((double)(to/'
spoil cuda_sparse views 's/(1u << lane) - 1/1u << lane/'
spoil cuda_propagate propagate 's/l.count \* (warp + 1) \/ warps/l.count/'
spoil cuda_propagate propagate '/threadIdx.x % WARP/,/for (int64_t j = 4/s/__syncwarp();//'
spoil cuda_panels panels 's/col == row || col == partner/col == row/'
spoil cuda_tiles mma 's/TURN_JOIN/TURN_BACK/'
spoil cuda_tiles mma 's/node < t.n && col/col/'
spoil cuda_float_tiles float 's/copies_wait<STAGES - 2>/copies_wait<STAGES - 1>/'
spoil cuda_tiles_mma mma 's/tile_clear_weights(w/(void)(w/'
spoil cuda_tiles_mma mma 's/copies_wait<1>/copies_wait<2>/'
spoil cuda_tiles_wgmma wgmma 's/barrier_wait(on.full(place/(void)(on.full(place/'
spoil cuda_ahead_wgmma ahead 's/barrier_wait(on.full(at/(void)(on.full(at/'
spoil cuda_ahead_wgmma ahead 's/barrier_wait(on.further(BLOCK_FULL/(void)(on.further(BLOCK_FULL/'
spoil cuda_ahead_back_wgmma ahead 's/matrix_wait<1>/matrix_wait<2>/'
spoil cuda_wide_wgmma wide 's/matrix_wait<1>/matrix_wait<2>/'
