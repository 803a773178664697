#!/usr/bin/env bash
# 200,000 nodes over 1 to 4 ranks that read them by rows, against one process: the losses of 20 epochs, and
# scores that agree.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
"$graco" generate large --nodes 200000 --features 100 2>/dev/null
as_alone large --objective moment --set hidden=32
score_alike one over-4 large --splits 1
checked
