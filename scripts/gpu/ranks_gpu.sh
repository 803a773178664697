#!/usr/bin/env bash
# Ranks on a GPU, a line for each result: two ranks that share it, whose messages go through the host, against one process on
# it; NCCL with one rank; a rank that is killed. Goes on after a failure, and ends with 1 if there was one. Under two minutes.
# scripts/gpu/ranks_gpu.sh BUILD       a build with -DGRACO_CUDA=ON and MPI
# Expects Open MPI's mpirun on the PATH. Where Open MPI was carried here as a folder: OPAL_PREFIX names that folder, with bin/,
# lib/ and share/ below it, PATH has its bin/, LD_LIBRARY_PATH its lib/ and the folders of libcublas.so and libnccl.so.2.
# Cora from $GRACO_DATA; without it a generated graph of its size.
set -uo pipefail

[ $# -eq 1 ] || { echo "usage: $0 BUILD" >&2; exit 2; }
build=$(realpath "$1")
# shellcheck source=tests/ranks.sh
. "$(dirname "$0")/../../tests/ranks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# say NAME RESULT: one line; a result that begins with "no: " is a failure.
say() {
    echo "$1: $2"
    case $2 in no:*) failed=1 ;; esac
}

# train COUNT RUN DATASET OPTION...: by so many ranks on the GPU, or with 0 by one process. Whether it ended well.
train() {
    local count=$1 run=$2 data=$3 program=("$build/graco")
    shift 3
    [ "$count" -eq 0 ] || program=(mpirun -n "$count" "$build/graco-mpi")
    timeout -k 5 40 "${program[@]}" train "$data" -o "$run" -q --threads 1 --device cuda "$@" \
        >"$run.log" 2>&1 && [ -s "$run/metrics.jsonl" ]
}

# apart RUN RUN EPOCHS: the largest relative difference of their losses, and whether it is at most $most.
most=1e-5
apart() {
    paste <(losses "$1") <(losses "$2") | awk -v epochs="$3" -v limit="$most" '
        { d = ($1 - $2) / $1; d = d < 0 ? -d : d; most = d > most ? d : most; n += NF == 2 }
        END { printf "%s: losses of %d epochs at most %.2e apart", n == epochs && most <= limit ? "yes" : "no", n, most }'
}

# compare NAME DATASET EPOCHS OPTION...: one process, two ranks, and these again.
compare() {
    local name=$1 data=$2 epochs=$3
    shift 3
    train 0 "$name-one" "$data" --epochs "$epochs" "$@" ||
        { say "$name, one process" "no: $(head -n 1 "$name-one.log")"; return; }
    train 2 "$name-two" "$data" --epochs "$epochs" "$@" ||
        { say "$name, two ranks" "no: $(head -n 1 "$name-two.log")"; return; }
    say "$name, two ranks against one process" "$(apart "$name-one" "$name-two" "$epochs")"
    train 2 "$name-again" "$data" --epochs "$epochs" "$@"
    if cmp -s "$name-two/model.safetensors" "$name-again/model.safetensors"; then
        say "$name, two ranks again" "yes: the same bytes"
    else
        say "$name, two ranks again" "no: other bytes"
    fi
}

nvidia-smi --query-gpu=name,uuid --format=csv,noheader 2>&1 | head -n 4
command -v mpirun >/dev/null || { say "mpirun" "no: it is not on the PATH"; exit 1; }
ranks 2 true >/dev/null 2>&1 || say "mpirun" "no: it starts nothing here"

cora=cora
[ -e "${GRACO_DATA:-none}/cora" ] || { cora=like.npz; "$build/graco" generate like.npz --nodes 2708 --features 1433 >/dev/null; }
"$build/graco" generate large.npz --nodes 20000 --features 128 --dense >/dev/null
compare exact "$cora" 20 --objective exact --set precision=fp32
compare moment "$cora" 20 --objective moment --set precision=fp32
compare infonce "$cora" 5 --objective infonce --set encoder=sage --set activation=rrelu --set precision=fp32
compare large-exact large.npz 3 --objective exact --set precision=fp32
compare large-moment large.npz 5 --objective moment --set precision=fp32
most=1e-3 # halves: one process has tiles, ranks have panels
compare halves "$cora" 5 --objective exact --set precision=fp16

# NCCL itself: a rank that sends to itself, since two ranks on one GPU are refused by it.
code=0
said=$(timeout -k 5 30 "$build/tests/compute_test_nccl_gpu" 2>&1 | tail -n 1) || code=$?
case $code in
0) say "NCCL with one rank" "yes: $said" ;;
77) say "NCCL with one rank" "left out: $said" ;;
*) say "NCCL with one rank" "no: $said (exit code $code)" ;;
esac

# A rank is killed in the midst of a training: mpirun ends the other one, and the command fails.
timeout -k 5 40 mpirun -n 2 "$build/graco-mpi" train large.npz -o "$work/killed" --threads 1 --device cuda --objective moment \
    --epochs 100000 -q >killed.log 2>&1 &
job=$!
victim=
for _ in $(seq 100); do
    for process in /proc/[0-9]*; do
        [ "$(cat "$process/comm" 2>/dev/null)" != graco-mpi ] || ! grep -qs "$work/killed" "$process/cmdline" ||
            victim=${process##*/}
    done
    [ -s killed/metrics.jsonl ] && [ -n "$victim" ] && break
    sleep 0.1
done
if [ -s killed/metrics.jsonl ] && [ -n "$victim" ]; then
    begun=$SECONDS
    kill -9 "$victim"
    code=0
    wait "$job" || code=$?
    took=$((SECONDS - begun))
    if [ "$code" -ne 0 ] && [ "$code" -ne 124 ] && [ "$took" -le 25 ]; then
        say "a killed rank" "yes: all ended within $took s, exit code $code"
    else
        say "a killed rank" "no: exit code $code after $took s"
    fi
else
    say "a killed rank" "no: the training did not begin: $(head -n 1 killed.log)"
    wait "$job"
fi
exit $failed
