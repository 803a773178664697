#!/usr/bin/env bash
# Ranks that read a folder, each its rows alone, against ranks that read the same data set whole: the same
# bytes, whatever the features, the order of the edges and the settings. Features that do not fit a rank's
# memory; what is wrong in a file, said in one line. `test_rows_mpi.sh BUILD` tries a sample; test_rows_mpi_long.sh all.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"
all=${2-}
# more COMMAND...: what the sample leaves out.
more() { [ -z "$all" ] || "$@"; }

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

# numbers BYTES N...: little-endian integers. npy FILE TYPE SHAPE: a header; the items come from stdin.
numbers() {
    local bytes=$1 n i text= byte
    shift
    for n; do for ((i = 0; i < bytes; i++)); do printf -v byte '\\x%02x' $((n >> 8 * i & 255)) && text+=$byte; done; done
    printf "$text"
}
npy() {
    local text="{'descr': '$2', 'fortran_order': False, 'shape': ($3), }"
    { printf '\x93NUMPY\x01\x00\x76\x00'; printf '%-117s\n' "$text"; cat; } >"$1"
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
by_rows words 3 --objective moment
for count in 2 5; do more by_rows words $count --objective moment; done
more by_rows words 4 --set encoder=sage --set contaminate=0.2 --objective infonce
more by_rows dense 3 --set encoder=sage_skip --set activation=prelu # multiplied first
by_rows dense 3 --set hidden=40                                # propagated first: other ranks' rows are read
more by_rows dense 2 --set contaminate=0.3 --set scaling=rowsum
by_rows arrows 3 # directed, and nodes have names
more by_rows words 3 --set inductive=1
more by_rows words 3 --set node_features=degree
more by_rows arrows 4 --undirected
more by_rows dense 3 --set inductive=1 --set hidden=40
more by_rows words 3 --set inductive=1 --set node_features=degree # read whole

# An order, alone and with what else divides the nodes anew.
shuffled() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print i * 7 % n }'; } # 7 divides no n here
for name in words dense arrows; do
    cp -r $name $name-ordered
    nodes=$("$graco" info $name --json 2>/dev/null | sed -n 's/.*"nodes": *\([0-9]*\),.*/\1/p' | head -n 1)
    numbers 4 $(shuffled "$nodes") | npy $name-ordered/rank_order.npy '<i4' "$nodes,"
    "$graco" convert $name-ordered $name-ordered.npz >/dev/null 2>&1
done
by_rows words-ordered 3
for count in 1 2 4; do more by_rows words-ordered $count; done
more by_rows arrows-ordered 3
more by_rows words-ordered 3 --set contaminate=0.2 --set inductive=1
more by_rows dense-ordered 3 --set hidden=40
more by_rows arrows-ordered 2 --undirected --objective moment
# Weights that differ, that are 1 but for one, and that are all 1.
awk '{ print $1, $2, 0.5 + NR % 9 }' arrows.txt >weighted.txt
awk '{ print $1, $2, 1 + (NR == 5) }' <(sort -u arrows.txt) >nearly.txt
awk '{ print $1, $2, 1 }' <(sort -u arrows.txt) >ones.txt
for name in weighted nearly ones; do
    "$graco" convert $name.txt $name.npz --features arrows.csv >/dev/null 2>&1
    "$graco" convert $name.npz $name >/dev/null 2>&1
done
by_rows weighted 3 --objective moment
for count in 1 2 4; do more by_rows weighted $count --objective moment; done
holds "weights are there" [ -e nearly/edge_weight.npy ]
more by_rows nearly 4 --set encoder=sage
more by_rows weighted 3 --undirected
numbers 4 $(for ((i = 0; i < $(($(wc -c <ones/edge_index.npy) / 8 - 16)); i++)); do echo $((0x3f800000)); done) |
    npy ones/edge_weight.npy '<f4' "$(($(wc -c <ones/edge_index.npy) / 8 - 16)),"
more by_rows ones 3
# Features of other types: halves, doubles, whole numbers.
for type in f8 ${all:+f2 i1}; do
    cp -r dense dense-$type
    items=$((260 * 20)) bytes=${type#?}
    case $type in
    f2) item=(0 15360 49152 13107 14336) ;;                                 # 0, 1, -2, 0.2499, 0.5
    f8) item=($((0x3ff0000000000000)) $((0x3fb999999999999a)) 0 $((0xc008000000000000)) 0) ;; # 1, 0.1, 0, -3, 0
    i1) item=(0 3 255 7 1) ;;                                               # 255 is -1
    esac
    for ((i = 0; i < items; i++)); do echo ${item[i * i % 101 % 5]}; done >items
    numbers $bytes $(<items) | npy dense-$type/x.npy "<$type" '260, 20'
    "$graco" convert dense-$type dense-$type.npz >/dev/null 2>&1
    by_rows dense-$type 3
done
# No features at all.
mkdir bare
cp words/{edge_index,num_nodes,y,split}.npy bare
"$graco" convert bare bare.npz >/dev/null 2>&1
more by_rows bare 3 --set node_features=degree
more by_rows bare 2 # spectral: read whole

# A run goes on with any data set that has the same fingerprint, by any number of ranks.
over 2 went words.npz
ranks 3 "$build/graco-mpi" train words -o went -q --threads 1 --resume --epochs 8
"$graco" train words.npz -o went -q --threads 1 --resume --epochs 9
holds "nine epochs" [ "$(wc -l <went/metrics.jsonl)" = 9 ]

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
# last_refuses TEXT: the same of the last rank alone: the others have not read what is wrong.
last_refuses() {
    refuses "$1"
    holds "broken: rank 2 alone says so in $(cat out)" grep -q '^graco: rank 2: ' out
}
cp -r messy broken
targets[119]=60
numbers 8 "${sources[@]}" "${targets[@]}" | npy broken/edge_index.npy '<i8' '2, 120'
refuses "edge 119 joins nodes 23 and 60: expected 0 to 59"
cp messy/edge_index.npy broken/edge_index.npy
{ head -c $((128 + 59 * 20 * 4)) messy/x.npy | tail -c +129; numbers 4 $((0x7fc00000)); tail -c 76 messy/x.npy; } |
    npy broken/x.npy '<f4' '60, 20'
last_refuses "feature 0 of node 59 is nan: expected a finite number"
numbers 4 $(shuffled 60) | npy broken/rank_order.npy '<i4' '60,'
more last_refuses "feature 0 of node 59 is nan: expected a finite number"
rm -rf broken
cp -r weighted broken
weights=$(($(wc -c <weighted/edge_weight.npy) / 4 - 32))
{ head -c -4 weighted/edge_weight.npy | tail -c +129; numbers 4 0; } | npy broken/edge_weight.npy '<f4' "$weights,"
over 3 refused broken >out 2>&1 || true
holds "a weight of 0, which rank 2 alone has read: $(cat out)" grep -q "^graco: rank 2: broken: edge $((weights - 1)), from node .*, has the weight 0: " out
rm -rf broken
cp -r dense-f8 broken
{ head -c -8 dense-f8/x.npy | tail -c +129; numbers 8 $((0x7ff8000000000000)); } | npy broken/x.npy '<f8' '260, 20'
last_refuses "feature 19 of node 259 is nan: expected a finite number"
rm -rf broken
cp -r words broken
numbers 8 300 61 | npy broken/x_shape.npy '<i8' '2,'
tail -c +137 words/x_indptr.npy | head -c 2384 >start
{ numbers 8 0; cat start; } | npy broken/x_indptr.npy '<i8' '299,'
refuses "x_data, x_indices, x_indptr: the row pointers has 299 rows: expected 301"
# Entries that no row has: no rank sees all pointers, and all of them refuse as one process does.
cp words/x_shape.npy broken/x_shape.npy
entries=$(od -An -t d8 -j $(($(wc -c <words/x_indptr.npy) - 8)) words/x_indptr.npy | tr -d ' ')
{ head -c -8 words/x_indptr.npy | tail -c +129; numbers 8 $((entries - 1)); } | npy broken/x_indptr.npy '<i8' '301,'
refuses "x_data, x_indices, x_indptr: row pointers run from 0 to $((entries - 1)): expected 0 to $entries, the number of entries"
{ numbers 8 -5; cat start; numbers 8 1 2; } | npy broken/x_indptr.npy '<i8' '301,'
more refuses "x_data, x_indices, x_indptr: row pointers run from -5 to 2: expected 0 to $entries, the number of entries"
# Shapes that no matrix has, and one of no rows: the numbers are those of all rows.
cp words/x_indptr.npy broken
for cols in -3 $((1 << 40)); do
    numbers 8 300 $cols | npy broken/x_shape.npy '<i8' '2,'
    more refuses "x_data, x_indices, x_indptr: a matrix of 300 x $cols: expected at most 2147483647 of each"
done
rm -rf broken
mkdir broken
numbers 8 0 1 1 0 | npy broken/edge_index.npy '<i8' '2, 2'
numbers 8 0 5 | npy broken/x_shape.npy '<i8' '2,'
numbers 8 0 | npy broken/x_indptr.npy '<i8' '1,'
for file in data indices; do npy broken/x_$file.npy '<i4' '0,' </dev/null; done
more refuses "a graph of 0 nodes: expected 1 to 2147483647"
# One of the four files alone is no data set without features.
for file in data indices indptr shape; do
    rm -rf broken
    mkdir broken
    cp words/{edge_index,num_nodes}.npy words/x_$file.npy broken
    more refuses "the folder has no x_$([ $file = data ] && echo indices || echo data).npy"
done
# Faults in what the second of two ranks reads: one process has the same line, with the numbers of the file.
# wrong_alike FILE BYTES ITEM BITS: a folder that is `broken` but for an item of FILE, counted from its end.
wrong_alike() {
    local all
    all=$(wc -c <broken/"$1")
    cp broken/"$1" sound.npy
    { head -c $((all - $2 * $3)) sound.npy; numbers "$2" "$4"; tail -c $(($2 * ($3 - 1))) sound.npy; } | head -c "$all" >broken/"$1"
    "$graco" train broken -o refused -q >alone 2>&1 || true
    over 2 refused broken >out 2>&1 || true
    holds "one process refuses: $(cat alone)" grep -q '^graco: broken: ' alone
    holds "ranks say '$(cat alone)' in $(cat out)" [ "$(grep '^graco: ' out)" = "$(sed 's/^graco: /graco: rank 1: /' alone)" ]
    mv sound.npy broken/"$1"
    rm -rf refused
}
rm -rf broken
cp -r dense-f8 broken
wrong_alike x.npy 8 25 $((0x7e37e43c8800759c)) # 1e300
cp messy/edge_index.npy broken/edge_index.npy
more wrong_alike edge_index.npy 8 127 $((1 << 40))
rm -rf broken
cp -r weighted broken
numbers 8 $(for ((i = 0; i < weights; i++)); do echo $((0x3ff0000000000000)); done) | npy broken/edge_weight.npy '<f8' "$weights,"
more wrong_alike edge_weight.npy 8 3 $((0x7e37e43c8800759c))
rm -rf broken
cp -r words broken
more wrong_alike x_data.npy 4 4 $((0x7fc00000))
more wrong_alike x_indices.npy 4 4 61
wrong_alike x_indptr.npy 8 9 $((entries / 2))
numbers 8 $(od -An -v -t d4 -j 128 words/x_indices.npy) | npy broken/x_indices.npy '<i8' "$entries,"
more wrong_alike x_indices.npy 8 4 $((1 << 40))

# Ranks that see other files under the same name: machines whose disks have different copies. copies SET: one for each
# rank. says TEXT OPTION...: three ranks train, each on its copy, and end with this line; $run is a run folder of each.
copies() {
    local rank
    rm -rf seen
    for rank in 0 1 2; do mkdir -p seen/$rank && cp -r "$1" seen/$rank/set; done
}
says() {
    ranks 3 bash -c "cd seen/\$OMPI_COMM_WORLD_RANK && exec '$build/graco-mpi' train set -o '${run:-$work/refused}' -q --threads 1 --epochs 1 ${*:2}" >out 2>&1 || true
    holds "one line '$1' in $(cat out)" [ "$(grep '^graco: ' out)" = "graco: $1" ]
    holds "MPI has nothing to say in $(cat out)" [ "$(grep -c MPI_ERR out)" = 0 ]
}
# apart FILE TEXT: the copy of rank 1 has another FILE, of the same length, which comes from stdin.
apart() {
    copies words-ordered
    cat >seen/1/set/"$1"
    holds "$1 has the same length" [ "$(wc -c <seen/1/set/"$1")" = "$(wc -c <seen/0/set/"$1")" ]
    says "$2"
}
same="expected the same files on every rank"
{ head -c -4 words/x_data.npy; numbers 4 $((0x40000000)); } | apart x_data.npy "set: rank 1: its x_data.npy is another than that of rank 0: $same"
{ head -c -4 words/edge_index.npy; numbers 4 0; } | apart edge_index.npy "set: rank 1: its edge_index.npy is another than that of rank 0: $same"
numbers 4 $(shuffled 300 | tac) | npy order.npy '<i4' '300,'
apart rank_order.npy "rank 1: its data set has another rank_order than that of rank 0; $same" <order.npy
if [ -z "$all" ]; then
    checked
    exit
fi

# One rank lacks files, or has some that rank 0 lacks; each could go on by what it has.
copies words
rm seen/1/set/x_*.npy
says "set: rank 1: it reads no x_shape.npy, and rank 0 does: $same"
rm seen/2/set/x_*.npy
mv seen/1 seen/none && mv seen/0 seen/1 && mv seen/none seen/0
says "set: rank 1: it reads x_shape.npy, and rank 0 does not: $same" --set node_features=degree
copies bare
numbers 8 301 | npy seen/1/set/num_nodes.npy '<i8' ''
says "set: rank 1: its num_nodes.npy is another than that of rank 0: $same" --set node_features=degree
mkdir bare-weighted
cp weighted/{edge_index,edge_weight}.npy bare-weighted
numbers 8 250 | npy bare-weighted/num_nodes.npy '<i8' ''
copies bare-weighted
rm seen/1/set/edge_weight.npy
says "set: rank 1: it reads no edge_weight.npy, and rank 0 does: $same" --set node_features=degree
copies weighted
for option in unweighted undirected; do
    says "rank 1: --$option is given, and not given for rank 0: expected the same on every rank" \
        "\$([ \$OMPI_COMM_WORLD_RANK != 1 ] || echo --$option)"
done
# One that is no folder cannot be read by rows, and so none is: the first rank's, or the last one's.
copies words
for rank in 0 2; do
    mv seen/$rank/set seen/$rank/folder
    cp arrows.txt seen/$rank/set
    says "rank $((rank ? rank : 1)): its data set differs from that of rank 0 in: number of nodes, graph, features, node names, split, labels; $same"
    rm seen/$rank/set && mv seen/$rank/folder seen/$rank/set
done
# The run that is continued says in which directions its edges were read.
copies weighted
for rank in 0 1 2; do
    (cd seen/$rank && alone run set --epochs 1 --set hidden=16 $([ $rank = 1 ] || echo --undirected))
done
run=run says "set: rank 1: it takes edges as they are, and rank 0 in both directions: expected the same options and the same run folder on every rank" --resume
rm -r seen/1/run
run=run says "rank 1: the run to continue is none, and run for rank 0: expected the same on every rank" --resume
# Degrees are exchanged between ranks that have their rows alone: only where all make them.
copies words
says "rank 1: node_features is given, and degree for rank 0: expected the same on every rank" \
    '--set node_features=$([ $OMPI_COMM_WORLD_RANK = 1 ] && echo given || echo degree)'
says "rank 2: node_features is degree, and given for rank 0: expected the same on every rank" \
    '--set node_features=$([ $OMPI_COMM_WORLD_RANK = 2 ] && echo degree || echo given)'

# 655 MB of features under 600 MB of addresses, of which MPI takes nearly half.
if [ "$(df -Pk . | awk 'NR == 2 { print $4 }')" -lt 3000000 ] || grep -q __asan_init "$build/graco"; then
    echo "left out: features beyond a limit of memory, which need 3 GB of disk and no sanitizer"
else
    "$graco" generate large --nodes 20000 --features 8192 --dense 2>/dev/null
    limited() (ulimit -v "${limit:-600000}" && "$@")
    code=0
    limited "$graco" train large -o large-1 -q --threads 1 --epochs 2 --objective moment --set hidden=16 2>err || code=$?
    holds "one process: exit code $code, $(cat err)" [ "$code" = 1 ]
    holds "one process says why: $(cat err)" grep -qx 'graco: cannot map large/x.npy: Cannot allocate memory' err
    holds "four ranks train" limited over 4 large-4 large --objective moment
    holds "embeddings of all nodes" [ "$(wc -c <large-4/embeddings.npy)" = $((128 + 20000 * 16 * 4)) ]
    holds "four ranks train on a split" limited over 4 large-i large --objective moment --set inductive=1
    holds "four ranks train on degrees" limited over 4 large-d large --objective moment --set node_features=degree
    # An order: a rank has what it reads, and what it gets of it from others.
    numbers 4 $(shuffled 20000) | npy large/rank_order.npy '<i4' '20000,'
    limit=850000
    holds "four ranks train in an order" limited over 4 large-o large --objective moment
fi
checked
