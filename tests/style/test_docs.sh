#!/usr/bin/env bash
# The documents, checked: links point to files and headings that exist, paths in backquotes exist,
# the README's commands use subcommands and options that graco knows, and every key of --set that a
# document names is one.
set -euo pipefail
cd "$GRACO_SOURCE"
build=$1
graco=$build/graco
failures=0
links=0
commands=0

fail() {
    echo "$1"
    failures=$((failures + 1))
}

mapfile -t documents < <(find . -name '*.md' -not -path './build*' -not -path './.git/*' | sort)

# anchors FILE: what its headings are called in links.
anchors() {
    awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
        sed -e 's/[^[:alnum:] _-]//g' -e 's/ /-/g'
}

check_link() {
    local document=$1 target=$2 file
    links=$((links + 1))
    file=${target%%#*}
    case $target in http://* | https://* | mailto:*) return ;; esac
    if [ -z "$file" ]; then file=$document; else file=$(dirname "$document")/$file; fi
    if [ ! -e "$file" ]; then
        fail "$document: the link to $target points nowhere"
    elif [ "$target" != "${target#*#}" ] && [ "${file##*.}" = md ]; then
        anchors "$file" | grep -qxF -- "${target#*#}" ||
            fail "$document: there is no heading for the link to $target"
    fi
}

for document in "${documents[@]}"; do
    while read -r target; do
        check_link "$document" "$target"
    done < <(awk '/^```/ { code = !code } !code' "$document" | grep -o '\](\([^)]*\))' |
        sed 's/^](\(.*\))$/\1/' || true)
    # Paths of the tree in backquotes, patterns and placeholders apart.
    while read -r path; do
        [ -e "$path" ] || fail "$document: \`$path\` does not exist"
    done < <(grep -o '`\(src\|cli\|tests\|docs\|include\|examples\|scripts\)/[^` ]*`' "$document" |
        tr -d '`' | grep -v '[*{]\|NAME\|FOLDER' || true)
done

# ---- Commands -----------------------------------------------------------------------------------

check_command() {
    local line=$1 words word name help
    read -ra words <<<"${line%%#*}"
    commands=$((commands + 1))
    name=${words[1]-}
    [ "$name" = help ] && name=${words[2]-train}
    [ "$name" = --version ] && return
    # A build without libcurl has no `graco fetch`, the documents have.
    [ "$name" = fetch ] && grep -q '^GRACO_FETCH:BOOL=OFF' "$build/CMakeCache.txt" && return
    if ! grep -q "^  $name " <<<"$overview"; then
        fail "README.md: '$line': graco has no command '$name'"
        return
    fi
    help=$("$graco" "$name" --help)
    for word in "${words[@]:2}"; do
        case $word in
        --*) grep -q -- "[ ,]${word%%=*}\( \|$\)" <<<"$help" || fail "README.md: '$line': unknown $word" ;;
        -?) grep -q -- "^  $word, " <<<"$help" || fail "README.md: '$line': unknown $word" ;;
        -*) fail "README.md: '$line': unknown $word" ;;
        esac
    done
    for word in "${words[@]}"; do
        [[ $word =~ ^[a-z_0-9]+=. ]] || continue
        grep -qx "${word%%=*}" <<<"$keys" || fail "README.md: '$line': no setting ${word%%=*}"
    done
}

overview=$("$graco" --help)
train_help=$("$graco" train --help)
keys=$(awk '/^keys of --set/ { on = 1; next } on && /^  [^ ]/ { print $1 } on && /^$/ { exit }' <<<"$train_help")
while read -r line; do
    check_command "$line"
done < <(awk '/^```sh/ { code = 1; next } /^```/ { code = 0 } code' README.md | grep '^graco ')

# ---- Settings -----------------------------------------------------------------------------------

# A word in backquotes that looks like a setting, or is set to a value, must be one.
for document in "${documents[@]}"; do
    while read -r word; do
        grep -qx "$word" <<<"$keys" || fail "$document: \`$word\` is no setting"
    done < <(grep -o '`\(--set \)\?[a-z_0-9]*=[^` ]*`\|`\(drop\|checkpoint\|weight\)_[a-z_0-9]*`' \
        "$document" | tr -d '`' | sed -e 's/^--set //' -e 's/=.*//' | sort -u || true)
done
# config.json has them all, and says so.
for key in $keys; do
    grep -q "\`$key\`" docs/formats.md || fail "docs/formats.md: the setting $key is missing"
done

echo "${#documents[@]} documents, $links links, $commands commands, $failures failures"
[ "$failures" -eq 0 ] && [ "$links" -gt 0 ] && [ "$commands" -gt 0 ]
