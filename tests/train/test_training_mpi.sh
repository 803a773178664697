#!/usr/bin/env bash
# Trainings over ranks against one process: the losses of 20 epochs, the same bytes for the same ranks, a
# resume with other numbers of ranks, every encoder, activation, objective and kind of graph. Cora: test_training_mpi_long.sh.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"

# Without a kink in the activation, for on this graph the last bits grow with every step (docs/scale.md).
"$graco" generate like.npz --nodes 400 --features 200 2>/dev/null
alike like.npz --preset cora --set activation=elu --set hidden=64

"$graco" generate words.npz --nodes 300 --features 60 2>/dev/null
"$graco" generate dense.npz --nodes 260 --features 20 --dense --seed 1 2>/dev/null
awk 'BEGIN { state = 7
    for (i = 0; i < 1500; i++) {
        for (k = 0; k < 3; k++) { state = (state * 16807) % 2147483647; x[k] = state % 250 }
        print x[0], x[1], 1 + x[2] / 50 > "arrows.txt" }
    for (i = 0; i < 250; i++) { for (j = 0; j < 6; j++) printf "%s%d", j ? "," : "", (i * (j + 3)) % 11 > "arrows.csv"
        print "" > "arrows.csv" } }'

# Ranks have no parts and choose by what one process has: both are told.
plain=(--set parts=learned --set width=0)
both sage words.npz "${plain[@]}" --set encoder=sage --set activation=prelu --objective infonce
both skip words.npz "${plain[@]}" --set encoder=sage_skip --set layers=3 --set activation=rrelu --objective moment
both rrelu words.npz "${plain[@]}" --set activation=rrelu --set hidden=24 --memory 0
both dense dense.npz "${plain[@]}" --set activation=elu --set hidden=40
both narrow dense.npz "${plain[@]}" --set hidden=8 --set layers=1 --objective moment
both inductive words.npz "${plain[@]}" --set inductive=1
both arrows arrows.txt "${plain[@]}" --features arrows.csv
over 3 sage-again words.npz "${plain[@]}" --set encoder=sage --set activation=prelu --objective infonce --epochs 5
same sage-3/model.safetensors sage-again/model.safetensors # the ring's bits too
timeout -k 5 $RANKS_SECONDS mpirun -n 1 "$build/graco-mpi" train words.npz -o mixed -q --threads 1 --epochs 5 : \
    -n 1 "$build/graco-mpi" train words.npz -o mixed -q --threads 2 --device cpu --epochs 5
holds "each rank has threads of its own" [ -e mixed/embeddings.npy ]
refuses "'embed' runs in one process; expected graco, or one rank" embed sage-3 words.npz
checked
