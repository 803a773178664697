#!/usr/bin/env bash
# The blocks of docs/*.md: test_blocks.sh beside this file.
set -euo pipefail
mapfile -t documents < <(cd "$GRACO_SOURCE" && ls docs/*.md)
GRACO_BLOCKS_TRIED=1 exec bash "$(dirname "$0")/test_blocks.sh" "$1" "${documents[@]}"
