#!/usr/bin/env bash
# Installs into a temporary prefix; a small program must compile against what is there, with the
# shared and with the static library, through pkg-config and through CMake, and run; only the public names
# are exported.
set -euo pipefail

build=$1
prefix=$(mktemp -d)
trap 'rm -rf "${prefix%.moved}" "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" >/dev/null

fail() {
    echo "$1"
    exit 1
}

library=$(find "$prefix" -name 'libgraco.so' | head -1)
folder=$(dirname "$library")
for file in "$prefix/bin/graco" "$prefix/include/graco.h" "$prefix/include/graco_more.h" "$folder/libgraco.a" "$folder/libgraco.so" \
    "$folder/pkgconfig/graco.pc" "$prefix/share/man/man1/graco.1" \
    "$prefix/share/bash-completion/completions/graco" "$prefix/share/zsh/site-functions/_graco" \
    "$prefix/share/fish/vendor_completions.d/graco.fish"; do
    [ -s "$file" ] || fail "not installed: ${file#"$prefix"/}"
done

exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort)
[ -n "$exported" ] || fail "the shared library exports nothing"
private=$(grep -v '^graco_' <<<"$exported" || true)
[ -z "$private" ] || fail "exported, but not public: $private"
[ ! -e "$prefix/include/graco_command.h" ] || fail "graco_command.h is installed, which promises nothing"
objdump -p "$library" | grep -q 'SONAME *libgraco.so.[0-9]' || fail "the SONAME has no version"

cat >"$prefix/user.c" <<'END'
#include <graco_more.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = NULL;

    options.nodes = 100;
    if (strcmp(graco_version(), GRACO_VERSION) != 0 ||
        graco_dataset_generate(&data, &options) != GRACO_OK) {
        fprintf(stderr, "%s\n", graco_message());
        return 1;
    }
    graco_dataset_info info = graco_dataset_describe(data);
    printf("%d nodes\n", (int)info.nodes);
    graco_dataset_free(data);
    return info.nodes == 100 ? 0 : 1;
}
END
export PKG_CONFIG_PATH="$folder/pkgconfig"
# The file finds its prefix from its own place, and programs find the library without LD_LIBRARY_PATH.
config() { pkg-config "$@" graco; }
read -ra flags < <(config --cflags)
read -ra shared < <(config --libs)
read -ra static < <(config --static --libs | sed 's/-lgraco//')
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
"$compiler" -std=c17 -Wall -Werror "${flags[@]}" "$prefix/user.c" -o "$prefix/user" "${shared[@]}"
"$prefix/user"
"$compiler" -std=c17 -Wall -Werror "${flags[@]}" "$prefix/user.c" -o "$prefix/user-static" \
    "$folder/libgraco.a" "${static[@]}"
"$prefix/user-static"

# The same program as a project of CMake, in a prefix that was moved.
mkdir "$prefix/project" && mv "$prefix/user.c" "$prefix/project/user.c"
cat >"$prefix/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(graco 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user graco::graco)
END
mv "$prefix" "$prefix.moved"
folder=${folder/#"$prefix"/"$prefix.moved"} prefix=$prefix.moved
export PKG_CONFIG_PATH="$folder/pkgconfig"
cmake -S "$prefix/project" -B "$prefix/project/build" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_C_FLAGS="-Wall -Werror" -DCMAKE_PREFIX_PATH="$prefix" >"$prefix/log" || fail "$(cat "$prefix/log")"
cmake --build "$prefix/project/build" >"$prefix/log" 2>&1 || fail "$(cat "$prefix/log")"
"$prefix/project/build/user"
sed -i 's/graco 0.1/graco 0.99/' "$prefix/project/CMakeLists.txt"
! cmake -S "$prefix/project" -B "$prefix/project/other" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1 ||
    fail "find_package(graco 0.99) is satisfied"

[ "$("$prefix/bin/graco" --version)" = "graco $(config --modversion)" ] ||
    fail "the command and graco.pc disagree on the version"
[ "$("$prefix/bin/graco" --version)" = "$(sed -n 's/^#define GRACO_VERSION "\(.*\)"/graco \1/p' \
    "$prefix/include/graco.h")" ] || fail "the command and graco.h disagree on the version"

if command -v man >/dev/null && [ -n "$(command -v groff)" ]; then
    warnings=$(LC_ALL=C.UTF-8 man --warnings -l "$prefix/share/man/man1/graco.1" 2>&1 >/dev/null)
    [ -z "$warnings" ] || fail "the manual page: $warnings"
else
    echo "left out: the manual page's layout (man or groff is not installed)"
fi
echo "installed, linked and run"
