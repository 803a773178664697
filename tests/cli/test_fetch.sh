#!/usr/bin/env bash
# graco fetch against a server on the loopback interface that behaves, misbehaves, breaks off, stalls
# and lies. Every failure is one line and exit code 1, and leaves no half file where data is read.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
server=$1/tests/loopback_server
published=${GRACO_DATA-}
work=$(mktemp -d)
server_pid=
children=()
cleanup() {
    for pid in $server_pid "${children[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    chmod -R u+rwx "$work" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work"
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY

absent() { holds "$1 is not there" [ ! -e "$1" ]; }

# exits CODE PART ARGUMENT...: graco fetch must exit so; a failure is exactly one line on stderr, with
# PART in it; a success has PART in its output.
exits() {
    local code=$1 part=$2 found=0
    shift 2
    "$graco" fetch "$@" >out 2>err || found=$?
    if [ "$found" -ne "$code" ]; then
        fail "graco fetch $*: exit code $found, expected $code: $(cat err)"
    elif [ "$code" -eq 0 ]; then
        if [ -z "$part" ] || grep -qF -- "$part" out; then pass; else fail "graco fetch $*: '$part' is not in: $(cat out)"; fi
    elif [ "$(wc -l <err)" -ne 1 ] || ! grep -q '^graco: ' err || ! grep -qF -- "$part" err; then
        fail "graco fetch $*: expected one line 'graco: ...$part...', found: $(cat err)"
    else
        pass
    fi
}
# fails MODE PART [OPTION...]: fetching dblp from that part of the server fails so, at once, and
# leaves nothing in place.
fails() {
    local mode=$1 part=$2
    shift 2
    exits 1 "$part" dblp --from "$url/$mode" --retries 0 "$@"
    absent "$GRACO_DATA/dblp/dblp.npz"
}
fresh() {
    rm -rf data
    mkdir data
    : >log
}

# ---- The server and what it serves ---------------------------------------------------------------

export GRACO_DATA=$work/data
mkdir files data
"$graco" generate files/dblp.npz --nodes 20000 --features 300
for like in ppi reddit; do
    "$graco" generate like.npz --force --like $like --scale 0.02
    "$1/tests/published_set" like.npz files/$like.zip $like
done
cp files/dblp.npz files/amazon_electronics_photo.npz
printf '{"features": [[1], [2]], "labels": [0, 1], "links": [[1], []], "train_masks": [[true, false]],
"val_masks": [[false, false]], "test_mask": [false, true]}' >files/data.json
for part in x y tx ty allx ally graph test.index; do
    if [ -n "$published" ] && [ -e "$published/cora/ind.cora.$part" ]; then
        cp "$published/cora/ind.cora.$part" files/
    fi
done
"$server" files log port >/dev/null 2>&1 &
server_pid=$!
await $server_pid "the server has no port" [ -s port ]
url=http://127.0.0.1:$(cat port)
whole=$(stat -c %s files/dblp.npz)
holds "the file is large enough for these tests" [ "$whole" -gt 500000 ]

# ---- Wrong use -----------------------------------------------------------------------------------

exits 2 "no data set given"
exits 2 "did you mean cora?" corra
exits 2 "expected one of cora" orkut
exits 2 "a folder" cora --from ftp://example.org/
exits 2 "a folder" cora --from file:///tmp
exits 2 "a folder" cora --from 'http://example.org/a?b=c'
exits 2 "a folder" cora --from $'http://example.org/a\nb'
exits 2 "a whole number" cora --timeout 0
exits 0 "licence: not stated by the publisher" --list
exits 0 '"datasets": [{"name": "cora"' --list --json
exits 0 "https_proxy" --help

# ---- Good fetches, in every layout ---------------------------------------------------------------

for set in dblp ppi reddit amazon-photo wikics; do
    exits 0 "recorded for later fetches" "$set" --from "$url/good/"
    holds "graco info reads $set" "$graco" info "$set"
    holds "$set: sha256sum agrees with SHA256SUMS" bash -c "cd data/$set && sha256sum -c SHA256SUMS"
    holds "$set: nothing else is left" \
        [ "$(find data/$set -type f | wc -l)" -eq 2 ]
    : >log
    exits 0 "present" "$set" --from "$url/good"
    holds "$set: what is there is not asked for again" [ ! -s log ]
done
same files/ppi.zip data/ppi/ppi.zip
exits 0 '"state": "present"' ppi --from "$url/good" --json
holds "the hash is in the JSON" grep -q "$(sha256sum <files/ppi.zip | cut -d' ' -f1)" out
exits 0 '"checked": "recorded"' ppi --from "$url/good" --json --force
holds "--force asks again" grep -q '/good/ppi.zip' log
exits 0 "" ppi --from "$url/good" --force --quiet
holds "--quiet is quiet" [ ! -s out -a ! -s err ]

if [ -e files/ind.cora.graph ]; then
    fresh
    exits 0 "as expected" cora --from "$url/good"
    exits 0 '"checked": "published"' cora --from "$url/good" --json
    holds "eight files" [ "$(find data/cora -name 'ind.*' | wc -l)" -eq 8 ]
    holds "graco info reads cora" bash -c "'$graco' info cora --json | grep -q '\"nodes\": 2708,'"
    # One file is missing: the hint, then that one alone is fetched.
    rm data/cora/ind.cora.graph
    "$graco" info cora 2>err && fail "info reads half a data set" || pass
    holds "it says how to fetch it: $(cat err)" grep -q 'graco fetch cora$' err
    : >log
    exits 0 "fetched" cora --from "$url/good"
    holds "one request" [ "$(wc -l <log)" -eq 1 ]
    # A damaged file of one's own is not replaced unasked.
    echo x >>data/cora/ind.cora.x
    exits 1 "expected 23cfa55d91c6f624" cora --from "$url/good"
    exits 0 "fetched" cora --from "$url/good" --force
    same files/ind.cora.x data/cora/ind.cora.x
else
    echo "left out: fetching Cora (its published files are not under \$GRACO_DATA)"
fi
rm -rf data
"$graco" train cora -o run 2>err && fail "there is no cora" || pass
holds "train says how to fetch: $(cat err)" grep -q 'to download it: graco fetch cora$' err
"$graco" train corra -o run 2>err || true
holds "but not what it does not know" bash -c '! grep -q "graco fetch" err'
fresh

# ---- Hashes --------------------------------------------------------------------------------------

# The right size, other bytes.
cp -r files kept
head -c 22119 /dev/zero >files/ind.cora.x
exits 1 "has the SHA-256 $(head -c 22119 /dev/zero | sha256sum | cut -d' ' -f1); expected 23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab" \
    cora --from "$url/good"
absent data/cora/ind.cora.x
absent data/cora/ind.cora.x.part
# Another size is noticed before any byte is fetched.
head -c 22120 /dev/zero >files/ind.cora.x
exits 1 "has 22120 bytes; expected 22119" cora --from "$url/good"
absent data/cora/ind.cora.x
: >files/ind.cora.x
exits 1 "has 0 bytes; expected 22119" cora --from "$url/good"
# Recorded at first use: the publisher's file changes later.
exits 0 "" ppi --from "$url/good"
cp files/reddit.zip files/ppi.zip
exits 1 "expected $(sha256sum <kept/ppi.zip | cut -d' ' -f1)" ppi --from "$url/good" --force
same kept/ppi.zip data/ppi/ppi.zip
rm data/ppi/ppi.zip
exits 1 "the file was not put in place" ppi --from "$url/good"
absent data/ppi/ppi.zip
echo "nonsense" >data/ppi/SHA256SUMS
exits 1 "SHA256SUMS, line 1" ppi --from "$url/good"
rm -rf files
mv kept files
fresh

# ---- Broken connections --------------------------------------------------------------------------

# Cut, then continued by the next command.
fails cut "are kept, the next fetch goes on from there"
half=$(stat -c %s data/dblp/dblp.npz.part)
holds "half of it is kept" [ "$half" -gt 0 -a "$half" -lt "$whole" ]
: >log
exits 0 "resumed" dblp --from "$url/cut"
holds "the server was asked for the rest: $(cat log)" \
    grep -q "range=bytes=$half- if-range=\"version-1\"" log
same files/dblp.npz data/dblp/dblp.npz
absent data/dblp/dblp.npz.part
absent data/dblp/dblp.npz.part.from
# Cut, then continued by the same command.
fresh
exits 0 "resumed" dblp --from "$url/cut" --retries 1
same files/dblp.npz data/dblp/dblp.npz
# A server without ranges sends all of it again.
fresh
fails cut "are kept"
sed -i 's|/cut/|/norange/|' data/dblp/dblp.npz.part.from
exits 0 "fetched" dblp --from "$url/norange"
same files/dblp.npz data/dblp/dblp.npz
# The file has changed between: If-Range makes the server send the new one whole.
fresh
fails changed "are kept"
exits 0 "fetched" dblp --from "$url/changed"
holds "it asked with If-Range" grep -q 'range=bytes=.* if-range="version-1"' log
same files/dblp.npz data/dblp/dblp.npz
# From another address the halves might not fit: all of it again, without Range.
fresh
fails cut "are kept"
: >log
exits 0 "fetched" dblp --from "$url/good"
holds "no Range to another address: $(cat log)" grep -q 'dblp.npz range= ' log
# A part file that nobody knows the origin of is not trusted.
fresh
mkdir data/dblp
head -c 1000 /dev/urandom >data/dblp/dblp.npz.part
exits 0 "fetched" dblp --from "$url/good"
same files/dblp.npz data/dblp/dblp.npz
# With a published hash the halves may be of any origin; if they do not fit, once more from the start.
if [ -e files/ind.cora.graph ]; then
    fresh
    mkdir data/cora
    head -c 10000 files/ind.cora.x >data/cora/ind.cora.x.part
    exits 0 "resumed" cora --from "$url/good"
    holds "the rest was asked for" grep -q 'ind.cora.x range=bytes=10000-' log
    fresh
    mkdir data/cora
    head -c 10000 /dev/urandom >data/cora/ind.cora.x.part
    head -c 30000 /dev/urandom >data/cora/ind.cora.y.part
    cp files/ind.cora.graph data/cora/ind.cora.graph.part
    exits 0 "as expected" cora --from "$url/good"
    holds "a whole part file needs no request" bash -c '! grep -q ind.cora.graph log'
    same files/ind.cora.x data/cora/ind.cora.x
    same files/ind.cora.y data/cora/ind.cora.y
fi
# Lies about the range.
fresh
fails moved "are kept"
fails moved "expected one from byte"
# Sizes at the end of what 63 bits hold, and beyond.
fresh
fails vast "are kept"
fails vast "has 9223372036854775807 bytes; expected at most 67108864"
absent data/dblp/dblp.npz.part
fresh
fails countless "are kept"
fails countless "the server sent the range 'bytes "
fresh
fails cut "are kept"
sed -i 's|/cut/|/unsatisfied/|' data/dblp/dblp.npz.part.from
exits 0 "fetched" dblp --from "$url/unsatisfied"
same files/dblp.npz data/dblp/dblp.npz
# Stalled, silent.
fresh
fails stall "nothing arrived for 5 s" --timeout 5 # in which the first half does arrive
holds "what came before the stall is kept" [ -s data/dblp/dblp.npz.part ]
fails silent "nothing arrived for 1 s" --timeout 1
# Nobody there.
exits 1 "connect to server" dblp --from http://127.0.0.1:1 --retries 0
exits 1 "graco-test.invalid" dblp --from http://graco-test.invalid --retries 0

# ---- Redirects and answers -----------------------------------------------------------------------

fresh
exits 0 "fetched" dblp --from "$url/redirect"
same files/dblp.npz data/dblp/dblp.npz
fresh
fails loop "more than 5 redirects"
holds "five were followed" [ "$(wc -l <log)" -le 6 ]
fails local "protocol that is not allowed"
fresh
fails missing "answered 404"
absent "$GRACO_DATA/dblp" # an empty folder would hide that the data set is not there
fails broken "answered 500"
: >log
exits 1 "answered 500" dblp --from "$url/broken" --retries 1
holds "an answer of 500 is tried again" [ "$(wc -l <log)" -eq 2 ]
fails empty "no file of its kind"
fails large "has 1125899906842624 bytes; expected at most 67108864"
fails endless "is larger than the 67108864 bytes that are accepted"
absent data/dblp/dblp.npz.part
fails padded "bytes around"
absent data/dblp/dblp.npz.part
fails lengths "the server says two lengths"
absent data/dblp/dblp.npz
fresh
exits 0 "fetched" dblp --from "$url/twice"
same files/dblp.npz data/dblp/dblp.npz
fresh
fails unsized "does not say how long the file is"
fails packed "the encoding 'gzip'"
echo "<html>please log in</html>" >files/page && mv files/dblp.npz files/dblp.kept
cp files/page files/dblp.npz
fails good "no file of its kind"
mv files/dblp.kept files/dblp.npz
absent data/dblp/SHA256SUMS

# ---- The user's data folder, and a terminal ------------------------------------------------------

env -u GRACO_DATA XDG_DATA_HOME="$work/share" "$graco" fetch dblp --from "$url/good" -q
holds "without GRACO_DATA it goes where names are looked up" \
    env -u GRACO_DATA XDG_DATA_HOME="$work/share" "$graco" info dblp
same files/dblp.npz share/graco/dblp/dblp.npz
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    fresh
    TERM=xterm script -qec "'$graco' fetch dblp --from '$url/slow'" /dev/null >terminal 2>&1 </dev/null
    holds "progress with bytes and rate on a terminal: $(tr '\r' '\n' <terminal | head -3)" \
        grep -q 'dblp.npz  [0-9.]* [KM]iB of [0-9.]* [KM]iB  [0-9.]* [KM]*i*B/s' terminal
else
    echo "left out: progress on a terminal (script makes none here)"
fi

# ---- A proxy from the environment ----------------------------------------------------------------

fresh
http_proxy=$url exits 0 "fetched" dblp --from http://mirror.invalid/somewhere
holds "the proxy was asked: $(cat log)" grep -q '^http://mirror.invalid/somewhere/dblp.npz' log
fresh
http_proxy=http://127.0.0.1:1 no_proxy=127.0.0.1 exits 0 "fetched" dblp --from "$url/good"

# ---- Disks ---------------------------------------------------------------------------------------

# No file may grow beyond 64 KiB: writing fails as on a full disk.
fresh
found=0
(ulimit -f 64 && exec "$graco" fetch dblp --from "$url/good" >/dev/null 2>err) || found=$?
holds "a full disk is one clear line, exit code $found: $(cat err)" \
    [ $found -eq 1 -a "$(grep -c '^graco: cannot write .*dblp.npz.part after' err)" -eq 1 ]
absent data/dblp/dblp.npz
exits 0 "resumed" dblp --from "$url/good"
same files/dblp.npz data/dblp/dblp.npz
# A file where the folder should be; a folder that may not be made or written to.
fresh
: >data/dblp
exits 1 "cannot make the data folder" dblp --from "$url/good"
GRACO_DATA=/proc/graco exits 1 "cannot make the data folder" dblp --from "$url/good"
fresh
mkdir data/dblp
chmod 555 data/dblp
if [ "$(id -u)" -ne 0 ]; then
    exits 1 "Permission denied" dblp --from "$url/good"
elif command -v setpriv >/dev/null; then
    chmod 755 "$work"
    found=0
    setpriv --reuid=65534 --regid=65534 --clear-groups "$graco" fetch dblp --from "$url/good" \
        >out 2>err || found=$?
    # 126, 127: the build folder itself is closed to that user.
    if [ $found -eq 126 ] || [ $found -eq 127 ]; then
        echo "left out: another user's permissions (that user cannot run graco here)"
    else
        holds "without permission: exit code $found, $(cat err)" \
            [ $found -eq 1 -a "$(grep -c 'Permission denied' err)" -eq 1 ]
    fi
fi
chmod 755 data/dblp

# ---- What is in the way --------------------------------------------------------------------------

# A pipe anywhere in the folder is refused at once or passed by, never waited for, and stays.
patient=$graco
graco() { timeout 300 "$patient" "$@"; }
for name in dblp.npz dblp.npz.part SHA256SUMS .fetch.lock dblp.npz.part.from; do
    for force in "" --force; do
        fresh
        mkdir data/dblp
        mkfifo data/dblp/$name
        graco=graco exits 1 "$name" dblp --from "$url/good" $force
        holds "$name is still a pipe" [ -p data/dblp/$name ]
    done
done
# Where the lock would be: a link, a file of the user's.
fresh
mkdir data/dblp
echo precious >kept
ln -s "$work/kept" data/dblp/.fetch.lock
exits 1 "is not a lock that a fetch made" dblp --from "$url/good"
holds "the link and its file are left" [ -L data/dblp/.fetch.lock -a "$(cat kept)" = precious ]
rm data/dblp/.fetch.lock
mv kept data/dblp/.fetch.lock
exits 1 "is not a lock that a fetch made" dblp --from "$url/good"
holds "the file is left" [ "$(cat data/dblp/.fetch.lock)" = precious ]
: >data/dblp/.fetch.lock # as a killed fetch leaves it
exits 0 "fetched" dblp --from "$url/good"
# What replaces a file keeps its permissions.
chmod 600 data/dblp/dblp.npz data/dblp/SHA256SUMS
: >data/dblp/SHA256SUMS
exits 0 "fetched" dblp --from "$url/good" --force
holds "0600 stays 0600" \
    [ "$(stat -c %a data/dblp/dblp.npz)$(stat -c %a data/dblp/SHA256SUMS)" = 600600 ]

# ---- Two at once, and violent ends ---------------------------------------------------------------

# start_held: a fetch that has a part of dblp, and gets no more until there is files/go.
part_is_there() { [ "$(stat -c %s data/dblp/dblp.npz.part)" -ge 65536 ]; }
start_held() {
    fresh
    rm -f files/go
    "$graco" fetch dblp --from "$url/held" --timeout 900 >held.out 2>held.err &
    child=$!
    children+=($child)
    await $child "no 65536 bytes: $(cat held.err)" part_is_there
}
start_held
exits 1 "another graco fetch is at work" dblp --from "$url/good"
holds "it names the process: $(cat err)" grep -q "process $child;" err
touch files/go
code=0
wait $child || code=$?
holds "the first is not disturbed: $(cat held.err)" [ $code -eq 0 ]
holds "a pipe gets no progress" [ ! -s held.err ]
same files/dblp.npz data/dblp/dblp.npz
absent data/dblp/.fetch.lock

start_held
kill -9 $child
wait $child 2>/dev/null || true
absent data/dblp/dblp.npz
touch files/go
: >log
exits 0 "resumed" dblp --from "$url/held"
holds "after kill -9 the rest is asked for: $(cat log)" grep -q 'range=bytes=[1-9]' log
same files/dblp.npz data/dblp/dblp.npz

for name in INT TERM; do
    start_held
    # A shell starts background commands with SIGINT ignored; graco sets its own handler.
    kill -$name $child
    code=0
    wait $child || code=$?
    holds "SIG$name ends it with 1, found $code" [ $code -eq 1 ]
    holds "and one line: $(cat held.err)" \
        [ "$(grep -c '^graco: stopped: .* the next fetch goes on from there$' held.err)" -eq 1 ]
    absent data/dblp/dblp.npz
    touch files/go
    exits 0 "resumed" dblp --from "$url/held"
    same files/dblp.npz data/dblp/dblp.npz
done

checked
