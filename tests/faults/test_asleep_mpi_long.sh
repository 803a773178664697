#!/usr/bin/env bash
# A job that is suspended as a whole, longer than a silent rank is waited for, goes on as if nothing had been: no rank
# gives up another that slept as long as itself.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
silence=$(sed -n 's/.*SILENCE_SECONDS = \([0-9]*\),.*/\1/p' "$GRACO_SOURCE/src/comm/comm_mpi.c")
"$graco" generate graph.npz --nodes 1000 --features 40 2>/dev/null
training=("$build/graco-mpi" train graph.npz -q --threads 1 --set hidden=16 --epochs 300)
ranks 3 "${training[@]}" -o undisturbed
timeout -k 5 $RANKS_SECONDS mpirun -n 3 "${training[@]}" -o slept >out 2>&1 &
job=$! code=0
begun slept 3
mpirun=$(pgrep -P $job -x mpirun)
processes=("$mpirun" $(rank_pids "$mpirun"))
kill -STOP "${processes[@]}"
epochs=$(wc -l <slept/metrics.jsonl)
sleep $((silence + 5))
holds "it sleeps: $(wc -l <slept/metrics.jsonl) epochs" [ "$(wc -l <slept/metrics.jsonl)" = "$epochs" ]
kill -CONT "${processes[@]}"
wait $job || code=$?
holds "exit code $code: $(cat out)" [ "$code" = 0 ]
same undisturbed/model.safetensors slept/model.safetensors
same undisturbed/embeddings.npy slept/embeddings.npy
checked
