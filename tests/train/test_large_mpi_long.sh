#!/usr/bin/env bash
# 200,000 nodes over 1 to 4 ranks that read them by rows, against one process: the losses of 20 epochs, and
# scores that agree.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
build=$1 graco=$1/graco
needs_ranks "$build/graco-mpi"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
RANKS_SECONDS=900
"$graco" generate large --nodes 200000 --features 100 2>/dev/null
options=(--objective moment --set hidden=32 --epochs 20)
alone one large "${options[@]}"
for count in 1 2 3 4; do
    over $count large-$count large "${options[@]}"
    agree one large-$count 20
done
score_alike one large-4 large --splits 1
same one/embeddings.npy large-1/embeddings.npy
checked
