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
# await PROCESS TEXT COMMAND...: looks until the command succeeds, however slow the machine is. The test fails with TEXT
# where the process ends before, or after ten minutes.
await() {
    local process=$1 text=$2 end=$((SECONDS + 600))
    shift 2
    until "$@" >/dev/null 2>&1; do
        if ! kill -0 "$process" 2>/dev/null || [ "$SECONDS" -ge "$end" ]; then
            "$@" >/dev/null 2>&1 || fail "$text"
            return 0
        fi
        sleep 0.02
    done
}
# has_lines FILE N: the file has so many lines, or more.
has_lines() { [ "$(cat "$1" 2>/dev/null | wc -l)" -ge "$2" ]; }
# Epochs of a training that a signal ends: on no machine is it over before.
endless=100000000
checked() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
