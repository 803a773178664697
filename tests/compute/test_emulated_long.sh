#!/usr/bin/env bash
# GPU kernels without a GPU, every case, and changes of the kernels that must be found (tests/compute/emulated.sh).
set -euo pipefail
bash "$(dirname "$0")/emulated.sh" all
