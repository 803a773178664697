#!/usr/bin/env bash
# graco plan: its memory is within 25 % of the peak of the training, over methods and shapes; its time is that of
# steps that were run, where there are some; bad input is refused in one line; what does not fit gets settings that do.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# field NAME FILE: a number of a JSON object.
field() { sed -n "s/.*\"$1\": \([-0-9.e+]*\).*/\1/p" "$2"; }
# within NAME PLANNED ACTUAL: planned is within 25 % of actual.
within() {
    holds "$1: $2 planned, $3 taken" \
        awk -v p="$2" -v a="$3" 'BEGIN { exit !(p >= 0.75 * a && p <= 1.25 * a) }'
}
sanitized=$(grep -c '^GRACO_SANITIZE:STRING=.' "$1/CMakeCache.txt" || true)
[ "$sanitized" -eq 0 ] || echo "left out: memory held against plans, for sanitizers take some of their own"
# compare ARGUMENT...: the same command line planned and trained.
compare() {
    exits 0 '"host_bytes"' plan "$@" --threads 1 --device cpu --json
    [ "$sanitized" -eq 0 ] || return 0
    mv out planned
    rm -rf run
    exits 0 '"peak_rss_bytes"' train "$@" --threads 1 --device cpu --json -q -o run
    within "graco train $*" "$(field host_bytes planned)" "$(field peak_rss_bytes out)"
}

# ---- Memory -------------------------------------------------------------------------------------
exits 0 "" generate cora.npz --nodes 2500 --features 1400
exits 0 "" generate wide.npz --nodes 2500 --features 8000 --degree 4
exits 0 "" generate big.npz --nodes 8000 --features 20 --degree 3
exits 0 "" generate small.npz --nodes 2500 --features 20 --degree 3
exits 0 "" generate dense.npz --nodes 3000 --features 400 --dense
exits 0 "" generate many --like ppi --scale 0.1
compare cora.npz --epochs 1 --set hidden=64
compare cora.npz --epochs 1 --set hidden=64 --objective infonce --memory 4M
compare wide.npz --epochs 1 --set hidden=32 --objective moment
compare wide.npz --epochs 50 --set hidden=2 --set layers=1 --objective moment --set correction=8 --set patience=50
compare big.npz --epochs 1 --set hidden=16 --objective moment --set correction=16
compare dense.npz --epochs 1 --set hidden=32 --objective moment
compare dense.npz --epochs 1 --set hidden=32 --set batch=256 --set fanout=5,5 --set encoder=sage
compare wide.npz --epochs 1 --set hidden=16 --set batch=1024 --set fanout=3,3
compare many --epochs 1 --set hidden=32
compare wide.npz --epochs 1 --method dgi --set hidden=16
compare cora.npz --epochs 1 --method gae
compare cora.npz --epochs 1 --method gcn
compare cora.npz --epochs 1 --method sage_mean --set steps=4
compare cora.npz --epochs 1 --method deepwalk --set walks=1 --set hidden=32
compare dense.npz --method sgc

# ---- Times --------------------------------------------------------------------------------------
# A short training is run to its end; one of an hour is not. Neither leaves anything behind.
exits 0 '"timed_steps": 3,' plan cora.npz --threads 1 --device cpu --method gae --epochs 3 --json
holds "all of its time is known: $(cat out)" awk -v e="$(field epoch_seconds out)" -v s="$(field seconds out)" \
    -v l="$(field load_seconds out)" -v p="$(field prepare_seconds out)" \
    'BEGIN { d = s - l - p - 3 * e; exit !(e > 0 && d < 1e-6 && d > -1e-6) }'
exits 0 '"epochs": 1000000' plan cora.npz --threads 1 --device cpu --method gae --epochs 1000000 --json
holds "some steps are run: $(cat out)" awk -v n="$(field timed_steps out)" -v e="$(field epoch_seconds out)" \
    -v s="$(field seconds out)" 'BEGIN { exit !(n >= 3 && n < 1e6 && s > 9e5 * e && e > 0) }'
exits 0 "for 2 epochs, before the embeddings" plan cora.npz --threads 1 --device cpu --method gcn --epochs 2
exits 0 "not measured: there is no epoch" plan cora.npz --threads 1 --device cpu --method sgc
exits 0 "not measured: this machine has too little memory" plan cora.npz --threads 1 --device cpu \
    --set hidden=65536 --set projection=65536 --set layers=8 --available 1000T
holds "only data sets are here: $(ls)" [ "$(ls | grep -cvE 'npz$|^(many|out|err|planned|run)$')" -eq 0 ]
# Ctrl-C ends the measuring: memory is told, and what was seen of a step, which takes minutes.
"$graco" plan big.npz --threads 1 --device cpu --set hidden=64 >out 2>err &
await $! "a plan measures" grep '^SigCgt:.*[2367abef]$' "/proc/$!/status"
kill -INT $!
wait $! && pass || fail "a plan that was interrupted fails: $(cat err)"
holds "memory and time are told: $(cat out)" [ "$(grep -cE '^host memory .* at most|^an epoch .*: no step ended in|^an epoch .* in 1 step' out)" -eq 2 ]

# ---- What does not fit --------------------------------------------------------------------------
tight=$([ "$sanitized" -eq 0 ] && echo 96M || echo 125M) # sanitizers take some of their own
wide=(--set encoder=gcn --set objective=exact --set parts=learned --set width=0)
exits 0 "it does not fit; with one setting changed:" plan small.npz --threads 1 --device cpu "${wide[@]}" \
    --set hidden=256 --memory 64M --epochs 1 --available "$tight"
holds "batches fit: $(cat out)" grep -q 'batch=256 .*: fits' out
holds "a small width fits: $(cat out)" grep -q 'hidden=[0-9]* .*: fits' out
# Each piece of advice, planned by itself, takes what the advice says.
exits 0 '"fits": false' plan small.npz --threads 1 --device cpu "${wide[@]}" --set hidden=256 --memory 64M --epochs 1 --available "$tight" --json
tr '{' '\n' <out | sed -n 's/^"setting": "\([^"]*\)", "host_bytes": \([0-9]*\),.*"fits": \([a-z]*\).*/\1 \2 \3/p' >advice
holds "there is advice: $(cat advice)" [ "$(wc -l <advice)" -ge 4 ]
while read -r setting bytes fits; do
    exits 0 "\"fits\": $fits, \"instead\"" plan small.npz --threads 1 --device cpu "${wide[@]}" --set hidden=256 --memory 64M --epochs 1 \
        --set "$setting" --available "$tight" --json
    sed 's/"instead".*//' out >alone
    within "the advice $setting" "$bytes" "$(field host_bytes alone)"
done <advice
# A setting that changes nothing is no advice.
exits 0 "not measured: it does not fit" plan cora.npz --threads 1 --device cpu --method gae --available 10M
holds "gae keeps no tiles: $(cat out)" [ "$(grep -c 'memory=' out)" -eq 0 ]
exits 0 '"fits": false' plan big.npz --threads 1 --device cpu --set hidden=512 --available 200M --json
exits 0 '"instead": []' plan big.npz --threads 1 --device cpu --epochs 0 --json

# ---- Ranks --------------------------------------------------------------------------------------
exits 0 "over 3 ranks" plan cora.npz --threads 1 --ranks 3 --epochs 1
holds "every rank has nodes: $(cat out)" grep -qE '^nodes +[0-9]+ +833.3' out
exits 0 '"fits": false' plan cora.npz --threads 1 --ranks 3 --available 10M --json
exits 0 "it does not fit: 10 MiB available" plan cora.npz --threads 1 --ranks 3 --available 10M
# Links decide what sending takes: per message with no limit on bytes, per byte with no latency.
exits 0 '"ranks": 4' plan cora.npz --threads 1 --ranks 4 --link 1e6 --latency 1e6 --json
holds "a second a message: $(cat out)" awk -v s="$(sed 's/.*"mean": //' out | grep -o '"send_seconds": [0-9.]*' | head -1 | sed 's/.* //')" \
    -v m="$(sed 's/.*"mean": //' out | grep -o '"sent_messages": [0-9.]*' | head -1 | sed 's/.* //')" 'BEGIN { exit !(s > m && s < m + 0.1) }'
printf '0 1\n' >two.txt
: >none.txt
exits 0 "over 2 ranks" plan two.txt --threads 1 --ranks 2 --node-features degree --set hidden=4
exits 2 "2 nodes for 3 ranks: expected at least one for each" plan two.txt --threads 1 --ranks 3 \
    --node-features degree --set hidden=4
exits 1 "none.txt" plan none.txt --threads 1 --ranks 2
exits 2 "plans over ranks do not count many graphs: expected one" plan many --threads 1 --ranks 2
exits 0 "over 1 rank" plan many --threads 1 --ranks 1 --set hidden=8
exits 2 "plan: --ranks is '0'; expected a whole number from 1 to 65536" plan cora.npz --ranks 0
exits 2 "plan: --ranks is 'many'" plan cora.npz --ranks many
exits 2 "plan: --ranks is '-3'" plan cora.npz --ranks -3
exits 2 "plan: --ranks is '1e99'" plan cora.npz --ranks 1e99
exits 2 "plan: --link is '0'" plan cora.npz --ranks 2 --link 0
exits 2 "plan: --latency is 'nan'" plan cora.npz --ranks 2 --latency nan

# ---- Bad input ----------------------------------------------------------------------------------
exits 1 "no data set 'nothing'" plan nothing
exits 2 "plan: --set: " plan cora.npz --set hiden=4
exits 2 "plan: --epochs is 'x'" plan cora.npz --epochs x
exits 2 "plan: --available is 'lots'" plan cora.npz --available lots
# What the training refuses is refused.
exits 2 "patience of the method grace looks at" plan cora.npz --threads 1 --set inductive=1 --set patience=50
exits 2 "batch = 1 leaves nothing" plan cora.npz --threads 1 --set batch=1
exits 2 "node2vec" plan cora.npz --threads 1 --device cpu --node-features walk
exits 0 "TiB at most" plan two.txt --node-features degree --threads 1 --device cpu --set hidden=65536 --set projection=65536 \
    --set layers=8
checked
