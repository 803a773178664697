#!/usr/bin/env bash
# Two hundred trainings killed with -9 at random moments. Minutes.
set -euo pipefail
exec bash "$(dirname "$0")/test_kills.sh" "$1" 200
