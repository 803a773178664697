#!/usr/bin/env bash
# Everything of test_rows_mpi.sh: minutes, and 3 GB of disk.
set -euo pipefail
exec bash "$(dirname "$0")/test_rows_mpi.sh" "$1" all
