#!/usr/bin/env bash
# The blocks of the documents again, with those that take minutes: test_blocks.sh beside this file.
set -euo pipefail
exec env GRACO_BLOCKS_TRIED=1 bash "$(dirname "$0")/test_blocks.sh" "$1" long
