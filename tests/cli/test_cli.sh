#!/usr/bin/env bash
# The command as a user meets it: wrong use, exit codes, JSON, runs, stopping and resuming, and the
# promise that neither threads nor memory nor a kill changes a bit.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# exits CODE PART ARGUMENT...: graco must exit so, with one line on stderr that contains PART; for
# code 0 the part must be in stdout.
exits() {
    local code=$1 part=$2 found=0
    shift 2
    "$graco" "$@" >out 2>err || found=$?
    if [ "$found" -ne "$code" ]; then
        fail "graco $*: exit code $found, expected $code ($(tail -1 err))"
    elif [ "$code" -eq 0 ]; then
        if [ -z "$part" ] || grep -qF -- "$part" out; then pass; else fail "graco $*: '$part' is not in its output"; fi
    elif ! grep -v '^epoch\|^run ' err | grep -qF -- "$part"; then
        fail "graco $*: '$part' is not in: $(cat err)"
    elif [ "$(grep -c '^graco: ' err)" -ne 1 ]; then
        fail "graco $*: expected one line 'graco: ...', found: $(cat err)"
    else
        pass
    fi
}
# is_json FILE KEY...: the last line is one JSON object with those keys.
is_json() {
    local file=$1 key
    shift
    tail -1 "$file" >line.json
    if command -v python3 >/dev/null; then
        holds "valid JSON: $(cat line.json)" python3 -m json.tool line.json
    else
        holds "a JSON object: $(cat line.json)" grep -q '^{.*}$' line.json
    fi
    for key in "$@"; do
        holds "key $key in $(cat line.json)" grep -q "\"$key\": " line.json
    done
}

command -v python3 >/dev/null || echo "left out: JSON by a parser (python3 is not installed)"
small=(--set hidden=16 --set checkpoint_every=5)

# Help and versions.
exits 0 "graco 0." --version
exits 0 "commands:" help
exits 0 "commands:" --help
for command in train embed eval info convert generate; do
    exits 0 "usage: graco $command" help "$command"
    exits 0 "usage: graco $command" "$command" --help
done
exits 0 "[0.4]" train cora --help
exits 0 "[77]" train --set hidden=77 --help

# Wrong use.
exits 2 "no command"
exits 2 "did you mean train?" trian
exits 2 "unknown command" ''
exits 2 "did you mean --epochs?" train --epoch 3
exits 2 "--memory" train --frob
exits 2 "unknown option '-z'" train -z
exits 2 "needs a value" train --epochs
exits 2 "needs a value" train -o --json
exits 2 "takes no value" train --json=yes
exits 2 "a whole number" train --epochs many
exits 2 "a whole number" train --epochs 99999999999999999999
exits 2 "expected N" train --epochs ''
exits 2 "below 2^64" train --seed -1
exits 2 "from 1 to" train --runs 0
exits 2 "a size" train --memory 16Q
exits 2 "a size" train --memory 99999999999G
exits 2 "a size" train --memory -1M
exits 2 "did you mean moment?" train --objective momnt
exits 2 "did you mean cora?" train --preset corra
exits 2 "did you mean hidden?" train --set hiden=3
exits 2 "expected one of grace" train --method dgii
exits 2 "did you mean grace?" train --method grase
exits 0 "grace " methods
exits 0 "unsupervised; needs features" methods
exits 0 '"reference": "Velickovic et al.' methods --json
exits 0 '"presets": ["cora", "citeseer"' methods --json
exits 0 "keys of --set for the method grace" help train --method grace
exits 2 "expected key=value" train --set hidden
exits 2 "hidden" train --set hidden=none
exits 2 "tau" train --set tau=0
exits 2 "unexpected argument" train one two
exits 2 "arguments are missing" info
exits 2 "arguments are missing" embed run
exits 2 "no output file" embed run data
exits 2 "unexpected argument" convert a b c
exits 2 "from 0 to 1" generate g --homophily 1.5
exits 2 "a number" generate g --degree nan
exits 2 "from 1 to" generate g --nodes 0
exits 2 "unknown option" train $'--two\nlines'

# Failures that are not wrong use.
exits 1 "nowhere" info nowhere
exits 1 "nowhere" train nowhere -o run
exits 1 "nowhere" embed nowhere also-nowhere -o Z.npy
exits 1 "nowhere" convert nowhere converted
holds "a failed command leaves nothing behind" [ ! -e run -a ! -e converted -a ! -e Z.npy ]
holds "a full disk is noticed" bash -c "! '$graco' help >/dev/full"

# Generate, info, convert: the round trip keeps every count.
exits 0 "" generate graph.npz --nodes 300 --classes 3 --features 50 --seed 7
exits 0 "" generate again.npz --nodes 300 --classes 3 --features 50 --seed 7
same graph.npz again.npz
exits 0 "" convert graph.npz folder
exits 0 "" convert folder back.npz
for set in graph.npz folder back.npz; do
    exits 0 "" info "$set" --json
    is_json out name nodes edges self_loops duplicates isolated features classes graphs has_split
    sed 's/"name": "[^"]*", //' line.json >"info-$set.json"
done
same info-graph.npz.json info-folder.json
same info-graph.npz.json info-back.npz.json
holds "300 nodes" grep -q '"nodes": 300,' info-folder.json
holds "3 classes" grep -q '"classes": 3,' info-folder.json
exits 0 "both directions" info graph.npz

# Sizes that no machine has are refused at once.
exits 1 "of memory; the system can give" generate huge --nodes 2000000000 --features 2000000000 --dense
exits 1 "of memory; the system can give" generate huge --like reddit --scale 1000
exits 1 "of memory; the system can give" generate huge --nodes 2000000000 --degree 1000 --features 0
holds "nothing is left of them" [ ! -e huge ]

# Graphs like published ones.
exits 2 "reddit, ppi, arxiv" generate g --like cora
exits 0 "" generate like-ppi.npz --like ppi --scale 0.01 --seed 3
exits 0 "" generate like-again.npz --like ppi --scale 0.01 --seed 3
same like-ppi.npz like-again.npz
exits 0 "several per node" info like-ppi.npz
exits 0 "" info like-ppi.npz --json
holds "24 graphs" grep -q '"graphs": 24,' out
exits 0 "" train like-ppi.npz -o ppi-run --epochs 1 --quiet "${small[@]}"
holds "such a set is trained on its training part alone" grep -q '"inductive": 1' ppi-run/config.json
exits 0 "" generate native --like reddit --scale 0.002
exits 0 "41" info native
exits 0 "test nodes; inductive" info native
exits 0 "" info native --json
holds "inductive in JSON" grep -q '"inductive": true,' out
exits 0 "" train native -o native-run --epochs 1 --quiet "${small[@]}"
holds "a converted set is trained on its training part alone" grep -q '"inductive": 1' native-run/config.json
exits 0 "" train native -o native-all --epochs 1 --quiet --set inductive=0 "${small[@]}"
holds "--set has the last word" grep -q '"inductive": 0' native-all/config.json
exits 0 "" eval native-run native
holds "the protocol of an inductive set" grep -q "its own split is used" err
"$1/tests/published_set" native packed.zip reddit
exits 0 "" info packed.zip --json
holds "466 nodes" grep -q '"nodes": 466,' out

# Train, embed.
exits 0 "embeddings.npy" train graph.npz -o first --epochs 20 "${small[@]}"
for file in config.json metrics.jsonl model.safetensors embeddings.npy; do
    holds "first/$file is there" [ -s "first/$file" ]
done
holds "a line of metrics for each epoch" [ "$(wc -l <first/metrics.jsonl)" -eq 20 ]
exits 0 "" embed first graph.npz -o Z.npy
same Z.npy first/embeddings.npy
exits 0 "" generate unseen.npz --nodes 90 --classes 3 --features 50 --seed 8
exits 0 "" embed first unseen.npz -o unseen.npy
holds "a row for each node of a graph never seen" bash -c "head -c 128 unseen.npy | grep -aq '(90, 16)'"
exits 0 "accuracy" eval unseen.npy unseen.npz --splits 2
exits 0 "" generate narrow.npz --nodes 90 --classes 3 --features 20
exits 2 "trained on 50 features" embed first narrow.npz -o narrow.npy
holds "nothing is left of a failed embedding" [ ! -e narrow.npy ]
exits 1 "already holds a run" train graph.npz -o first --epochs 20
exits 0 "" train graph.npz -o other --epochs 20 --seed 1 --quiet "${small[@]}"
holds "another seed gives other embeddings" bash -c '! cmp first/embeddings.npy other/embeddings.npy'
holds "--quiet is quiet" [ ! -s out -a ! -s err ]
exits 0 "" train graph.npz -o json --epochs 3 --json "${small[@]}"
is_json out epochs loss seconds epoch_ms_median peak_rss_bytes buffer_bytes device seed
holds "one line on stdout" [ "$(wc -l <out)" -eq 1 ]

# The generated graph, the default folder.
exits 0 "runs/" train --epochs 2 "${small[@]}"
holds "runs/NAME is the default folder" test -s runs/*/embeddings.npy

# Several runs.
exits 0 "" train graph.npz -o several --runs 3 --seed 5 --epochs 4 --json "${small[@]}"
is_json out epochs loss seconds epoch_ms_median peak_rss_bytes buffer_bytes device seed runs
for i in 1 2 3; do
    holds "several/run-$i is complete" [ -s "several/run-$i/embeddings.npy" ]
done
exits 0 "" train graph.npz -o seven --seed 7 --epochs 4 -q "${small[@]}"
same several/run-3/embeddings.npy seven/embeddings.npy
exits 1 "several runs" train graph.npz -o several --epochs 4
exits 1 "single run" train graph.npz -o first --runs 2
rm -rf several/run-2
exits 0 "" train graph.npz -o several --runs 3 --resume -q
exits 0 "" train graph.npz -o six --seed 6 --epochs 4 -q "${small[@]}"
same several/run-2/embeddings.npy six/embeddings.npy

# Neither threads nor memory change a bit.
for threads in 1 2 4; do
    exits 0 "" train -o "threads-$threads" --epochs 2 --threads $threads -q
    same threads-1/embeddings.npy "threads-$threads/embeddings.npy"
done
for memory in 16M 4G; do
    exits 0 "" train -o "memory-$memory" --epochs 2 --memory $memory -q
    same threads-1/embeddings.npy "memory-$memory/embeddings.npy"
done

long=(--epochs 120 --set hidden=16 --set checkpoint_every=7)
exits 0 "" train graph.npz -o whole "${long[@]}" -q

# A kill in mid-training, then a resume.
"$graco" train graph.npz -o killed "${long[@]}" -q &
victim=$!
await $victim "killed has not reached epoch 20" has_lines killed/metrics.jsonl 20
kill -9 $victim 2>/dev/null || true
wait $victim 2>/dev/null || true
exits 0 "" train graph.npz -o killed --resume -q
same whole/embeddings.npy killed/embeddings.npy
holds "no epoch is missing or doubled" [ "$(wc -l <killed/metrics.jsonl)" -eq 120 ]

# A polite stop says how to continue.
"$graco" train graph.npz -o stopped --epochs $endless --set hidden=16 -q 2>err &
victim=$!
await $victim "stopped has not reached epoch 5: $(cat err)" has_lines stopped/metrics.jsonl 5
kill -TERM $victim
code=0
wait $victim || code=$?
holds "a stopped training exits with 1, found $code" [ $code -eq 1 ]
holds "it says how to continue: $(cat err)" \
    grep -q 'to continue: graco train graph.npz -o stopped .*--resume' err
holds "it has written a checkpoint" [ -s stopped/model.safetensors ]

checked
