#!/usr/bin/env bash
# A hundred kills in trainings over ranks: random ranks, most after a random epoch, several in most trainings, by
# a seed that is printed, and the run is resumed, until it ends: with the bytes of one that nobody disturbed
# where three ranks always go on, and with its losses where each time another number of ranks does.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
kills=${GRACO_KILLS:-100} epochs=60
RANDOM=${GRACO_SEED:-$$}
echo "seed ${GRACO_SEED:-$$}"
"$graco" generate graph.npz --nodes 400 --features 30 2>/dev/null
"$graco" convert graph.npz graph >/dev/null 2>&1
options=(-q --threads 1 --set checkpoint_every=3 --set hidden=16 --set activation=elu --epochs $epochs)
# Whole graphs by rows, and mini-batches; elu, because relu may turn a last bit into a unit that is on or off.
kinds=("graph --objective exact" "graph --objective moment" "graph.npz --set batch=100")
for i in "${!kinds[@]}"; do
    ranks 3 "$build/graco-mpi" train ${kinds[i]} "${options[@]}" -o whole-"$i"
done

logged() { wc -l 2>/dev/null <run/metrics.jsonl || echo 0; }

# await JOB: until it has logged a few epochs more, or has ended; every fourth time for a while from its start.
await() {
    local goal=$(($(logged) + RANDOM % 25))
    if [ $((RANDOM % 4)) = 0 ]; then
        sleep "$((RANDOM % 2)).$((RANDOM % 90 + 10))"
    else
        while kill -0 "$1" 2>/dev/null && [ "$(logged)" -lt $goal ]; do sleep 0.01; done
        sleep "0.0$((RANDOM % 10))"
    fi
}

done_kills=0 others=0 resumed=0
while [ "$done_kills" -lt "$kills" ]; do
    kind=$((RANDOM % ${#kinds[@]})) mixed=$((RANDOM % 2)) kills_before=$done_kills
    rm -rf run
    for ((tries = 0; tries < 8; tries++)); do
        resume=() count=$((mixed ? RANDOM % 4 + 1 : 3))
        [ -e run/model.safetensors ] && resume=(--resume) && resumed=$((resumed + 1))
        [ -e run ] && [ ${#resume[@]} = 0 ] && rm -rf run
        timeout -k 5 $RANKS_SECONDS mpirun -n $count "$build/graco-mpi" train ${kinds[kind]} "${options[@]}" "${resume[@]}" -o run >out 2>&1 &
        job=$! code=0
        await $job
        mpirun=$(pgrep -P $job -x mpirun || true)
        victim=$([ -z "$mpirun" ] || rank_pids "$mpirun" | sed -n "$((RANDOM % count + 1))p" || true) # it may have ended
        if [ "$tries" -lt 7 ] && [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null; then
            done_kills=$((done_kills + 1))
        fi
        wait $job || code=$?
        [ $code -eq 0 ] && break
    done
    holds "kind $kind ends after $tries kills: $(cat out)" [ $code -eq 0 ]
    if [ $mixed = 1 ]; then
        others=$((others + done_kills - kills_before))
        agree whole-$kind run $epochs
    else
        for file in model.safetensors embeddings.npy; do same run/$file whole-$kind/$file; done
    fi
    holds "kind $kind: $epochs whole lines" [ "$(grep -c '^{.*}$' run/metrics.jsonl)" = $epochs ]
done
echo "$done_kills kills, $others of them in trainings by other numbers of ranks; $resumed times a checkpoint was there"
holds "most kills leave a checkpoint: $resumed of $done_kills" [ $((2 * resumed)) -ge "$done_kills" ]
checked
