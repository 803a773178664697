#!/usr/bin/env bash
# Ranks that read a folder, each its rows alone, against ranks that read the same data set whole: the same
# bytes, whatever the features, the order of the edges and the settings. Features that do not fit a rank's
# memory; what is wrong in a file, said in one line.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
build=$1 graco=$1/graco
needs_ranks "$build/graco-mpi"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# over COUNT RUN DATASET OPTION...: a training of four epochs, quietly.
over() { ranks "$1" "$build/graco-mpi" train "$3" -o "$2" -q --threads 1 --epochs 4 --set hidden=16 "${@:4}"; }
# by_rows NAME COUNT OPTION...: NAME.npz and NAME as a folder; `graco embed` gives the same rows too, but for
# contaminated features, which it does not know.
by_rows() {
    local name=$1 count=$2 file
    shift 2
    rm -rf whole rows
    over "$count" whole "$name.npz" "$@"
    over "$count" rows "$name" "$@"
    for file in model.safetensors embeddings.npy; do same whole/$file rows/$file; done
    same <(grep -E '"(nodes|edges|input|fingerprint|scaling)"' whole/config.json) \
        <(grep -E '"(nodes|edges|input|fingerprint|scaling)"' rows/config.json)
    [[ $* == *contaminate* ]] && return
    "$graco" embed rows "$name" -o embedded.npy 2>/dev/null
    same rows/embeddings.npy embedded.npy
}

"$graco" generate words.npz --nodes 300 --features 60 2>/dev/null
"$graco" generate dense.npz --nodes 260 --features 20 --dense --seed 1 2>/dev/null
awk 'BEGIN { state = 7
    for (i = 0; i < 900; i++) {
        for (k = 0; k < 2; k++) { state = (state * 16807) % 2147483647; x[k] = state % 250 }
        print "n" x[0], "n" x[1] > "arrows.txt" }
    for (i = 0; i < 250; i++) print "n" i "," i % 7 "," i % 3 "," i % 2 > "arrows.csv" }'
"$graco" convert arrows.txt arrows.npz --features arrows.csv >/dev/null 2>&1
for name in words dense arrows; do "$graco" convert $name.npz $name >/dev/null 2>&1; done
for count in 2 3 5; do by_rows words $count --objective moment; done
by_rows words 4 --set encoder=sage --set contaminate=0.2 --objective infonce
by_rows dense 3 --set encoder=sage_skip --set activation=prelu # multiplied first
by_rows dense 3 --set hidden=40                                # propagated first: other ranks' rows are read
by_rows dense 2 --set contaminate=0.3 --set scaling=rowsum
by_rows arrows 3 # directed, and nodes have names
by_rows words 3 --set inductive=1           # these read it whole:
by_rows words 3 --set node_features=degree

# A run goes on with any data set that has the same fingerprint, by any number of ranks.
over 2 went words.npz
ranks 3 "$build/graco-mpi" train words -o went -q --threads 1 --resume --epochs 8
"$graco" train words.npz -o went -q --threads 1 --resume --epochs 9
holds "nine epochs" [ "$(wc -l <went/metrics.jsonl)" = 9 ]

# numbers BYTES N...: little-endian integers. npy FILE TYPE SHAPE: a header; the items come from stdin.
numbers() {
    local bytes=$1 n i
    shift
    for n; do for ((i = 0; i < bytes; i++)); do printf "\\x$(printf %02x $((n >> 8 * i & 255)))"; done; done
}
npy() {
    local text="{'descr': '$2', 'fortran_order': False, 'shape': ($3), }"
    { printf '\x93NUMPY\x01\x00\x76\x00'; printf '%-117s\n' "$text"; cat; } >"$1"
}
# Edges in no order, some twice, some from a node to itself, in 8 bytes each.
sources=() targets=()
for ((i = 0; i < 120; i++)); do sources+=($((i * 37 % 60))) targets+=($((i * i % 60))); done
cp -r dense messy
rm messy/{y,split,num_nodes}.npy
head -c $((128 + 60 * 20 * 4)) dense/x.npy | tail -c +129 | npy messy/x.npy '<f4' '60, 20'
numbers 8 "${sources[@]}" "${targets[@]}" | npy messy/edge_index.npy '<i8' '2, 120'
"$graco" convert messy messy.npz >/dev/null 2>&1
by_rows messy 4 --objective moment
left() { "$build/graco" info "$1" --json 2>/dev/null | grep -oE '"(self_loops|duplicates)": *[0-9]+'; }
holds "some edges are left out" grep -q '[1-9]' <(left messy)

# refuses TEXT: three ranks end with one line of graco's, of any rank.
refuses() {
    local code=0
    rm -rf refused
    over 3 refused broken >out 2>&1 || code=$?
    holds "broken: exit code $code" [ "$code" -ne 0 ]
    holds "broken: one line '$1' in $(cat out)" [ "$(grep '^graco: ' out | sed 's/rank [0-9]*: //')" = "graco: broken: $1" ]
}
cp -r messy broken
targets[119]=60
numbers 8 "${sources[@]}" "${targets[@]}" | npy broken/edge_index.npy '<i8' '2, 120'
refuses "edge 119 leads to node 60: expected 0 to 59"
cp messy/edge_index.npy broken/edge_index.npy
{ head -c $((128 + 59 * 20 * 4)) messy/x.npy | tail -c +129; numbers 4 $((0x7fc00000)); tail -c 76 messy/x.npy; } |
    npy broken/x.npy '<f4' '60, 20'
refuses "feature 0 of node 59 is nan: expected a finite number"
rm -rf broken
cp -r words broken
numbers 8 300 61 | npy broken/x_shape.npy '<i8' '2,'
tail -c +137 words/x_indptr.npy | head -c 2384 >start
{ numbers 8 0; cat start; } | npy broken/x_indptr.npy '<i8' '299,'
refuses "x_indptr has 299 items: expected 301"
{ numbers 8 -5; cat start; numbers 8 1 2; } | npy broken/x_indptr.npy '<i8' '301,'
refuses "x_indptr has -5 behind -5: expected row pointers that ascend from 0"

# 655 MB of features under 600 MB of addresses, of which MPI takes nearly half.
if [ "$(df -Pk . | awk 'NR == 2 { print $4 }')" -lt 2000000 ] || nm "$build/graco" 2>/dev/null | grep -q __asan_init; then
    echo "left out: features beyond a limit of memory, which need 2 GB of disk and no sanitizer"
else
    "$graco" generate large --nodes 20000 --features 8192 --dense 2>/dev/null
    limited() (ulimit -v 600000 && "$@")
    code=0
    limited "$graco" train large -o large-1 -q --threads 1 --epochs 2 --objective moment --set hidden=16 2>err || code=$?
    holds "one process: exit code $code, $(cat err)" [ "$code" = 1 ]
    holds "one process says why: $(cat err)" grep -qx 'graco: cannot map large/x.npy: Cannot allocate memory' err
    holds "four ranks train" limited over 4 large-4 large --objective moment
    holds "embeddings of all nodes" [ "$(wc -c <large-4/embeddings.npy)" = $((128 + 20000 * 16 * 4)) ]
fi
checked
