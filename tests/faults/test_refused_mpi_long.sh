#!/usr/bin/env bash
# One of three ranks is refused memory, a file or a piece of one: at each such call of its training in turn, or at every
# so manieth. Whatever the others wait for just then, all end within 30 seconds, and a line names that rank and says what
# was refused; or the training does without. MPI's own calls are among them: it has its own words, or never begins or ends.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
if grep -q __asan_init "$graco"; then
    echo "skipped: sanitizers must be there before what refuses"
    exit 77
fi
"$graco" generate graph.npz --nodes 60 --features 12 2>/dev/null
"$graco" convert graph.npz graph >/dev/null 2>&1

# refused RANK FAULT NAME OPTION...: a training whose rank meets that fault; its output and how it ended, in NAME.
refused() {
    local begun=$SECONDS code=0
    RANKS_SECONDS=60 ranks 3 bash -c "[ \$OMPI_COMM_WORLD_RANK != $1 ] || export LD_PRELOAD='$build/tests/inject.so' GRACO_FAULT=$2 GRACO_FAULT_FD=9; exec '$build/graco-mpi' train ${*:4} -o $3-run -q --threads 1 --epochs 2 --set hidden=8 9>$3-calls-\$OMPI_COMM_WORLD_RANK" >"$3" 2>&1 || code=$?
    echo "$code $((SECONDS - begun))" >"$3-ended"
    rm -rf "$3-run"
}
# judge RANK FAULT NAME
judge() {
    local code seconds lines
    read -r code seconds <"$3-ended"
    lines=$(grep -c '^graco: ' "$3" || true)
    holds "rank $1, $2: $seconds s" [ "$seconds" -le 30 ]
    [ "$code" = 0 ] && return
    ended=$((ended + 1))
    holds "rank $1, $2: something is said" [ -s "$3" ]
    holds "rank $1, $2: at most one line in $(cat "$3")" [ "$lines" -le 1 ]
    [ "$lines" = 0 ] && return
    named=$((named + 1))
    holds "rank $1, $2: it is named in $(cat "$3")" grep -qE "^graco: (graph: )?rank $1: |^graco: after .* has not (begun|ended): " "$3"
    holds "rank $1, $2: the reason, not another, in $(cat "$3")" [ "$(grep -cE 'was changed|MPI_ERR|MPI has failed' "$3")" = 0 ]
}
# each RANK KIND ERROR MOST OPTION...: the fault at up to MOST calls, spread over all that there are, four at a time.
each() {
    local rank=$1 kind=$2 error=$3 most=$4 calls step at named=0 ended=0 list=()
    refused "$rank" "$kind:1000000:$error" counted "${@:5}"
    calls=$(awk '{ print $1; exit }' "counted-calls-$rank")
    step=$(((calls + most - 1) / most))
    for ((at = 1; at <= calls; at += step)); do
        list+=($at)
        refused "$rank" "$kind:$at:$error" "at-$at" "${@:5}" &
        ((${#list[@]} % 4)) || wait
    done
    wait
    for at in "${list[@]}"; do judge "$rank" "$kind:$at:$error" "at-$at"; done
    echo "rank $rank, $kind: ${#list[@]} of $calls calls refused, $ended trainings ended, $named with a line that names the rank"
    holds "rank $rank, $kind: some are named" [ "$named" -gt 0 ]
    rm -rf at-* counted*
}
each 1 mmap 12 40 graph
each 1 open 5 40 graph
each 2 own 12 60 graph --set node_features=degree
each 1 own 12 40 graph --set inductive=1 --undirected --objective moment
each 0 own 12 40 graph.npz --set batch=16 --set encoder=sage --set fanout=3,2 --objective infonce
each 0 write 28 20 graph
checked
