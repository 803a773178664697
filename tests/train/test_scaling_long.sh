#!/usr/bin/env bash
# The axes of test_scaling.c with data four times as large.
set -euo pipefail
exec "$1/tests/train_test_scaling" 4
