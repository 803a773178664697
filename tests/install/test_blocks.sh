#!/usr/bin/env bash
# Every block of README.md, docs/*.md and the manual page runs as it stands, in order, in one shell for each
# document, in a folder that has examples/ and a home of its own.
#
# A block's fence names its language (sh, c, python, or text, which is not run) and what it needs:
#     data      the published data sets under $GRACO_DATA
#     numpy, scipy, networkx, pandas, polars, pyarrow, duckdb, faiss, usearch, lancedb    a python3 that has them: blocks of
#               python, and those that read their files
#     package   the package of python/ with this build's library
#     long      minutes: run by tests/install/test_blocks_long.sh alone
#     mpi       graco-mpi, and an mpirun that starts it
#     metis     a build with METIS
#     slow      builds everything: `make test-fresh` runs it
#     network, gpu              not run
# In the manual page a line `.\" block: data` before an example says the same. What is not run is listed.
# Reductions: `graco train` trains two epochs, a third when it resumes, of two seeds where there are several; `plan` plans
# two epochs; `eval` and `report` draw two splits, whatever the block says.
# `make install` installs this build.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../ranks.sh"

# `test_blocks.sh BUILD [DOCUMENT...]`: some of the documents; with LONG=long also the blocks that take minutes.
build=$1
long=${LONG-}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset XDG_DATA_HOME
mkdir "$work/home" "$work/blocks"
export HOME=${BLOCKS_HOME-$work/home}
[ -n "${BLOCKS_HOME-}" ] || cmake --install "$build" --prefix "$HOME/.local" >/dev/null
failures=0 ran=0

fail() {
    echo "$1"
    failures=$((failures + 1))
}

# extract DOCUMENT: writes its blocks to $work/blocks/NUMBER, the first line "LINE LANGUAGE MARK...".
extract() {
    rm -f "$work"/blocks/*
    awk -v folder="$work/blocks" -v manual="$([[ $1 = *.1 ]] && echo 1 || true)" '
        function begin(head) { file = sprintf("%s/%03d", folder, ++count); print FNR " " head > file }
        function end() { close(file); file = "" }
        function put(line) {
            if (manual) gsub(/\\e/, "\\", line)
            print line > file
        }
        manual && /^\.\\" block:/ { sub(/^[^:]*: */, ""); marks = $0; next }
        manual && /^\.Dl / { begin("sh " marks); sub(/^\.Dl /, ""); put($0); end(); marks = ""; next }
        manual && /^\.Bd -literal/ { begin("sh " marks); marks = ""; next }
        manual && /^\.Ed/ { end(); next }
        !manual && /^```/ { if (file) end(); else begin(substr($0, 4)); next }
        file { put($0) }' "$1"
}

# $GRACO_PYTHON or the python3 of the path, unless the system's has numpy and it has not.
python=${GRACO_PYTHON:-python3}
has_module() { "$python" -c "import sys, importlib.util as u; sys.exit(not u.find_spec('$1'))" 2>/dev/null; } # it is not loaded
has_module numpy || python=/usr/bin/python3

export GRACO_LIBRARY=$build/libgraco.so PYTHONPATH=$GRACO_SOURCE/python PYTHONDONTWRITEBYTECODE=1
# A library with sanitizers cannot be loaded; any other must be.
has_package() { has_module numpy && ! grep -q '^GRACO_SANITIZE:STRING=.' "$build/CMakeCache.txt"; }

# reason LANGUAGE MARK...: why a block is not run; nothing if it is.
reason() {
    local mark
    case $1 in
    sh | c | text) ;;
    python) has_module sys || { echo "no python3"; return; } ;;
    *) echo "unmarked"; return ;;
    esac
    shift
    local why=""
    for mark; do
        case $mark in
        network | gpu) why="needs a $mark" ;;
        slow) why="make test-fresh runs it" ;;
        mpi) [ -x "$build/graco-mpi" ] && mpirun -n 2 true 2>/dev/null || why="needs MPI: make setup-mpi" ;;
        metis) grep -q '^METIS_LIBRARY:FILEPATH=/' "$build/CMakeCache.txt" || why="needs METIS: make setup-metis" ;;
        long) [ -n "$long" ] || why="takes minutes: make test-long runs it" ;;
        data) [ -d "${GRACO_DATA-}/cora" ] || why="needs the published data sets under \$GRACO_DATA" ;;
        package) has_package || why="python3 cannot load the package" ;;
        numpy | scipy | networkx | pandas | polars | pyarrow | duckdb | faiss | usearch | lancedb) has_module "$mark" || why="python3 has no $mark" ;;
        *) why=unmarked ;;
        esac
        [ -z "$why" ] || break
    done
    echo "$why"
}

cat >"$work/shell" <<'END'
# Sourced before the blocks of a document: the reductions, and how blocks that are no shell are run.
set -euo pipefail
graco() {
    case ${1-} in
    train)
        local less=(--epochs 2) word
        for word; do
            case $word in --resume) less+=(--epochs 3) ;; --runs) less+=(--runs 2) ;; esac
        done
        command graco "$@" "${less[@]}"
        ;;
    plan) command graco "$@" --epochs 2 ;;
    eval | report) if [[ " $* " = *" --task "* ]]; then command graco "$@"; else command graco "$@" --splits 2; fi ;;
    *) command graco "$@" ;;
    esac
}
make() {
    local prefix
    case "$*" in
    "install PREFIX="*) prefix=${2#PREFIX=} ;;
    *) echo "the test knows no \`make $*\`" && return 1 ;;
    esac
    cmake --install "$BLOCKS_BUILD" --prefix "$prefix" >/dev/null
}
if ! command -v man >/dev/null; then man() { :; }; fi
run_c() {
    cc -std=c17 -Wall -Wextra -Werror -x c "$1" -o program $(pkg-config --cflags --libs graco)
    ./program
}
export PATH=$HOME/.local/bin:$PATH
PKG_CONFIG_PATH=$(dirname "$(find "$HOME" -name graco.pc)")
export PKG_CONFIG_PATH MANPAGER=cat PAGER=cat OMP_WAIT_POLICY=passive
trap 'code=$?; [ $code -eq 0 ] || echo "$current" >"$BLOCKS_FAILED"' EXIT
END

# walk DOCUMENT: extracts its blocks and runs them in order.
walk() {
    local document=$1 block line language marks why body count=0
    extract "$GRACO_SOURCE/$document"
    rm -rf "$work/walk" "$work/failed"
    mkdir "$work/walk"
    cp -r "$GRACO_SOURCE/examples" "$work/walk"
    [[ $document != *.1 ]] || cp "$GRACO_SOURCE"/examples/*.csv "$work/walk"
    echo ". '$work/shell'" >"$work/all"
    for block in "$work"/blocks/*; do
        [ -e "$block" ] || continue
        read -r line language marks <"$block"
        sed -i 1d "$block"
        # shellcheck disable=SC2086
        why=$(reason "$language" $marks)
        if [ "$why" = unmarked ]; then
            fail "$document:$line: a block must begin with sh, c, python or text, and what it needs: '$language $marks'"
        elif [ -n "$why" ]; then
            echo "left out: $document:$line ($why)"
        elif [ "$language" != text ]; then
            count=$((count + 1))
            case $language in sh) body=". '$block'" ;; c) body="run_c '$block'" ;; python) body="'$python' '$block'" ;; esac
            printf 'current="%s:%s"\n%s\n' "$document" "$line" "$body" >>"$work/all"
        fi
    done
    ran=$((ran + count))
    (cd "$work/walk" && BLOCKS_BUILD=$build BLOCKS_FAILED=$work/failed bash "$work/all") \
        >"$work/log" 2>&1 </dev/null || {
        tail -5 "$work/log"
        fail "$(cat "$work/failed"): a block failed"
    }
}

# The walk itself must be able to fail: an unmarked block, a command that does not work, a C block.
if [ -z "${GRACO_BLOCKS_TRIED-}" ]; then
    mkdir -p "$work/tree/docs" "$work/tree/examples"
    cp "$GRACO_SOURCE"/examples/*.csv "$work/tree/examples"
    for wrong in $'```\ngraco\n```' $'```sh\nls absent\n```' $'```sh\nfalse\ntrue\n```' \
        $'```c\nint main(void) { return 1; }\n```' $'```sh maybe\ntrue\n```' \
        $'```sh\ngraco train -o r --no-such-option\n```'; do
        printf '%s\n' "$wrong" >"$work/tree/README.md"
        echo '.Dl true' >"$work/tree/docs/graco.1"
        if BLOCKS_HOME=$HOME GRACO_BLOCKS_TRIED=1 GRACO_SOURCE=$work/tree bash "$0" "$build" README.md docs/graco.1 >"$work/tried" 2>&1; then
            fail "a block that does not work passed: $wrong"
        fi
        grep -q '^README.md:1: a block' "$work/tried" || fail "it is not named: $(cat "$work/tried")"
    done
fi

# The tables of examples/ are those that their script writes.
if has_module sys && [ -z "${GRACO_BLOCKS_TRIED-}" ]; then
    mkdir "$work/made"
    "$python" "$GRACO_SOURCE/scripts/make_examples.py" "$work/made"
    for table in "$GRACO_SOURCE"/examples/*.csv; do
        cmp "$table" "$work/made/$(basename "$table")" || fail "examples/ is not what scripts/make_examples.py writes"
    done
fi

[ $# -gt 0 ] || set -- README.md # test_blocks_docs.sh and test_blocks_manual.sh have the others
for document; do
    [ ! -e "$GRACO_SOURCE/$document" ] || walk "$document"
done
echo "$ran blocks ran, $failures failures"
[ "$failures" -eq 0 ] && [ "$ran" -gt 0 ]
