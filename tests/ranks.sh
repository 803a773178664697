# Starts programs as several ranks on this machine; to be sourced by test_*_mpi.sh. Open MPI reads the
# variables: any user, more ranks than cores, no network and no remote shell.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm=isolated
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_orte_tmpdir_base=/tmp
export ASAN_OPTIONS=detect_leaks=0 # MPI keeps what it has until the process ends

# needs_ranks PROGRAM: skips the test where the build has none, or where no MPI starts.
needs_ranks() {
    [ -x "$1" ] || { echo "skipped: built without MPI (make setup-mpi)"; exit 77; }
    command -v mpirun >/dev/null || { echo "skipped: mpirun is not installed"; exit 77; }
    mpirun -n 2 true >/dev/null 2>&1 || { echo "skipped: mpirun starts nothing on this machine"; exit 77; }
}

# begin_ranks BUILD: what a test of trainings opens with: $build, $graco, and an empty folder to work in.
begin_ranks() {
    build=$1 graco=$1/graco
    needs_ranks "$build/graco-mpi"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
}

# The most that a job of ranks may take: a quarter of an hour, which only one that hangs does.
RANKS_SECONDS=900
# What a machine with other work to do may need beside the seconds that are promised: a job that waits for ever is
# ended by RANKS_SECONDS, and why a job ended is told by what it says, not by when.
RANKS_SPARE=120

# ranks N COMMAND...: the command as N ranks.
ranks() {
    local count=$1
    shift
    timeout -k 5 $RANKS_SECONDS mpirun -n "$count" "$@"
}

# rank_pids MPIRUN: the processes of its ranks, which it starts in order; none once they have ended.
rank_pids() { pgrep -P "$1" -x graco-mpi | sort -n; }

# ---- Trainings; $build and $graco say of which build ----

# alone RUN DATASET OPTION... and over COUNT RUN DATASET OPTION...: a training, quietly.
alone() { "$graco" train "$2" -o "$1" -q --threads 1 "${@:3}"; }
over() { ranks "$1" "$build/graco-mpi" train "$3" -o "$2" -q --threads 1 "${@:4}"; }

# agree RUN RUN EPOCHS: as many losses, and the largest relative difference is at most 1e-5.
agree() {
    local apart
    apart=$(paste <(losses "$1") <(losses "$2") | awk '
        { d = ($1 - $2) / $1; d = d < 0 ? -d : d; most = d > most ? d : most; n += NF == 2 }
        END { printf "%d %.2e %s", n, most, most <= 1e-5 ? "close" : "far" }')
    echo "$1 and $2: $apart"
    holds "$1 and $2: $apart" [ "${apart%% *} ${apart##* }" = "$3 close" ]
}
# score_alike RUN RUN DATASET OPTION...: what the embeddings score, in percent, differs by at most half a point.
score_alike() {
    local apart
    apart=$(for run in "$1" "$2"; do
        "$graco" eval "$run" "${@:3}" --threads 1 >&2
        sed -n 's/^ "mean": \([0-9.]*\).*/\1/p' "$run/eval.json"
    done | awk '{ score[NR] = $1 } END { d = score[1] - score[2]
        printf "%.2f %.2f %d %s", score[1], score[2], NR, (d * d <= 0.25 ? "close" : "far") }')
    echo "$1 and $2 score $apart"
    holds "the scores of $1 and $2: $apart" [ "${apart#* * }" = "2 close" ]
}
# begun RUN EPOCH: waits until the run of the job in the background, $!, has logged that epoch.
begun() { await $! "$1 has not reached epoch $2" has_lines "$1/metrics.jsonl" "$2"; }
losses() { sed 's/.*"loss": *\([^,}]*\).*/\1/' "$1/metrics.jsonl"; }

# both NAME DATASET OPTION...: five epochs, alone and over three ranks.
both() {
    local name=$1
    shift
    alone "$name-1" "$@" --epochs 5
    over 3 "$name-3" "$@" --epochs 5
    agree "$name-1" "$name-3" 5
}

# as_alone DATASET OPTION...: 20 epochs by one process and over 1 to 4 ranks, in folders one and over-1 to over-4, agree; one
# rank has the bytes of one process.
as_alone() {
    local count
    alone one "$@" --epochs 20
    for count in 1 2 3 4; do
        over $count over-$count "$@" --epochs 20
        agree one over-$count 20
    done
    same one/embeddings.npy over-1/embeddings.npy
}

# alike DATASET OPTION...: 20 epochs of two objectives by one process and over 1 to 4 ranks agree, and score alike; with
# two threads each, and resumed by 2 ranks, 3 and one process, too.
alike() {
    local objective count
    for objective in exact moment; do
        alone one-$objective "$@" --objective $objective --epochs 20
        for count in 1 2 3 4; do
            over $count $objective-$count "$@" --objective $objective --epochs 20
            agree one-$objective $objective-$count 20
        done
        same one-$objective/embeddings.npy $objective-1/embeddings.npy
        score_alike one-$objective $objective-4 "$1"
    done
    over 3 again "$@" --objective moment --epochs 20 --threads 2
    same moment-3/embeddings.npy again/embeddings.npy
    over 2 resumed "$@" --objective exact --epochs 7
    over 3 resumed "$@" --objective exact --epochs 13 --resume
    alone resumed "$@" --objective exact --epochs 20 --resume
    agree one-exact resumed 20
}

# refuses TEXT COMMAND ARGUMENT...: three ranks end with one line of graco's that says so.
refuses() {
    local text=$1 code=0
    shift
    ranks 3 "$build/graco-mpi" "$@" -o refused >out 2>&1 || code=$?
    holds "graco-mpi $*: exit code $code" [ "$code" -ne 0 ]
    holds "graco-mpi $*: one line '$text' in $(cat out)" [ "$(grep '^graco: ' out)" = "graco: $text" ]
    holds "graco-mpi $*: nothing is left" [ ! -e refused ]
}
