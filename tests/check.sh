# What shell tests share, as check.h is for C; to be sourced. A test ends with `checked`.
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() {
    echo "does not hold: $1"
    failed=$((failed + 1))
}
# holds TEXT COMMAND...: the command must succeed.
holds() {
    local text=$1
    shift
    if "$@" >/dev/null 2>&1; then pass; else fail "$text"; fi
}
same() { holds "$1 and $2 are the same bytes" cmp "$1" "$2"; }
checked() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
