#!/usr/bin/env bash
# timed.sh NAME COMMAND...: runs a test. Where $GRACO_TIMES names a file, adds a line to it: the processor seconds,
# user and system, of the test and of every process that it waited for, and its name.
name=$1
shift
[ -n "${GRACO_TIMES-}" ] || exec "$@"
TIMEFORMAT="%U %S $name"
{ time "$@" 2>&3; } 3>&2 2>>"$GRACO_TIMES"
