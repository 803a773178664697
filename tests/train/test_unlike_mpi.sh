#!/usr/bin/env bash
# Ranks that begin with other files or settings end before the first step, all with the line of the first of them.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"

# unlike TEXT OPTIONS OPTIONS: rank 0 in folder here, rank 1 in folder there, whose data set is g.npz or $other.
unlike() {
    local code=0
    timeout -k 5 $RANKS_SECONDS mpirun -n 1 -wdir "$work/here" "$build/graco-mpi" train g.npz -o run -q --threads 1 $2 : \
        -n 1 -wdir "$work/there" "$build/graco-mpi" train ${other-g.npz} -o run -q --threads 2 $3 >out 2>&1 || code=$?
    holds "unlike '$1': exit code $code" [ "$code" -eq 2 ]
    holds "unlike: one line '$1' in $(cat out)" [ "$(grep -c '^graco: ' out) $(grep -cF "graco: rank 1: $1" out)" = "1 1" ]
}
few="--epochs 3 --set hidden=8"
mkdir here there
"$graco" generate here/g.npz --nodes 200 --features 30 2>/dev/null
"$graco" generate there/g.npz --nodes 200 --features 30 --seed 9 2>/dev/null
unlike "its data set differs from that of rank 0 in: graph, features, split, labels; expected the same" "$few" "$few"
rm there/g.npz
"$graco" generate there/g.npz --nodes 90 --features 30 2>/dev/null
unlike "its data set differs from that of rank 0 in: number of nodes, graph" "$few" "$few"
holds "a refusal leaves nothing" [ ! -e here/run ]
cp here/g.npz there
unlike "lr is 0.25, and 0.5 for rank 0: expected the same on every rank" "$few --set lr=0.5" "$few --set lr=0.25"
unlike "epochs is 4, and 3 for rank 0" "$few" "$few --epochs 4"
unlike "hidden is 9, and 8 for rank 0" "$few" "$few --set hidden=9"
unlike "method is dgi, and grace for rank 0: expected the same on every rank" "$few" "--epochs 3 --method dgi"
# Options of the command that are no settings.
unlike "--runs is 2, and 1 for rank 0: expected the same on every rank" "$few" "$few --runs 2"
unlike "--undirected is not given, and given for rank 0: expected the same on every rank" "$few --undirected" "$few"
unlike "--header is no, and not given for rank 0: expected the same on every rank" "$few" "$few --header no"
unlike "--resume is given, and not given for rank 0" "$few" "$few --resume"
other=../here/g.npz unlike "DATASET is ../here/g.npz, and g.npz for rank 0: expected the same on every rank" "$few" "$few"
other= unlike "DATASET is not given, and g.npz for rank 0: expected the same on every rank" "$few" "$few"
few+=" --set parts=learned --set width=0"
(cd here && alone run g.npz $few) && (cd there && alone run g.npz $few --epochs 2)
unlike "its model is after epoch 2 another than that of rank 0 after epoch 3: expected the same run folder" \
    "--epochs 5 --resume" "--epochs 5 --resume"
rm -r there/run
unlike "the run to continue is none, and run for rank 0: expected the same on every rank" "--epochs 5 --resume" "--epochs 5 --resume"
checked
