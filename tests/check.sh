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
# exits CODE PART ARGUMENT...: $graco must exit so; PART must be in what it says, on stdout or stderr.
# A test whose rule is stricter has its own.
exits() {
    local code=$1 part=$2 found=0
    shift 2
    "$graco" "$@" >out 2>err || found=$?
    holds "graco $*: exit code $found, expected $code: $(cat err)" [ "$found" -eq "$code" ]
    [ -z "$part" ] || holds "graco $*: '$part' in: $(cat out err)" grep -qF -- "$part" out err
}
checked() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
