#!/usr/bin/env bash
# run.sh BUILD FILE [TEST...]: one of the tests of the Python package, with this build's library, by a
# python3 that has numpy: that of $GRACO_PYTHON, of the path, or the system's.
set -euo pipefail
build=$1
shift
skip() {
    echo "skipped: $1"
    exit 77
}

if grep -q '^GRACO_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
    skip "a library with sanitizers cannot be loaded into python3"
fi
for python in "${GRACO_PYTHON-}" python3 /usr/bin/python3; do
    [ -n "$python" ] || continue
    if "$python" -c 'import numpy' 2>/dev/null; then
        export GRACO_LIBRARY=$build/libgraco.so GRACO_COMMAND=$build/graco
        export PYTHONPATH=$GRACO_SOURCE/python:$GRACO_SOURCE/tests/python PYTHONDONTWRITEBYTECODE=1
        exec "$python" "$@"
    fi
done
skip "no python3 with numpy"
