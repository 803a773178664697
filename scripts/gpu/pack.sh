#!/usr/bin/env bash
# Packs builds, the libraries that they load, and data sets for a machine that has a GPU and neither a network nor graco's
# packages: scripts/gpu/pack.sh PACK.tar.xz BUILD...      data sets from $GRACO_DATA, DATA="cora pubmed" for a few
# There: tar -xf PACK.tar.xz && . pack/environment && scripts/gpu/tune.sh pack/BUILD
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: $0 PACK.tar.xz BUILD..." >&2; exit 2; }
out=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pack=$work/pack
mkdir -p "$pack/lib" "$pack/data"
for build; do
    name=$(basename "$(realpath "$build")")
    mkdir -p "$pack/$name/tests"
    for program in graco graco-mpi bench_cuda bench_kernels bench_objective; do
        [ ! -e "$build/$program" ] || install -s "$build/$program" "$pack/$name/"
    done
    for program in "$build"/tests/{compute_test_*,train_test_{golden,devices},graph_test_views}; do
        [ ! -x "$program" ] || install -s "$program" "$pack/$name/tests/"
    done
done

# glibc is the machine's own; what is loaded by name at run time is not seen by ldd.
loaded() {
    find "$pack" -type f -perm -u+x -exec ldd {} + 2>/dev/null | awk '$3 ~ /^\// { print $3 }'
    ldconfig -p | awk '$1 ~ /^lib(openblas|gfortran|quadmath|gomp)\.so\.[0-9]+$/ { print $NF }'
}
if command -v mpirun >/dev/null; then
    # Open MPI looks for its parts where it was installed; `environment` says where they are. That machine may have
    # parts of another one, which must not be mixed with these.
    mkdir -p "$pack/root"
    mpi=()
    for path in /usr/lib/*/openmpi/lib /usr/lib/*/pmix2 /usr/share/openmpi /usr/share/pmix /usr/bin/orted; do
        [ ! -e "$path" ] || mpi+=("$path")
    done
    tar -C / -c "${mpi[@]#/}" | tar -C "$pack/root" -x
    cp -L /usr/bin/mpirun "$pack/root/usr/bin/"
    find "$pack/root" \( -name '*.a' -o -name '*.mod' \) -delete
    find "$pack/root" -name '*.so' -type f -exec ldd {} + 2>/dev/null | awk '$3 ~ /^\// { print $3 }' >"$work/mpi"
    cp -L "$(ldconfig -p | awk '$1 == "libpmix.so.2" { print $NF; exit }')" "$pack/lib/" 2>/dev/null || true
fi
{
    loaded
    cat "$work/mpi" 2>/dev/null || true
} | sort -u | grep -Ev '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so' | while read -r library; do
    case $library in
    */libcuda.so* | */libcublas*) continue ;; # of the machine with the GPU
    esac
    cp -L "$library" "$pack/lib/"
done
for data in ${DATA:-$(ls "${GRACO_DATA:?}")}; do
    cp -r "${GRACO_DATA:?}/$data" "$pack/data/"
done
cat >"$pack/environment" <<'END'
pack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LD_LIBRARY_PATH=$pack/lib:/usr/local/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} GRACO_DATA=$pack/data
if [ -d "$pack/root" ]; then
    libraries=$(echo "$pack"/root/usr/lib/*)
    export PATH=$pack/root/usr/bin:$PATH OPAL_PREFIX=$pack/root/usr OPAL_LIBDIR=$libraries/openmpi/lib
    export OMPI_MCA_mca_base_component_path=$libraries/openmpi/lib/openmpi3
    export PMIX_MCA_mca_base_component_path=$libraries/pmix2/lib/pmix
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=sh # no ssh on one machine
fi
END
tar -C "$work" -c pack | xz -T0 --lzma2=preset=6,dict=128MiB >"$out"
echo "$(du -h "$out" | cut -f 1) in $out"
