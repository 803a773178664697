#!/usr/bin/env bash
# Every command but downloads under faults: of the ways to fail, each command meets two or three, once. Different
# commands meet different ones. test_commands_long.sh tries them all, at every call.
set -euo pipefail
# Under the address sanitizer the library comes before the sanitizer's own; it counts leaks itself.
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:allocator_may_return_null=1
exec "$1/tests/command_faults" "$1/graco" "$1/tests/inject.so" "${2:-1/16}"
