#!/usr/bin/env bash
# The blocks of all documents again, with those that take minutes: test_blocks.sh beside this file.
set -euo pipefail
mapfile -t documents < <(cd "$GRACO_SOURCE" && ls README.md docs/*.md docs/graco.1)
LONG=long GRACO_BLOCKS_TRIED=1 exec bash "$(dirname "$0")/test_blocks.sh" "$1" "${documents[@]}"
