#!/usr/bin/env bash
# Runs again, with every failed allocation: test_runs.sh beside this file.
LONG=1 exec bash "$(dirname "$0")/test_runs.sh" "$1"
