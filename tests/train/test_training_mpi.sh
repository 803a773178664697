#!/usr/bin/env bash
# Trainings over ranks against one process: the losses of 20 epochs, the same bytes for the same ranks, a
# resume with other numbers of ranks, every encoder, activation, objective and kind of graph.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"

data=cora settings=()
if [ ! -e "${GRACO_DATA:-none}/cora" ]; then
    # Without a kink in the activation, for on this graph the last bits grow with every step (docs/scale.md).
    data=$work/like.npz settings=(--preset cora --set activation=elu)
    "$graco" generate like.npz --nodes 2708 --features 1433
fi
for objective in exact moment; do
    alone one-$objective "$data" "${settings[@]}" --objective $objective --epochs 20
    for count in 1 2 3 4; do
        over $count $objective-$count "$data" "${settings[@]}" --objective $objective --epochs 20
        agree one-$objective $objective-$count 20
    done
    same one-$objective/embeddings.npy $objective-1/embeddings.npy
    score_alike one-$objective $objective-4 "$data"
done
over 3 again "$data" "${settings[@]}" --objective moment --epochs 20 --threads 2
same moment-3/embeddings.npy again/embeddings.npy
# 7 epochs by 2 ranks, 6 by 3, 7 by one process.
over 2 resumed "$data" "${settings[@]}" --objective exact --epochs 7
over 3 resumed "$data" "${settings[@]}" --objective exact --epochs 13 --resume
alone resumed "$data" "${settings[@]}" --objective exact --epochs 20 --resume
agree one-exact resumed 20

"$graco" generate words.npz --nodes 300 --features 60 2>/dev/null
"$graco" generate dense.npz --nodes 260 --features 20 --dense --seed 1 2>/dev/null
awk 'BEGIN { state = 7
    for (i = 0; i < 1500; i++) {
        for (k = 0; k < 3; k++) { state = (state * 16807) % 2147483647; x[k] = state % 250 }
        print x[0], x[1], 1 + x[2] / 50 > "arrows.txt" }
    for (i = 0; i < 250; i++) { for (j = 0; j < 6; j++) printf "%s%d", j ? "," : "", (i * (j + 3)) % 11 > "arrows.csv"
        print "" > "arrows.csv" } }'

both sage words.npz --set encoder=sage --set activation=prelu --objective infonce
both skip words.npz --set encoder=sage_skip --set layers=3 --set activation=rrelu --objective moment
both rrelu words.npz --set activation=rrelu --set hidden=24 --memory 0
both dense dense.npz --set activation=elu --set hidden=40
both narrow dense.npz --set hidden=8 --set layers=1 --objective moment
both inductive words.npz --set inductive=1
both arrows arrows.txt --features arrows.csv
over 3 sage-again words.npz --set encoder=sage --set activation=prelu --objective infonce --epochs 5
same sage-3/model.safetensors sage-again/model.safetensors # the ring's bits too


# Ranks that begin with other files or settings end before the first step, all with the line of the first of
# them. unlike TEXT OPTIONS OPTIONS: rank 0 in folder here, rank 1 in folder there, whose data set is g.npz or $other.
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
(cd here && alone run g.npz $few) && (cd there && alone run g.npz $few --epochs 2)
unlike "its model is after epoch 2 another than that of rank 0 after epoch 3: expected the same run folder" \
    "--epochs 5 --resume" "--epochs 5 --resume"
rm -r there/run
unlike "the run to continue is none, and run for rank 0: expected the same on every rank" "--epochs 5 --resume" "--epochs 5 --resume"
timeout -k 5 $RANKS_SECONDS mpirun -n 1 "$build/graco-mpi" train words.npz -o mixed -q --threads 1 --epochs 5 : \
    -n 1 "$build/graco-mpi" train words.npz -o mixed -q --threads 2 --device cpu --epochs 5
holds "each rank has threads of its own" [ -e mixed/embeddings.npy ]
refuses "'embed' runs in one process; expected graco, or one rank" embed sage-3 words.npz
checked
