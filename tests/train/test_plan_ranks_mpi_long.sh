#!/usr/bin/env bash
# Plans of ranks again, every training by every number of ranks: test_plan_ranks_mpi.sh beside this file.
LONG=long exec bash "$(dirname "$0")/test_plan_ranks_mpi.sh" "$1"
