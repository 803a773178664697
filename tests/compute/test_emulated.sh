#!/usr/bin/env bash
# GPU kernels without a GPU, small cases (tests/compute/emulated.sh); test_emulated_long.sh has all.
set -euo pipefail
bash "$(dirname "$0")/emulated.sh" few
