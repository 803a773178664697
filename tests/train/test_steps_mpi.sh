#!/usr/bin/env bash
# Over ranks, what makes more than one step an epoch, mini-batches and many graphs, and what stops early: the
# losses of some epochs against one process for 1 to 4 ranks, resumed within them too. Which methods do not train over
# ranks: test_plan_ranks.c.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
"$graco" generate words.npz --nodes 300 --features 60 2>/dev/null
"$graco" generate dense.npz --nodes 260 --features 20 --dense --seed 1 2>/dev/null
"$graco" generate ppi --like ppi --scale 0.05 2>/dev/null

# all NAME EPOCHS DATASET OPTION...: alone and over 1 to 4 ranks; one rank is one process, to the byte.
all() {
    local name=$1 epochs=$2 count
    shift 2
    alone "$name" "$@" --epochs $epochs
    for count in 1 2 3 4; do
        over $count "$name-$count" "$@" --epochs $epochs
        agree "$name" "$name-$count" $epochs
    done
    same "$name/embeddings.npy" "$name-1/embeddings.npy"
}
batch=(--set batch=64 --set encoder=sage --set fanout=5,4 --set hidden=24 --objective infonce)
all batch 20 dense.npz "${batch[@]}"
all graphs 5 ppi --preset ppi --set hidden=32
# Early stopping looks at the embeddings every 50 epochs. Without a kink in the activation, as test_training_mpi.sh says.
alone patience words.npz --set patience=50 --set hidden=32 --epochs 400 --set lr=0.01 --set activation=elu
over 3 patience-3 words.npz --set patience=50 --set hidden=32 --epochs 400 --set lr=0.01 --set activation=elu
ending() { tail -n 1 "$1/metrics.jsonl" | grep -oE '"(epoch|best_epoch|ended)": *[^,}]*'; }
holds "it stops early: $(ending patience-3)" grep -q patience <(ending patience-3)
same <(ending patience) <(ending patience-3)

# Every activation and objective in the hops of a mini-batch; a folder, which is then read whole.
both rrelu words.npz --set batch=70 --set activation=rrelu --set hidden=16
both moment words.npz --set batch=100 --set encoder=sage_skip --set layers=3 --set fanout=3 --set activation=prelu --objective moment
both inductive words.npz --set batch=40 --set inductive=1 --set activation=elu
"$graco" convert dense.npz dense 2>/dev/null
over 3 folder dense "${batch[@]}" --epochs 20
same folder/embeddings.npy batch-3/embeddings.npy
over 3 resumed dense.npz "${batch[@]}" --epochs 8
over 3 resumed dense.npz "${batch[@]}" --epochs 20 --resume
same resumed/model.safetensors batch-3/model.safetensors

# Every mini-batch has a node for each rank: the last one, and the others where a rest makes the last one longer.
"$graco" generate odd.npz --nodes 17 --features 6 2>/dev/null
few="the smallest mini-batch has 2 nodes for 3 ranks: expected at least one for each, by another batch"
refuses "$few" train words.npz --set batch=149 --set activation=elu
refuses "$few" train odd.npz --set batch=2
both rest odd.npz --set batch=4 --set hidden=8
# Ranks that come here at the same time, some of which are ended before they can take anything away.
"$graco" convert words.npz unsplit >/dev/null 2>&1 && rm unsplit/split.npy
for again in 1 2 3 4 5; do
    refuses "inductive = 1 needs a split, and data set 'unsplit' has none" train unsplit --set inductive=1
done
refuses "ranks do not train with groups of graphs: expected graphs 1" train ppi --set graphs=3
refuses "ranks do not train with moment without a sample: expected a correction above 0" train words.npz \
    --objective moment --set correction=0
holds "grace trains" over 2 by-grace words.npz --epochs 1
refuses "method dgi does not train over ranks; expected grace, or one rank" train words.npz --method dgi
checked
