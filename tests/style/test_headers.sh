#!/usr/bin/env bash
# The three public headers: graco.h stays small enough to read in ten minutes, its example is the program that
# the tests run, each header compiles alone as C and as C++, the tiers stand upon each other, a file includes
# the smallest tier that it needs, and together they declare what the shared library exports.
set -euo pipefail
cd "$GRACO_SOURCE/include"
build=$1
most=35
tiers=(graco.h graco_more.h graco_command.h)
failures=0

fail() {
    echo "$1"
    failures=$((failures + 1))
}

# functions HEADER...: their names, of which those of callbacks end with _fn.
functions() {
    sed -n 's/^[a-z].*[ *]\(graco_[a-z_]*\)(.*/\1/p' "$@" | grep -v '_fn$' | sort
}

count=$(functions graco.h | wc -l)
[ "$count" -le "$most" ] || fail "graco.h declares $count functions: expected at most $most"
diff ../examples/embed_graph.c <(sed -n '/^ \*     /,/^ \* Conventions/p' graco.h | sed '$d' | sed '$d' |
    sed 's/^ \*\(     \)\?//') || fail "the example of graco.h is not examples/embed_graph.c"

languages=(c)
if "${CC:-cc}" -fsyntax-only -x c++ /dev/null 2>/dev/null; then
    languages+=(c++)
else
    echo "left out: the headers as C++ (no C++ compiler)"
fi
for header in "${tiers[@]}"; do
    for language in "${languages[@]}"; do
        "${CC:-cc}" -fsyntax-only -Wall -Wextra -Werror -I. -include "$header" -x "$language" /dev/null ||
            fail "$header does not compile alone as $language"
    done
done
while read -r include; do
    case $include in
    'graco_more.h:#include "graco.h"' | 'graco_command.h:#include "graco_more.h"') ;;
    *) fail "$include: expected the tier below alone" ;;
    esac
done < <(grep -H '#include "' -- *.h)

# names HEADER...: the words of the interface in them, comments apart.
names() {
    awk 'BEGIN { RS = "/[*]" } { sub(/^.*[*]\//, ""); print }' "$@" |
        grep -owE '(graco|GRACO)_[A-Za-z][A-Za-z0-9_]*' | sort -u
}
declare -A words
words[graco_more.h]=$(comm -23 <(names graco_more.h) <(names graco.h) | paste -sd '|')
words[graco_command.h]=$(comm -23 <(names graco_command.h) <(names graco.h graco_more.h) | paste -sd '|')
for tier in graco_more.h graco_command.h; do
    while read -r file; do
        names "../$file" | grep -qxE "${words[$tier]}" ||
            fail "$file includes $tier and uses nothing of it: include the tier below"
    done < <(cd .. && grep -rlE "#include [\"<]$tier" --include='*.[ch]' --include='*.c[up]*' src cli paper examples bench tests |
        grep -v '^tests/check\.h$')
done

if [ -e "$build/libgraco.so" ]; then
    exported=$(nm -D --defined-only "$build/libgraco.so" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort)
    diff <(functions "${tiers[@]}") <(echo "$exported") || fail "declared (<) and exported (>) differ"
fi
for header in "${tiers[@]}"; do
    printf '%s: %d functions\n' "$header" "$(functions "$header" | wc -l)"
done
[ "$failures" -eq 0 ]
