#!/usr/bin/env bash
# Evaluation with every CBLAS of this machine, and with those of $GRACO_TEST_BLAS (paths with colons
# between them): the same scores to 1e-6, products of several threads at once as exact as one alone, and
# no thread of the library's own. What is no CBLAS is refused in one line.
set -euo pipefail

build=$1 graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset GRACO_BLAS

"$graco" generate graph.npz --nodes 300 --classes 4 --features 40 2>/dev/null
"$graco" train graph.npz -o run --epochs 20 --set hidden=16 --threads 1 --device cpu -q
# numbers FILE: those of what an evaluation printed as JSON, but for its seconds.
numbers() { sed 's/"[a-z_]*seconds": *[^,}]*//g' "$1" | grep -oE -- '-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?'; }
evaluate() { "$graco" eval run graph.npz --splits 4 --threads 2 --device cpu --json; }
evaluate >default.json
numbers default.json >default

libraries=()
for pattern in openblas-*/libopenblas.so.0 blis-*/libblis.so.4 atlas/libblas.so.3 blas/libblas.so.3; do
    for path in /usr/lib/*/$pattern; do
        [ ! -e "$path" ] || libraries+=("$path")
    done
done
IFS=: read -ra more <<<"${GRACO_TEST_BLAS-}"
tried=0
for path in "${libraries[@]}" "${more[@]}"; do
    export GRACO_BLAS=$path
    if ! evaluate >other.json 2>err; then
        if grep -q 'no dsyevd_' err; then
            echo "left out: $path (there is no LAPACK beside it)"
        else
            fail "an evaluation with $path: $(cat err)"
        fi
        continue
    fi
    tried=$((tried + 1))
    numbers other.json >other
    holds "$path: the scores differ by more than 1e-6: $(paste default other | tr '\n' ' ')" \
        awk 'NR == FNR { a[FNR] = $1; n = FNR; next }
             { d = a[FNR] - $1; if (d < -1e-6 || d > 1e-6) exit 1 } END { if (FNR != n) exit 1 }' default other
    # Threads that the environment asks for are not started either.
    holds "$path: products at once" env OMP_NUM_THREADS=4 BLIS_NUM_THREADS=4 \
        "$build/tests/eval_test_blas" 100
    holds "$path: products beside another OpenMP" env ASAN_OPTIONS=verify_asan_link_order=0 \
        timeout 600 \
        env LD_PRELOAD="$build/tests/libother_openmp.so" "$build/tests/eval_test_blas" 1
done
holds "a CBLAS was tried" [ $tried -ge 1 ]
[ $tried -ge 2 ] || echo "left out: a second CBLAS (none but OpenBLAS is installed)"

# refused LIST PART: an evaluation says PART in one line.
refused() {
    export GRACO_BLAS=$1
    exits 1 "$2" eval run graph.npz --splits 2 --threads 1 --device cpu
    holds "GRACO_BLAS=$1: one line" [ "$(wc -l <err)" -eq 1 ]
}
refused /nowhere/libblas.so "cannot open shared object file"
refused libm.so.6 "libm.so.6 has no cblas_dgemm"
refused nowhere.so:libm.so.6: "nowhere.so:libm.so.6"
export GRACO_BLAS=nowhere.so:${libraries[0]-}
[ ${#libraries[@]} -eq 0 ] || holds "the second of a list" evaluate
checked
