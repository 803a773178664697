#!/usr/bin/env bash
# Every command under every fault: the nth call of each kind fails, for every n. Minutes.
set -euo pipefail
exec bash "$(dirname "$0")/test_commands.sh" "$1" 0
