#!/usr/bin/env bash
# Everything of test_reproduce.sh, every item at once.
set -euo pipefail
exec bash "$(dirname "$0")/test_reproduce.sh" "$1" all
