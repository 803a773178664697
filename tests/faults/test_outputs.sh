#!/usr/bin/env bash
# What the system may do to a running command: take away its output, its disk or its folder, stop it,
# or start another beside it.
set -euo pipefail

graco=$1/graco library=$1/tests/inject.so
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1

# failed_with PART CODE: the last command has failed so: exit code 1, one line on stderr.
failed_with() {
    if [ "$2" -ne 1 ]; then
        fail "exit code $2, expected 1, with '$1' ($(cat err))"
    elif ! grep -q "^graco: .*$1" err || [ "$(grep -cv '^epoch' err)" -ne 1 ]; then
        fail "expected one line with '$1', found: $(cat err)"
    else
        pass
    fi
}
# reaches RUN N: the training in the background, $!, logs that epoch.
reaches() { await $! "$1 has not reached epoch $2: $(cat err)" has_lines "$1/metrics.jsonl" "$2"; }

small=(--set hidden=8 --set checkpoint_every=1 --device cpu --threads 1)
"$graco" generate graph.npz --nodes 200 --classes 3 --features 20
"$graco" train graph.npz -o run --epochs 3 "${small[@]}" -q

# Output that nobody takes: a full device, a reader that is gone, descriptors that are closed.
mkfifo pipe
exec 8<>pipe 9>pipe 8<&- # who writes to 9 has no reader
for command in "info graph.npz --json" "info graph.npz" "eval run graph.npz --splits 1 --json" \
    "eval run graph.npz --splits 1" "help train" "--version" \
    "train graph.npz -o json --epochs 1 --json"; do
    read -ra words <<<"$command"
    rm -rf json
    code=0
    "$graco" "${words[@]}" >/dev/full 2>err || code=$?
    failed_with "output could not be written" "$code"
    rm -rf json
    code=0
    "$graco" "${words[@]}" >&- 2>err || code=$?
    failed_with "output could not be written" "$code"
    rm -rf json
    code=0
    "$graco" "${words[@]}" >&9 2>err || code=$?
    failed_with "output could not be written" "$code"
done
exec 9>&-
rm -rf json closed
holds "a training with every descriptor closed" bash -c \
    "'$graco' train graph.npz -o closed --epochs 2 --set hidden=8 --device cpu <&- >&- 2>&- -q"
for file in config.json metrics.jsonl; do
    holds "nothing but JSON in closed/$file" bash -c "! grep -q 'epoch 1/2\|graco:' closed/$file"
done
"$graco" train graph.npz -o piped --epochs 3 "${small[@]}" 2>&1 >/dev/null | true
"$graco" train graph.npz -o piped --epochs 3 "${small[@]}" -q --resume
holds "a training whose reader goes away ends with the same bytes" \
    cmp run/embeddings.npy piped/embeddings.npy

# Files that may not grow, as on a full disk: the checkpoint fits, metrics.jsonl does not for long.
tight=(--epochs 200 --set hidden=2 --set encoder=gcn --set parts=learned --set width=2 --set checkpoint_every=1 --device cpu --threads 1 -q)
code=0
(
    trap '' XFSZ
    ulimit -f 8
    exec "$graco" train graph.npz -o full "${tight[@]}" 2>err
) || code=$?
failed_with "append to full/metrics.jsonl: File too large" "$code"
holds "metrics.jsonl ends with a whole line" [ -z "$(tail -c 1 full/metrics.jsonl)" ]
"$graco" train graph.npz -o full "${tight[@]}" --resume
"$graco" train graph.npz -o roomy "${tight[@]}"
for file in embeddings.npy model.safetensors; do
    holds "$file after the disk was full" cmp full/$file roomy/$file
done
holds "no epoch is missing" [ "$(wc -l <full/metrics.jsonl)" -eq 200 ]

# A folder that cannot be written to, and one that goes away.
code=0
"$graco" train graph.npz -o /proc/self/run --epochs 2 "${small[@]}" -q 2>err || code=$?
failed_with "/proc/self/run" "$code"
"$graco" train graph.npz -o gone --epochs $endless "${small[@]}" -q 2>err &
victim=$!
reaches gone 3
mv gone elsewhere
code=0
wait $victim || code=$?
failed_with "gone" "$code"
if unshare -rm true 2>/dev/null; then
    mkdir readonly tiny
    code=0
    unshare -rm bash -c "mount -t tmpfs -o ro none readonly &&
        '$graco' train graph.npz -o readonly/run --epochs 2 -q" 2>err || code=$?
    failed_with "Read-only file system" "$code"
    code=0
    unshare -rm bash -c "mount -t tmpfs -o size=16k none tiny &&
        '$graco' train graph.npz -o tiny/run --epochs 500 ${small[*]} -q" 2>err || code=$?
    failed_with "No space left on device" "$code"
else
    echo "left out: a read-only and a full file system (no right to mount)"
fi

# Two trainings in one folder.
"$graco" train graph.npz -o shared --epochs $endless "${small[@]}" -q 2>first.err &
victim=$!
reaches shared 2
code=0
"$graco" train graph.npz -o shared --epochs $endless "${small[@]}" -q --resume 2>err || code=$?
failed_with "shared is in use by process $victim" "$code"
holds "eval and embed go on beside it" \
    "$graco" embed shared graph.npz -o shared/embeddings.npy
holds "eval writes into a folder in use" "$graco" eval shared graph.npz --splits 1
kill -9 $victim
wait $victim 2>/dev/null || true
"$graco" train graph.npz -o shared --epochs 1 "${small[@]}" -q --resume 2>err || code=$?
holds "a kill leaves no lock" "$graco" train graph.npz -o shared --resume -q --epochs 5 "${small[@]}"

# Signals: the first ends the training after its epoch, with a checkpoint; the second at once.
for signal in INT TERM; do
    "$graco" train graph.npz -o "stop-$signal" --epochs $endless "${small[@]}" -q 2>err &
    reaches "stop-$signal" 5
    kill -$signal $!
    code=0
    wait $! || code=$?
    failed_with "stopped after epoch .* of $endless; to continue: graco train .*--resume" "$code"
    epoch=$(sed 's/.*after epoch \([0-9]*\) of.*/\1/' err)
    holds "SIG$signal: metrics.jsonl ends with epoch $epoch" \
        [ "$(wc -l <"stop-$signal/metrics.jsonl")" -eq "$epoch" ]
    holds "SIG$signal: no embeddings yet" [ ! -e "stop-$signal/embeddings.npy" ]
    "$graco" train graph.npz -o "stop-$signal" --epochs $((epoch + 20)) "${small[@]}" -q --resume
    "$graco" train graph.npz -o "whole-$signal" --epochs $((epoch + 20)) "${small[@]}" -q
    for file in embeddings.npy model.safetensors; do
        holds "$file after SIG$signal" cmp "whole-$signal/$file" "stop-$signal/$file"
    done
done
# Where the training hears nothing, in a call of the system that does not return, the first one is noted, which /proc
# tells: from then on no handler catches it. Only the second one can end it.
noted() { [ $((0x$(sed -n 's/^SigCgt:\t//p' /proc/$!/status) & 1 << ($1 - 1))) -eq 0 ]; }
ended() { ! kill -0 $!; }
for signal in INT TERM; do
    number=$(kill -l $signal)
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD=$library GRACO_FAULT=sync:5:hang GRACO_FAULT_FD=9 \
        "$graco" train graph.npz -o "twice-$signal" --epochs $endless "${small[@]}" -q 2>err 9>hangs &
    await $! "no call hangs: $(cat err)" [ -s hangs ]
    kill -$signal $!
    await $! "the first SIG$signal is not noted" noted "$number"
    holds "the first SIG$signal does not end it" kill -0 $!
    kill -$signal $!
    await $$ "a second SIG$signal does not end it" ended
    kill -KILL $! 2>/dev/null || true
    code=0
    wait $! || code=$?
    holds "a second SIG$signal ends it at once: exit code $code" [ $code -eq $((128 + number)) ]
    holds "a second SIG$signal leaves no embeddings" [ ! -e "twice-$signal/embeddings.npy" ]
    rm hangs
done

checked
