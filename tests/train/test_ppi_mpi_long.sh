#!/usr/bin/env bash
# PPI, 20 graphs to train on, over 1 to 4 ranks against one process: the losses of 20 epochs, and scores that agree.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
build=$1 graco=$1/graco
needs_ranks "$build/graco-mpi"
[ -e "${GRACO_DATA:-none}/ppi" ] || { echo "skipped: \$GRACO_DATA has no ppi"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
RANKS_SECONDS=900
options=(--preset ppi --set hidden=32 --epochs 20)
alone one ppi "${options[@]}"
for count in 1 2 3 4; do
    over $count ppi-$count ppi "${options[@]}"
    agree one ppi-$count 20
done
score_alike one ppi-4 ppi
same one/embeddings.npy ppi-1/embeddings.npy
checked
