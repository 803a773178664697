#!/usr/bin/env bash
# The corners of the command: odd sizes and names, terminals, full disks, several runs, and what each
# message says.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GRACO_DATA=$work/sets
mkdir sets

# exits CODE PART ARGUMENT...: graco must exit so, with PART on stdout (code 0) or in its one line on
# stderr.
exits() {
    local code=$1 part=$2 found=0 where=out
    shift 2
    "$graco" "$@" >out 2>err </dev/null || found=$?
    [ "$code" -eq 0 ] || where=err
    holds "graco $*: exit code $found, expected $code: $(tail -1 err)" [ "$found" -eq "$code" ]
    [ -z "$part" ] || holds "graco $*: '$part' in: $(cat out err)" grep -qF -- "$part" $where
    [ "$code" -eq 0 ] || holds "graco $*: one line: $(cat err)" [ "$(grep -c '^graco: ' err)" -eq 1 ]
}

tiny=(--epochs 2 --set hidden=4 --threads 1)
exits 0 "" generate g.npz --nodes 60 --classes 3 --features 12
exits 0 "" generate ppi --like ppi --scale 0.003
printf '0 1\n1 2\n2 0\n' >directed.txt
printf 'a b\nb a\n' >named.txt
printf '1\n2\n3\n' >one.csv

# ---- Help and words ------------------------------------------------------------------------------
exits 0 "usage: graco COMMAND" -h
exits 0 "graco 0." -V
exits 0 "usage: graco COMMAND" help
exits 0 "[64]" help train --set hidden=64
exits 0 "[4G]" help train --memory 4GiB
exits 0 "[5]" help train --seed 5
exits 0 "presets: cora" train -h
exits 0 "usage: graco eval" help eval
exits 2 "unknown command 'trane'" help trane
exits 2 "did you mean help?" hlep
exits 2 "unknown command 'zzzzzz'; expected" zzzzzz
words=()
for _ in $(seq 1030); do words+=(--set tau=0.5); done
exits 2 "more than 1024 times" train "${words[@]}"
exits 0 "[0.5]" help train "${words[@]:0:40}"

# ---- Options -------------------------------------------------------------------------------------
exits 2 "did you mean --quiet?" train --quit
exits 2 "unknown option '-9'" train -9
exits 2 "did you mean --output?" train --outp
exits 2 "needs a value (RUN), found the end of the line" train -o
exits 2 "takes no value, found '1'" train -q1
exits 2 "unexpected argument" train -- one --two
exits 1 "no such file or folder" train -- ./-x
exits 0 "[4K]" help train --memory 4096
exits 0 "[16M]" help train --memory=16mb
exits 0 "[0]" help train --memory 0
exits 2 "a size such as" train --memory 16Mx
exits 2 "a size such as" train --memory " 16"
exits 2 "a size such as" train --memory 9P9
exits 2 "a size such as" train --memory 99999999P
exits 2 "a whole number" train --threads 1025
exits 2 "a whole number" train --threads 1x
exits 2 "a whole number" train --threads " 1"
exits 2 "a number from" generate x --degree 1x
exits 2 "a number from" generate x --degree " 1"
exits 2 "a number from" generate x --degree inf
exits 2 "expected one of auto" embed a b -o c --device ''
exits 2 "did you mean cuda?" embed a b -o c --device cudo
exits 2 "expected one of" train --precision fp8
exits 2 "epochs is '" train --epochs 9223372036854775807
exits 2 "'=5'; expected key=value" train --set =5
exits 2 "unknown setting 'zzz'; expected one of" train --set zzz=1
exits 2 "unknown setting 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'" \
    train --set "$(printf 'a%.0s' $(seq 100))=1"
exits 2 "unknown preset of grace 'zzz'; expected one of cora" train --preset zzz
exits 2 "did you mean citeseer?" train --preset citese

# ---- What info says --------------------------------------------------------------------------------
entity=https://www.wikidata.org/entity
institute=神经网络与机器学习研究所 # twelve characters
printf 'source,target\n%s/Q1,%s/Q2\n%s/Q1,%s/Q3\n%s,%s/Q1\n' "$entity" "$entity" "$entity" "$entity" "$institute$institute$institute$institute" "$entity" >long.csv
exits 0 "2: $entity/Q2, $entity/Q3" info long.csv --directed --of "$entity/Q1"
exits 0 "1: ${institute}神...$institute$institute" info long.csv --directed --of "$entity/Q1"
printf 'source,target,weight\na,b,1\nb,a,5\nb,c,2\nc,b,2\n' >apart.csv
exits 0 "edges out          1: b (1)" info apart.csv --directed --of a
exits 0 "edges in           1: b (5)" info apart.csv --directed --of a
exits 0 "neighbours         1: b (2)" info apart.csv --directed --of c
printf '0,1\n1,2\n0,2\n3,4\n' >pieces.csv
printf 'id,x,y\n0,1,0\n1,2,0\n2,1,0\n3,0,1\n4,1,1\n' >rows.csv
exits 0 "degree             mean 1.6, median 2, most 2" info pieces.csv --undirected
exits 0 "components         2, the largest with 60.0 % of the nodes" info pieces.csv --undirected
holds "nothing of features that are not there" bash -c '! grep -q "^neighbours" out'
exits 0 "neighbours         cosine of features 0.93, of random pairs " info pieces.csv --undirected --features rows.csv
exits 0 '"components": 2, "largest_component": 3, "degree_mean": 1.6, "degree_median": 2, "degree_most": 2, "edge_cosine": 0.926' \
    info pieces.csv --undirected --features rows.csv --json
exits 0 '"alike": null, "same_class": null' info pieces.csv --undirected --json
printf 'a b {}\nb c {}\n' >attributes.txt
exits 1 "unless data=False" info attributes.txt
exits 0 "edges              4" info attributes.txt --unweighted
printf '\351\350,b\n' >latin.csv
exits 1 "a name is not UTF-8" info latin.csv --of b --json
exits 2 "expected a run folder" watch g.npz
exits 0 "(directed" info directed.txt --directed
exits 0 "(both directions" info directed.txt
exits 0 "none" info directed.txt
exits 0 "(no labels)" info named.txt
exits 0 "1, dense" info directed.txt --features one.csv
exits 0 "sparse:" info g.npz
exits 0 "several per node" info ppi
exits 0 '"split_nodes": null' info directed.txt --json
exits 0 '"multi_label": true' info ppi --json
exits 0 '"directed": true' info directed.txt --directed --json
cp g.npz "$(printf 'caf\351.npz')"
exits 0 '"name": "caf?"' info "$(printf 'caf\351.npz')" --json
cp g.npz café.npz
exits 0 '"name": "caf' info café.npz --json
cp g.npz "$(printf 'a\xf0\x9f\x90\xa2\xe2\x82\xff.npz')"
exits 0 '??"' info "$(printf 'a\xf0\x9f\x90\xa2\xe2\x82\xff.npz')" --json
# Overlong, a surrogate, beyond the last character: three bytes or four that only look like one.
for bytes in '\xe0\x80\x80' '\xed\xa0\x80' '\xf0\x80\x80\x80' '\xf4\x90\x80\x80'; do
    name=$(printf "b$bytes.npz")
    cp g.npz "$name"
    exits 0 '"name": "b???' info "$name" --json
    exits 0 "" train "$name" --epochs 1 -q -o "$(printf "r$bytes")"
done
cp g.npz sets/kept.npz
exits 0 "kept" info kept
exits 1 "no data set 'absent'" info absent
exits 2 "empty" info ""

exits 2 "expected a whole number from 0 to 9223372036854775807" eval --seed 18446744073709551615 x y
exits 2 "expected a whole number, at least 0" eval --seed -1 x y
exits 2 "expected a whole number, at least 0" eval --seed one x y

# ---- Full disks ------------------------------------------------------------------------------------
if [ -e /dev/full ]; then
    for line in "info g.npz" "info g.npz --json" "help" "train --help" "info --help" "--version"; do
        code=0
        # shellcheck disable=SC2086
        "$graco" $line >/dev/full 2>err || code=$?
        holds "graco $line on a full disk: code $code, $(cat err)" [ $code -eq 1 ]
        holds "it says so" grep -q 'could not be written' err
    done
fi

# ---- Trainings -------------------------------------------------------------------------------------
exits 0 "2 epochs on generated, 1 run" train "${tiny[@]}" -o generated
exits 0 "(mean)" train g.npz "${tiny[@]}" -o pair --runs 2
holds "embeddings of both are named" grep -q 'pair/run-\*/embeddings.npy' out
holds "progress names the run" grep -q 'run 2 of 2' err
exits 0 "" train g.npz "${tiny[@]}" -q
holds "runs/NAME" [ -s runs/g/embeddings.npy ]
if [ -e /dev/full ]; then
    code=0
    "$graco" predict runs/g g.npz --all -o - >/dev/full 2>err || code=$?
    holds "predict does not say it wrote what is lost" [ $code -eq 1 ]
    holds "it says so" grep -q 'could not be written' err
    holds "and nothing else" bash -c '! grep -q "wrote" err'
fi
cp g.npz .hidden.npz
exits 0 "" train .hidden.npz "${tiny[@]}" -q
holds "a name with a dot in front" [ -s runs/unnamed/embeddings.npy ]
exits 0 '"preset": "general"' train g.npz "${tiny[@]}" -o json --json --preset general
exits 0 '"preset": "cora"' train g.npz "${tiny[@]}" -o preset --json --preset cora --precision fp32 \
    --objective moment --device cpu --memory 16M
exits 0 '"epochs": 0' train g.npz -o nothing --epochs 0 --set hidden=4 --json
holds "no epochs, no loss" grep -q '"loss": null' out
exits 0 "2 epochs" train g.npz -o fresh --resume "${tiny[@]}"
holds "nothing to continue is said" grep -q 'holds nothing to continue' err
exits 0 "" train g.npz -o quiet --resume "${tiny[@]}" -q
holds "but not to the quiet" [ ! -s err ]
exits 0 "3 epochs" train g.npz -o fresh --resume --epochs 3
exits 0 "3 epochs" train g.npz -o fresh --resume --epochs 3
exits 2 "cannot be resumed" train g.npz -o fresh --resume --set hidden=8
exits 2 "cannot be resumed" train g.npz -o fresh --resume --preset cora --epochs 3
exits 2 "was trained on 12 features" train directed.txt --features one.csv -o fresh --resume
exits 1 "already holds a run" train g.npz -o pair --runs 2
exits 0 "" embed pair g.npz -o pair.npy
holds "the first of several runs embeds, and is named" grep -q 'embeddings by the first, pair/run-1' err
cmp pair.npy pair/run-1/embeddings.npy
cp -r fresh ended && : >ended/embeddings.npy
for line in "export ended -o ended.csv" "neighbours ended" "map ended -o ended.html"; do
    # shellcheck disable=SC2086
    exits 1 "has no embeddings of its last checkpoint" $line
done
exits 1 "holds several runs" train g.npz -o pair --resume
exits 1 "holds a single run" train g.npz -o fresh --runs 2
touch file
exits 1 "a file has that name" train g.npz "${tiny[@]}" -o file
exits 1 "cannot make the run folder file/a/run: Not a directory" train g.npz "${tiny[@]}" -o file/a/run
exits 1 "cannot make the run folder file/run" train g.npz "${tiny[@]}" -o file/run
exits 1 "expected at most" train g.npz -o "$(printf 'x%.0s' $(seq 5000))"
exits 2 "needs node features" train directed.txt --node-features given -o refused
holds "a refused training leaves no folder" [ ! -e refused ]
mkdir -p blocked/config.json/x
exits 1 "config.json" train g.npz "${tiny[@]}" -o blocked --resume
exits 0 "" train ppi "${tiny[@]}" -o skip --set encoder=sage_skip --set batch=8 --set layers=2 -q

# A terminal sees one line that is written again and again.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "$graco train g.npz ${tiny[*]} -o terminal" typescript >/dev/null </dev/null
    holds "progress on a terminal" grep -q $'\r.*epoch 2/2.*\033\[K' typescript
    script -qec "stty cols 40; $graco train g.npz ${tiny[*]} --runs 2 -o narrow" typescript >/dev/null </dev/null
    tr '\r\033' '\n\n' <typescript | grep 'epoch [0-9]*/' >narrow.lines
    holds "a line of progress fits 40 columns" awk 'length($0) > 39 { exit 1 }' narrow.lines
    holds "and says how long is left" grep -q 'epoch 1/2.*left' narrow.lines
    TERM=dumb script -qec "$graco train g.npz ${tiny[*]} -o dumb" typescript >/dev/null </dev/null
    holds "none of that on a dumb one" bash -c "! grep -q \$'\033' typescript"
else
    echo "left out: progress on a terminal (script makes none here)"
fi

# A stopped training quotes its words for the shell.
stop() {
    local folder=$1
    shift
    "$graco" train "$@" 2>err &
    local victim=$!
    await $victim "no epoch of $folder: $(cat err)" [ -s "$folder/metrics.jsonl" ]
    kill -INT $victim
    code=0
    wait $victim || code=$?
    holds "a stopped training exits with 1, found $code" [ $code -eq 1 ]
}
stop "it's here" g.npz -o "it's here" --epochs $endless --set hidden=4 -q
holds "quoted: $(cat err)" grep -qF "g.npz -o 'it'\\''s here' --epochs" err
stop again g.npz -o again --epochs $endless --set hidden=4 -q --resume
holds "--resume is not said twice: $(cat err)" bash -c '! grep -q "resume.*resume" err'
# A signal is answered at once and obeyed within the epoch, which here takes minutes; the run goes on. Where it comes
# before the first step is done, which no file tells, the next one is given more time.
exits 0 "" generate large.npz --nodes 9000 --classes 3 --features 20
for seconds in 0.5 2 8 30 120; do
    rm -rf deaf
    "$graco" train large.npz -o deaf --epochs 2 --set batch=10 --device cpu --threads 1 2>err &
    victim=$!
    await $victim "no training: $(cat err)" [ -s deaf/config.json ]
    sleep $seconds
    kill -INT $victim
    code=0
    wait $victim || code=$?
    ! grep -q 'stopped after epoch 0 of 2;' err || continue
    break
done
holds "a training that is stopped within an epoch exits with 1, found $code" [ $code -eq 1 ]
holds "the signal is answered: $(cat err)" grep -q '^stopping: ' err
holds "it says where it stands: $(cat err)" grep -q 'stopped after epoch 0 of 2, and step [0-9]* of 900 of the next' err
holds "no epoch is counted" [ ! -s deaf/metrics.jsonl ]
stop two/run-1 g.npz -o two --runs 2 --epochs $endless --set hidden=4 -q
holds "the second run is not begun" [ ! -e two/run-2 ]

# ---- Scores ----------------------------------------------------------------------------------------
exits 0 "" generate labelled.npz --nodes 200 --classes 2 --features 12 --seed 3
exits 0 "" train labelled.npz "${tiny[@]}" -o scored -q
exits 0 "" train labelled.npz "${tiny[@]}" -o scores --runs 2 -q
exits 0 "2 runs" eval scores scored labelled.npz --splits 2 --confusion
holds "confusion over runs" grep -q 'over all splits and runs' out
exits 0 "untrained" eval labelled.npz --baseline untrained --splits 1
exits 0 "untrained" eval scores labelled.npz --baseline untrained,raw --splits 1 --json
exits 0 "micro_f1" eval skip ppi --confusion
holds "several labels" grep -q 'true +, false +' out
exits 2 "unknown baseline ''" eval labelled.npz --baseline ,raw
exits 0 "raw" eval labelled.npz --baseline raw, --splits 1
mkdir -p taken && cp scored/embeddings.npy taken/ && mkdir -p taken/eval.json/x
exits 1 'cannot write "taken/eval.json"' eval taken labelled.npz --splits 1
holds "no temporary file stays" [ -z "$(find taken -name '.eval*')" ]
exits 1 "no such file or folder" eval scored ./absent.npz
exits 2 "no labels" eval scored/embeddings.npy directed.txt
exits 0 "" eval scored labelled.npz --splits 2 --splits-file s.npy
exits 0 "2 splits" eval scored labelled.npz --splits 7 --splits-file s.npy
exits 1 "nowhere/s.npy" eval scored labelled.npz --splits 1 --splits-file nowhere/s.npy

checked
