#!/usr/bin/env bash
# The architecture, checked in C and CUDA: a folder of src/ includes itself and earlier ones, the
# command and the examples know the public header only, and the command's part paper/ the command and how
# pages are drawn, headers have guards of their own and compile
# alone, files fit one sitting, and their names are unique.
set -euo pipefail
cd "$GRACO_SOURCE"

layers=(base comm io sparse compute tape graph data config layers methods eval run train report tune)
failures=0

fail() {
    echo "$1"
    failures=$((failures + 1))
}

# sources FOLDER...: its C and CUDA files.
sources() {
    find "$@" \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | sort
}

declare -A rank
for i in "${!layers[@]}"; do rank[${layers[$i]}]=$i; done

# quoted_includes FOLDER...: "FILE NAME" for each #include "NAME" of its files.
quoted_includes() {
    sources "$@" | xargs grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*"' |
        sed -E 's/:[^"]*"([^"]*)"$/ \1/'
}

is_public() {
    [ -f "include/$1" ]
}

# check_library_file FILE NAME: a file of src/ that includes NAME.
check_library_file() {
    local file=$1 name=$2 own included=${2%%/*}
    own=${file#src/} own=${own%%/*}
    if [ -z "${rank[$own]-}" ]; then
        fail "$file: folder '$own' is not one of: ${layers[*]}"
    elif is_public "$name"; then
        return
    elif [ "$included" = "$name" ] || [ -z "${rank[$included]-}" ]; then
        fail "$file: includes \"$name\"; expected \"folder/file.h\" of src/ or \"graco.h\""
    elif [ "${rank[$included]}" -gt "${rank[$own]}" ]; then
        fail "$file: includes \"$name\", which is above $own/ in: ${layers[*]}"
    elif [ ! -f "src/$name" ]; then
        fail "$file: includes \"$name\", which is not in src/"
    fi
}

# What the command includes of src/: texts, which know nothing of graphs; paper/: JSON, tables, pictures and pages too.
texts='^base/(number|text|utf8|words|writer)\.h$'
drawing='^(base/(memory|number|status|text|utf8|words|writer)|io/files/(file|lock)|io/json/json|report/(band|document|page|plot|score_table|scores|sheet|statistics|svg))\.h$'

# check_outer_file FILE NAME PATTERN: a user of the library, which includes its own folder's headers, public ones and
# those of src/ that match the pattern; the command's part paper/ the command's too.
check_outer_file() {
    local file=$1 name=$2 allowed=$3
    is_public "$name" || [ -f "${file%/*}/$name" ] || [[ $name =~ $allowed ]] ||
        { [[ $file == paper/* && $name == cli/* ]] && [ -f "$name" ]; } ||
        fail "$file: includes \"$name\"; expected a public header, one beside it or one of $allowed"
}

while read -r file name; do check_library_file "$file" "$name"; done < <(quoted_includes src)
while read -r file name; do check_outer_file "$file" "$name" "$texts"; done < <(quoted_includes cli)
while read -r file name; do check_outer_file "$file" "$name" "$drawing"; done < <(quoted_includes paper)
while read -r file name; do check_outer_file "$file" "$name" '^$'; done < <(quoted_includes examples include)

# Numbers as text follow the host program's locale anywhere else.
while read -r line; do
    fail "$line: real numbers are read by number_parse of base/number.h"
done < <(grep -rnE '\b(strto(d|f|ld)|atof|sscanf|vsnprintf)\(' src --include='*.c' --include='*.cu' |
    grep -v '^src/base/number\.c:' || true)
while read -r line; do
    fail "$line: real numbers are printed by number_print of base/number.h"
done < <(grep -rnE '\b(snprintf|fprintf|printf)\(.*%[-+ #0-9.*]*[aefgAEFG]\b' src --include='*.c' \
    --include='*.cu' | grep -v '^src/base/number\.c:' || true)

# A header is read once: `#pragma once`, or a guard that no other header has.
declare -A guards
while read -r header guard; do
    [ "$guard" != once ] || continue
    if [ "$guard" = none ]; then
        fail "$header: opens without a guard"
    elif [ -n "${guards[$guard]-}" ]; then
        fail "$header: has the guard of ${guards[$guard]}"
    else
        guards[$guard]=$header
    fi
done < <(sources include src cli paper tests | grep -E '\.(h|cuh)$' | xargs awk '
    FNR == 1 { n = 0 }
    /^#/ && n < 2 { word[++n] = $1; name[n] = $2 }
    /^#/ && n == 1 && $1 == "#pragma" && $2 == "once" { print FILENAME, "once"; n = 3 }
    /^#/ && n == 2 {
        print FILENAME, word[1] == "#ifndef" && word[2] == "#define" && name[1] == name[2] ? name[1] : "none"
        n = 3
    }')

# What a source file includes first compiles alone, or that file would not.
declare -A first
while read -r name; do
    first[$name]=1 first[src/$name]=1
done < <(find src cli paper -name '*.c' | xargs awk '
    FNR == 1 { seen = 0 }
    /^#include "/ && !seen { seen = 1; gsub(/"/, "", $2); folder = FILENAME; sub(/[^\/]*$/, "", folder)
        print $2; print folder $2 }')
cc=${CC:-cc}
read -ra flags < <(pkg-config --cflags libzip zlib)
headers=0
while read -r header; do
    headers=$((headers + 1))
    [ -z "${first[$header]-}" ] || continue
    "$cc" -std=c17 -D_XOPEN_SOURCE=700 -fopenmp -fsyntax-only -Iinclude -Isrc -Itests -I. \
        "${flags[@]}" -include "$header" -x c /dev/null || fail "$header: does not compile alone"
done < <(find include src cli paper tests -name '*.h' | sort)

long=$({ sources src cli paper include examples tests; find src tests -name '*.js' -o -name '*.[ch]pp'; } | xargs wc -l |
    awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines, expected at most 600" }')
[ -z "$long" ] || fail "$long"

repeated=$(find include src cli paper tests examples scripts docs -type f ! -name CMakeLists.txt \
    ! -name README.md ! -name '*.pyc' 2>/dev/null | sed 's|.*/||' | sort | uniq -d)
[ -z "$repeated" ] || fail "file names that occur twice: $repeated"

echo "$headers headers, $failures failures"
[ "$failures" -eq 0 ]
