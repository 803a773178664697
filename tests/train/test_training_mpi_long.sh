#!/usr/bin/env bash
# Trainings of Cora over ranks against one process, as test_training_mpi.sh does it with a small graph.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
[ -e "${GRACO_DATA:-none}/cora" ] || { echo "skipped: no cora under \$GRACO_DATA"; exit 77; }
alike cora
checked
