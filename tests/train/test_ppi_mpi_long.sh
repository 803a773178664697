#!/usr/bin/env bash
# PPI, 20 graphs to train on, over 1 to 4 ranks against one process: the losses of 20 epochs, and scores that agree.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
[ -e "${GRACO_DATA:-none}/ppi" ] || { echo "skipped: \$GRACO_DATA has no ppi"; exit 77; }
as_alone ppi --preset ppi --set hidden=32
score_alike one over-4 ppi
checked
