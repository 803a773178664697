#!/usr/bin/env bash
# The protections of the build, looked for in what was built: readelf tells whether the compiler and
# the linker did what they were asked.
set -euo pipefail

build=$1
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
command -v readelf >/dev/null || { echo "skipped: readelf is not installed"; exit 77; }
[ "$(cached GRACO_HARDEN)" = ON ] || { echo "skipped: built with GRACO_HARDEN=OFF"; exit 77; }

failures=0
checks=0
# has WHAT PATTERN TEXT, lacks WHAT PATTERN TEXT
has() {
    checks=$((checks + 1))
    grep -qE -- "$2" <<<"$3" || { echo "$1: missing: $2"; failures=$((failures + 1)); }
}
lacks() {
    checks=$((checks + 1))
    ! grep -qE -- "$2" <<<"$3" || { echo "$1: found: $2"; failures=$((failures + 1)); }
}

for file in graco libgraco.so; do
    headers=$(readelf -hlW "$build/$file")
    dynamic=$(readelf -dW "$build/$file")
    symbols=$(readelf -sW --dyn-syms "$build/$file")
    has "$file" '^ *Type: *DYN' "$headers"
    has "$file" 'GNU_RELRO' "$headers"
    has "$file" '\(FLAGS(_1)?\).*(BIND_NOW|NOW)' "$dynamic"
    has "$file" 'GNU_STACK.* RW ' "$headers"
    lacks "$file" 'GNU_STACK.* RWE ' "$headers"
    lacks "$file" 'LOAD.* RWE ' "$headers"
    lacks "$file" '\(TEXTREL\)' "$dynamic"
    has "$file" '__stack_chk_fail' "$symbols"
    if [ -z "$(cached GRACO_SANITIZE)" ] && [ "$(cached CMAKE_BUILD_TYPE)" != Debug ]; then
        has "$file" '__(memcpy|snprintf|vsnprintf|fprintf)_chk' "$symbols"
    fi
done
has graco 'FLAGS_1.*PIE' "$(readelf -dW "$build/graco")"
if [ "$(uname -m)" = x86_64 ] && [ "$(cached HAS_fcf_protection)" = 1 ]; then
    object=$(find "$build/CMakeFiles/graco_objects.dir" -name 'status.c.o' | head -1)
    has status.c.o 'IBT.*SHSTK' "$(readelf -nW "$object")"
fi

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
