#!/usr/bin/env bash
# A rank is killed, stopped, asked to stop or out of disk in the middle of a training: all ranks end in time, a
# line names the one to blame, and the run goes on from its checkpoint to the bytes of one that nobody disturbed.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
"$graco" generate graph.npz --nodes 500 --features 40 2>/dev/null
options=(-q --threads 1 --set checkpoint_every=1 --set hidden=16)
over() { ranks 3 "$build/graco-mpi" train graph.npz "${options[@]}" -o "$@"; }

# signal RUN SIGNAL RANK SECONDS OPTION...: a long training whose rank gets the signal after three epochs.
signal() {
    local pid begun_at
    code=0
    timeout -k 5 $RANKS_SECONDS mpirun -n 3 "$build/graco-mpi" train graph.npz "${options[@]}" --epochs $endless -o "$work/$1" "${@:5}" >out 2>&1 &
    pid=$!
    begun "$1" 3
    begun_at=$SECONDS
    kill "-$2" "$(rank_pids "$(pgrep -P $pid -x mpirun)" | sed -n "$(($3 + 1))p")"
    wait $pid || code=$?
    holds "$2 for rank $3: $((SECONDS - begun_at)) s" [ $((SECONDS - begun_at)) -le $(($4 + RANKS_SPARE)) ]
    [ "$4" -ge 20 ] || holds "$2 for rank $3: nobody is given up in $(cat out)" [ "$(grep -c 'stood still' out)" = 0 ]
    await $$ "$2 for rank $3: a process is left" none_left "$1"
}
none_left() { [ -z "$(pgrep -f "graco-mpi train graph.npz.*-o $work/$1\b")" ]; } # who was killed may take a moment to go
# goes_on RUN OPTION...: the run goes on, ten epochs further.
goes_on() {
    local epochs=$(($(wc -l <"$1/metrics.jsonl") + 10))
    over "$1" --epochs $epochs --resume "${@:2}"
    over whole-"$1" --epochs $epochs "${@:2}"
    same "whole-$1/model.safetensors" "$1/model.safetensors"
    same "whole-$1/embeddings.npy" "$1/embeddings.npy"
}
# hit RUN SIGNAL RANK SECONDS TEXT: the signal ends all, and the line says so.
hit() {
    signal "$1" "$2" "$3" "$4"
    holds "$2 for rank $3: exit code $code" [ "$code" -ne 0 ]
    holds "$2 for rank $3: '$5' in $(cat out)" grep -q "$5" out
    goes_on "$1"
}
# asked RUN SIGNAL RANK OPTION...: all stop where they are, with a checkpoint that no epoch would have written, and
# say by which program to go on.
asked() {
    signal "$1" "$2" "$3" 10 --set checkpoint_every=100000 "${@:4}"
    holds "$2 for rank $3: exit code $code" [ "$code" -eq 1 ]
    holds "$2 for rank $3: one line in $(cat out)" [ "$(grep -c '^graco: ' out)" = 1 ]
    holds "$2 for rank $3: stopped in $(cat out)" grep -q \
        "^graco: stopped after epoch $(wc -l <"$1/metrics.jsonl") of $endless.*; to continue: graco-mpi train .* --resume\$" out
    goes_on "$1" --set checkpoint_every=100000 "${@:4}"
}
hit killed-0 KILL 0 10 'rank 0'
hit killed-2 KILL 2 10 'rank 2'
hit stopped STOP 1 30 '^graco: rank 1 has stood still for 20 s'
hit cut BUS 1 10 '^graco: rank 1: a file was cut while it was being read, or cannot be read$'
asked asked-0 INT 0
asked asked-1 TERM 1
asked asked-2 INT 2 --set batch=64 --set encoder=sage --set fanout=5,4 --objective infonce

# Rank 0 alone writes, and a file where the run folder should be is its failure alone.
touch taken
code=0
over taken/run --epochs 3 >out 2>&1 || code=$?
holds "no folder: exit code $code" [ "$code" -ne 0 ]
holds "no folder: rank 0 names itself in $(cat out)" grep -q '^graco: rank 0: cannot make the run folder taken/run: ' out
holds "no folder: one line in $(cat out)" [ "$(grep -c '^graco: ' out)" = 1 ]
ranks 3 bash -c "exec '$build/graco-mpi' train graph.npz ${options[*]} -o unheard --epochs 1 --json >/dev/full" >out 2>&1 || true
holds "no output: rank 0 names itself in $(cat out)" grep -q '^graco: rank 0: the output could not be written: ' out
mkdir -p full/embeddings.npy
code=0
over full --epochs 3 --resume >out 2>&1 || code=$?
holds "no file: exit code $code" [ "$code" -ne 0 ]
holds "no file: rank 0 names itself in $(cat out)" grep -q '^graco: rank 0: .*full/embeddings.npy' out
holds "no file: one line in $(cat out)" [ "$(grep -c '^graco: ' out)" = 1 ]
checked
