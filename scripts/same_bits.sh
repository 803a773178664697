#!/usr/bin/env bash
# Holds a new build against an old one: scripts/same_bits.sh OLD_GRACO NEW_GRACO
#
# Twelve short trainings on the CPU run with both programs on the same data. Between them they use
# every encoder, activation, objective and scaling, mini-batches of dense and of sparse features,
# many graphs, directed edges, contaminated features, one to three layers, products wider than 512
# and more nodes than embedding takes at once (8192). Each must give the same losses and the same
# embeddings.npy, byte for byte. From the old program's run folder the new program must embed to the
# same bytes, and resume to the bytes that the old one resumes to. Scores of the evaluation must be
# the same numbers. One line per training; exit code 1 if anything differs.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: $0 OLD_GRACO NEW_GRACO" >&2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0 trainings=0

# What is done to the features before training was called `features` once.
scaling_key() { if "$1" help train | grep -q '^  scaling '; then echo scaling; else echo features; fi; }
old_scaling=$(scaling_key "$old") new_scaling=$(scaling_key "$new")

# ---- The data, made by the old program ----------------------------------------------------------

"$old" generate words.npz --nodes 1500 --features 700
"$old" generate dense.npz --nodes 1200 --features 90 --dense --seed 1
"$old" generate many.npz --nodes 9000 --features 300 --degree 6 --seed 2
"$old" generate wide.npz --nodes 400 --features 1100 --seed 3
"$old" generate ppi --like ppi --scale 0.05
"$old" generate reddit --like reddit --scale 0.01
# A directed graph: edges that nobody turns round, with a table of features beside it.
awk -v edges="$work/arrows.txt" -v table="$work/arrows.csv" '
    function next_number(below) { state = (state * 16807) % 2147483647; return state % below }
    BEGIN {
        state = 7
        for (i = 0; i < 6000; i++) print next_number(900), next_number(900) > edges
        print 899, 0 > edges
        for (i = 0; i < 900; i++) {
            for (j = 0; j < 24; j++) printf "%s%.3f", j ? "," : "", next_number(2000) / 1000 - 1 > table
            print "" > table
        }
    }'

# ---- One training -------------------------------------------------------------------------------

# train GRACO SCALING_KEY RUN EPOCHS OPTION...
train() {
    local graco=$1 scaling=$2 run=$3 epochs=$4 option
    local -a options=()
    shift 4
    for option; do options+=("${option/#scaling=/$scaling=}"); done
    "$graco" train "$data" "${beside[@]}" -o "$run" --device cpu -q --epochs "$epochs" "${options[@]}"
}

# losses RUN: what every epoch reports, time and memory apart.
losses() { sed -e 's/ //g' -e 's/,"seconds":[^,}]*//' -e 's/,"peak_rss_bytes":[^,}]*//' "$1/metrics.jsonl" || true; }

# must WHAT COMMAND...: notes WHAT in `found` where the command fails.
must() {
    local what=$1
    shift
    "$@" || found="$found, $what"
}
same() { must "$1" cmp -s "$2" "$3"; }
same_losses() {
    losses "$2" >losses-old
    losses "$3" >losses-new
    same "$1" losses-old losses-new
}

# report NAME: one line, from what was found.
report() {
    [ -z "$found" ] || failures=$((failures + 1))
    printf '%-24s %s\n' "$1" "$([ -z "$found" ] && echo same || echo "DIFFERENT: ${found#, }")"
}

# Settings that the defaults of builds do not agree on; those that only newer builds have.
general=(--set drop_edge_1=0.2 --set drop_edge_2=0.4 --set drop_feature_1=0.4 --set drop_feature_2=0.2)
whole=()
if "$new" help train | grep -q '^  parts '; then whole=(--set parts=learned --set width=0); fi

# check NAME EPOCHS DATASET KEY=VALUE...
check() {
    local name=$1 epochs=$2 setting
    local -a options=()
    data=$3 found=
    shift 3
    for setting; do options+=(--set "$setting"); done
    beside=()
    [ "$data" = arrows.txt ] && beside=(--features arrows.csv --directed)

    train "$old" "$old_scaling" "old-$name" "$epochs" "${general[@]}" "${options[@]}"
    must training train "$new" "$new_scaling" "new-$name" "$epochs" "${general[@]}" "${whole[@]}" "${options[@]}"
    same_losses losses "old-$name" "new-$name"
    same embeddings "old-$name/embeddings.npy" "new-$name/embeddings.npy"

    # A contaminated training embeds its contaminated features; `embed` reads the data as it is.
    if [[ " $* " != *" contaminate="* ]]; then
        rm -f embedded.npy
        must embed "$new" embed "old-$name" "$data" "${beside[@]}" --device cpu -o embedded.npy
        same "embedding of the old run" "old-$name/embeddings.npy" embedded.npy
    fi

    cp -r "old-$name" resumed-new
    cp -r "old-$name" resumed-old
    train "$old" "$old_scaling" resumed-old $((epochs + 2)) --resume "${general[@]}" "${options[@]}"
    must resuming train "$new" "$new_scaling" resumed-new $((epochs + 2)) --resume "${general[@]}" "${whole[@]}" \
        "${options[@]}"
    same_losses "losses of the resumed run" resumed-old resumed-new
    same "embeddings of the resumed run" resumed-old/embeddings.npy resumed-new/embeddings.npy
    rm -rf resumed-old resumed-new

    trainings=$((trainings + 1))
    report "$name"
}

check gcn-relu-exact 4 words.npz encoder=gcn activation=relu objective=exact
check sage-prelu-infonce 4 words.npz encoder=sage activation=prelu objective=infonce layers=1 \
    scaling=rowsum
check skip-elu-moment 4 words.npz encoder=sage_skip activation=elu objective=moment projection=64
check gcn-rrelu-contaminated 4 words.npz encoder=gcn activation=rrelu objective=exact layers=3 \
    scaling=binary_rowsum contaminate=0.3 hidden=96
check dense-skip-prelu 4 dense.npz encoder=sage_skip activation=prelu objective=exact layers=3 \
    hidden=48
check wide-skip-rrelu 3 wide.npz encoder=sage_skip activation=rrelu objective=infonce hidden=600 \
    projection=520
check many-nodes-gcn 2 many.npz encoder=gcn activation=prelu objective=moment hidden=64 layers=2
check many-nodes-sage 2 many.npz encoder=sage activation=elu objective=exact hidden=40 layers=1 \
    memory=8M
check batches-dense 2 reddit encoder=sage_skip activation=relu objective=exact batch=256 \
    fanout=6,5,4 layers=3 hidden=128 inductive=1
check batches-sparse 2 words.npz encoder=gcn activation=rrelu objective=moment batch=300 \
    fanout=8,0 scaling=rowsum hidden=72
check graphs-inductive 2 ppi encoder=sage_skip activation=prelu objective=exact inductive=1 \
    hidden=128 layers=3
check directed-gcn 3 arrows.txt encoder=gcn activation=elu objective=infonce hidden=100

# ---- The evaluation -----------------------------------------------------------------------------

scores() {
    local -a bare=()
    if "$1" help eval | grep -q 'propagate'; then bare=(--baseline none); fi
    "$1" eval "$2/embeddings.npy" "$3" --protocol "$4" --splits 4 --confusion --json "${bare[@]}" |
        grep -oE '"(mean|std|scores|C|accuracy|micro_f1|confusion|worst_gap)": [^"]*'
}
for setting in "gcn-relu-exact words.npz paper" "dense-skip-prelu dense.npz authors" \
    "graphs-inductive ppi public"; do
    read -r name data protocol <<<"$setting"
    found=
    scores "$old" "old-$name" "$data" "$protocol" >scores-old
    must evaluation scores "$new" "old-$name" "$data" "$protocol" >scores-new
    same scores scores-old scores-new
    report "eval-$protocol"
done

printf '%d trainings, 3 evaluations, %d differ, %d s\n' $trainings $failures $SECONDS
[ $failures -eq 0 ]
