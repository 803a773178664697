#!/usr/bin/env bash
# graco train --live and graco watch in a terminal of their own: the curves follow the size of the terminal, Ctrl-C
# leaves it as it was, and in a pipe there are plain lines. watch ends as the training does.
set -euo pipefail

graco=$1/graco
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

little=(--set hidden=4 --set projection=4 --set objective=exact --set parts=learned --set width=0 --threads 1 --device cpu)
exits 0 "" generate g.npz --nodes 60 --features 12 --classes 3

# ---- In a pipe ----------------------------------------------------------------------------------
exits 0 "" train g.npz -o a --epochs 5 "${little[@]}"
grep -v '^time\|^peak\|^embeddings' out >plain.out
progress() { sed '/^epoch [234]/d; s/  [0-9.]* ms.*//' err; } # a slow machine tells of more epochs than the first and the last
progress >plain.err
exits 0 "" train g.npz -o b --epochs 5 --live "${little[@]}"
grep -v '^time\|^peak\|^embeddings' out >live.out
progress >live.err
same plain.out live.out
same plain.err live.err
holds "a pipe gets no escapes" bash -c "! grep -q $'\033' err"
exits 0 "b: ended after epoch 5" watch b
holds "one line of progress, one of the end: $(cat err)" [ "$(wc -l <err)" -eq 2 ]
holds "the last epoch: $(cat err)" grep -Eq '^epoch 5/5  loss [0-9.]+  [0-9.]+ ms  0.0 s left$' err
mkdir -p several/run-1 several/run-2
exits 2 "several holds several trainings; expected one of them, such as several/run-1" watch several
exits 2 "arguments are missing" watch

# A run that was stopped has no embeddings; one that was killed has left its lock.
rm b/embeddings.npy
exits 1 "the training was stopped after epoch 5 of 5; \`graco train ... --resume\` continues it" watch b
echo 123 >b/lock
exits 1 "the training was killed after epoch 5 of 5" watch b
printf '{"epoch": 1, "loss": null, "seconds": 0.1}\n{"epoch": 2, "lo' >b/metrics.jsonl
exits 1 "killed after epoch 1 of 5" watch b
holds "a loss that is no number: $(cat err)" grep -q '^epoch 1/5  loss nan' err

# A training that begins later is waited for.
"$graco" watch later >later.out 2>later.err &
watcher=$!
await $watcher "watch says nothing" [ -s later.err ]
exits 0 "" train g.npz -o later --epochs 300 -q "${little[@]}"
code=0
wait $watcher || code=$?
holds "waiting, then the end: exit code $code: $(cat later.err)" [ "$code" -eq 0 ]
holds "it said that it waits" grep -qx 'later: no training has begun; waiting for one' later.err
holds "it saw the end" grep -qx 'later: ended after epoch 300' later.err

# ---- In a terminal ------------------------------------------------------------------------------
if ! command -v python3 >/dev/null; then
    echo "left out: terminals (python3, which plays one, is not installed)"
    checked
    exit
fi
# play SCRIPT ARGUMENT...: graco in a terminal; its exit code is in $found.
play() {
    found=0
    timeout 900 python3 "$here/terminal.py" "$1" "$graco" "${@:2}" >out 2>err || found=$?
}
# plays CODE SCRIPT ARGUMENT...: it must exit so.
plays() {
    local code=$1 script=$2
    shift 2
    play "$script" "$@"
    holds "graco $* in a terminal: exit code $found, expected $code: $(cat out err)" [ "$found" -eq "$code" ]
}
# one_frame FILE COLS: the screen has the curves once, and no row is too wide.
one_frame() {
    holds "$1: one picture: $(cat "$1")" [ "$(grep -c '^loss [0-9]' "$1")" -eq 1 ]
    holds "$1: one line of progress: $(cat "$1")" [ "$(grep -c '^epoch ' "$1")" -eq 1 ]
    holds "$1: at most $2 columns: $(cat "$1")" [ "$(LC_ALL=C.UTF-8 wc -L <"$1")" -le "$2" ]
}
export TERM=xterm-256color LC_ALL=C.UTF-8
unset XTERM_VERSION TMUX
for _ in {1..20}; do
    rm -rf c
    play "size 80 30 until 'epoch 2' frames 3 screen wide size 60 30 frames 3 screen narrow size 90 40 frames 3
        screen again size 40 12 frames 3 screen small size 30 3 frames 3 screen least size 90 40 frames 3 key C
        until 'to continue' end screen last" train g.npz -o c --epochs $endless --live "${little[@]}"
    [ $found -eq 98 ] || break # a frame of the old size came late
done
holds "a training in a terminal: exit code $found, expected 1: $(cat out err)" [ $found -eq 1 ]
for screen in "wide 79" "narrow 59" "small 39" "again 89"; do
    # shellcheck disable=SC2086
    one_frame $screen
done
holds "two panels side by side: $(cat wide)" grep -Eq '^loss [0-9.]+ +mutual information -?[0-9.e-]+$' wide
holds "one below the other: $(cat narrow)" grep -Eq '^mutual information -?[0-9.e-]+$' narrow
holds "braille" env LC_ALL=C grep -q $'\xe2[\xa0-\xa3]' wide
holds "a terminal of three rows: a line, and a row of the curve: $(cat least)" [ "$(wc -l <least)" -le 3 ]
holds "Ctrl-C is answered below the picture: $(cat last)" \
    bash -c "grep -A1 '^epoch .*\^C$' last | grep -q '^stopping: a checkpoint comes first'"
holds "ten frames a second at most: $(cat out)" awk '{ exit $2 > 12 * $4 + 5 }' out

# Resumed: the curves begin with the first epoch. ASCII where the locale has no UTF-8.
done_before=$(grep -c . c/metrics.jsonl)
LC_ALL=C plays 0 "size 80 24 end screen resumed" \
    train g.npz -o c --epochs $((done_before + 50)) --live --resume "${little[@]}"
one_frame resumed 79
holds "from epoch 1 to the last: $(cat resumed)" grep -Eq "^ +1 +$((done_before + 50)) +1 +" resumed
holds "ASCII alone" bash -c "! LC_ALL=C grep -q '[^ -~]' resumed"
holds "the cursor is at a new line: $(cat resumed)" grep -q '^trained ' resumed

# watch: Ctrl-C ends it and not the training; it follows a training that is resumed, whose metrics are cut.
"$graco" train g.npz -o e --epochs $endless -q "${little[@]}" &
trainer=$!
plays 1 "size 80 24 until 'epoch 2' frames 3 screen seen key C end screen left" watch e
one_frame seen 79
holds "the training goes on" kill -0 $trainer
kill -KILL $trainer
wait $trainer 2>/dev/null || true
plays 1 "size 80 24 end screen killed" watch e
one_frame killed 80
holds "killed: $(cat killed)" grep -q '^graco: e: the training was killed after epoch ' killed
checked
