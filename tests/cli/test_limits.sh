#!/usr/bin/env bash
# The command where addresses are limited (ulimit -v): what is not needed is not loaded, so that it
# starts and trains in 250 MB. An evaluation, which needs BLAS, says that there is no room.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if ! (ulimit -v 250000 && exec true) 2>/dev/null; then
    echo "skipped: the limit of addresses cannot be set here"
    exit 77
fi
if grep -q __asan_init "$graco"; then
    echo "skipped: a sanitizer reserves more addresses than the limit"
    exit 77
fi

# limited CODE ARGUMENT...: graco under the limit must exit so, within five minutes.
limited() {
    local code=$1 found=0
    shift
    (ulimit -v 250000 && exec timeout 300 "$graco" "$@" >out 2>err </dev/null) || found=$?
    holds "graco $*: exit code $found, expected $code: $(cat err)" [ "$found" -eq "$code" ]
}

limited 0 --version
holds "a version" grep -q '^graco [0-9]' out
limited 0 generate graph.npz --nodes 60 --classes 3 --features 8
limited 0 info graph.npz
limited 0 train graph.npz -o run --epochs 2 --set hidden=4 --threads 1 -q
holds "embeddings are there" [ -s run/embeddings.npy ]
limited 1 eval run graph.npz --splits 2 --threads 1
holds "one line: $(cat err)" [ "$(wc -l <err)" -eq 1 ]
holds "the reason: $(cat err)" grep -q 'no room for BLAS, which an evaluation needs: out of memory' err
holds "without the limit it works" "$graco" eval run graph.npz --splits 2 --threads 1
checked
