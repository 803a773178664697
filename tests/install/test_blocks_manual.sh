#!/usr/bin/env bash
# The blocks of the manual page: test_blocks.sh beside this file.
GRACO_BLOCKS_TRIED=1 exec bash "$(dirname "$0")/test_blocks.sh" "$1" docs/graco.1
