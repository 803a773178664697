#!/usr/bin/env bash
# The GPU's tiles of float32 and TF32 without a GPU: g++ compiles the kernels' own text for an emulated one
# (emulated_gpu.cuh), in which instructions that a CPU has not are functions. A ring that waits for one slab too
# few must be found.
set -euo pipefail
source=$GRACO_SOURCE/src/compute/cuda
here=$GRACO_SOURCE/tests/compute
command -v g++ >/dev/null || { echo "skipped: g++, which compiles the kernels, is not installed"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/compute/cuda"

echo "#include \"$here/emulated_gpu.cuh\"" >"$folder/compute/cuda/cuda_device.cuh"
cat >"$folder/cuda_fp16.h" <<'END'
struct __half { unsigned short x; };
struct __half2 { unsigned short x, y; };
static inline __half2 __floats2half2_rn(float, float) { return {0, 0}; }
END
sed -e 's/asm("ex2\.approx.*/e = exp2f(fmaf(x, scale, -scale));/' \
    -e 's/asm("cvt\.rna\.tf32.*/rounded = __float_as_uint(emulated_tf32(x));/' \
    "$source/cuda_tiles.cuh" >"$folder/compute/cuda/cuda_tiles.cuh"
# Without the instructions and the launches.
sed -e '/^\/\* ---- Copies and instructions/,/^\/\* ---- Who has what/d' -e '/^\/\* ---- Launching/,$d' \
    -e 's/extern __shared__ __align__(128) char plain\[\]/char *plain = shared_memory/' \
    -e 's/copies_wait()/copies_wait_but(STAGES - 2)/' \
    "$source/cuda_float_tiles.cu" >"$folder/float_tiles_text.cuh"
# Kernels before and after the sweeps.
awk '/__global__ static void (make_floats|pad_inverse|add_shares)\(/ { on = 1; if (last ~ /^template/) print last }
     on { print }
     /^}/ { on = 0 }
     { last = $0 }' "$source/cuda_tiles.cu" >"$folder/tiles_text.cuh"

build() {
    g++ -std=c++17 -O2 -w -x c++ -I"$folder" -I"$GRACO_SOURCE/src" -I"$GRACO_SOURCE/include" \
        "$here/emulate_tiles.cu" -o "$1"
}
build "$folder/right"
"$folder/right"
sed -i 's/copies_wait_but(STAGES - 2)/copies_wait_but(STAGES - 1)/' "$folder/float_tiles_text.cuh"
build "$folder/hasty"
if "$folder/hasty" first >"$folder/out"; then
    echo "a ring that waits for too little passed"
    exit 1
fi
echo "a ring that waits for too little is found"
