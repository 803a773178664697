#!/usr/bin/env bash
# The dialect of src/ and cli/: dialect.py beside this file has the rules. First it must find what is
# wrong with a small tree that breaks every one of them, then nothing in ours.
set -euo pipefail

command -v python3 >/dev/null || { echo "skipped: python3, which reads the source, is not installed"; exit 77; }
rules=$GRACO_SOURCE/tests/style/dialect.py
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
mkdir -p "$wrong"/src/{bad,full} "$wrong"/cli

# body NAME TYPE: a function of thirteen lines that say something.
body() {
    echo "static $2 $1($2 *$1_x, int n)"
    echo "{"
    echo "    $2 $1_sum = 0; /* not the same comment: $1 */"
    for step in 1 2 3 4 5 6 7 8 9 10; do echo "    $1_sum += $step$step * $1_x[n % $step];"; done
    echo "    return $1_sum;"
    echo "}"
}
{
    echo '#include "bad/bad.h"'
    echo 'struct shared { graco_status status; };'
    echo 'static const char *quoted = "spoiled NULL == sizeof(x)"; /* == NULL */'
    echo 'extern void theirs(int a, int b, int c, int d, int e, int f, int g, int h);'
    echo 'void seven(int a, int b, int c, int d, int e, int f, void (*g)(int, int));'
    body first float
    body second double
    printf '// line %d\n' {1..20}
} >"$wrong/src/bad/bad.c"
{
    echo 'struct shared { void (*many)(int a, int b, int c, int d, int e, int f, int g, int h); };'
    echo 'template <int V, int N> __global__ void __launch_bounds__(V) eight(pack<V, N> (&sum)[2][N], int b, int c,'
    echo '                                                     int d, int e, int f, int g, int h)'
    echo '{'
    echo '    graco_status status, other;'
    echo '    if (b == NULL && sizeof(float) + sizeof(struct shared) > sizeof(b) + sizeof(*b->c))'
    echo '        status = struct pool;'
    echo '}'
} >"$wrong/src/bad/bad.cuh"
for name in a b c d e f g h i j k; do echo "int $name;" >"$wrong/src/full/$name.c"; done
echo 'Names `a.c`, `z.c`, b.c, c.c, d.c, e.c, f.c, g.c, h.c, i.*, j.c and not k.cu' >"$wrong/src/full/README.md"

expected="src/bad/bad.cuh:6: sizeof(b): write sizeof b
src/bad/bad.cuh:6: sizeof(*b->c): write sizeof *b->c
src/bad/bad.cuh:6: a comparison with NULL: write p or !p
src/bad/bad.cuh:5: a graco_status that is not initialised
src/bad/bad.cuh:1: many has 8 parameters
src/bad/bad.cuh:2: eight has 8 parameters
src/bad/bad.c:2: struct shared is another one in src/bad/bad.cuh
src/bad/bad.c:1: opens without a comment that says its idea
src/bad:0: 2 source files and no README.md
src/full/README.md:1: does not begin with the folder's name and its job
src/full/README.md:0: does not name k.c
src/full/README.md:0: names z.c, which is not there
src/bad/bad.c:3: 'spoiled' is retired: not_finite
src/bad/bad.cuh:7: 'struct pool' is retired: the context's cache, struct buffer_cache
src/bad/bad.c:6: lines 6 to 19 stand again at src/bad/bad.c:21 to 34
13 files, 15 violations"
found=$(cd "$wrong" && python3 "$rules") && { echo "a tree that breaks every rule passed"; exit 1; }
diff <(echo "$expected") <(echo "$found") || { echo "the rules find something else than they should"; exit 1; }

cd "$GRACO_SOURCE"
python3 "$rules"
