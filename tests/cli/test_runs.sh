#!/usr/bin/env bash
# Runs are asked: scores are kept and never stale, a map is of the run's own data, and data are found again where they
# moved together with the run. With LONG every allocation fails once where memory is short, not one in five.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
graco=$1/graco
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
small=(--epochs 4 --set hidden=8 --device cpu -q)

"$graco" generate g.npz --nodes 200 --features 30 --classes 3 --seed 1 2>/dev/null
"$graco" generate other.npz --nodes 200 --features 30 --classes 3 --seed 2 2>/dev/null
exits 0 "" train g.npz -o run "${small[@]}"

# A map is not coloured by classes of other data, though they have as many nodes.
exits 0 "wrote" map run g.npz -o map.html
exits 2 "run was trained on other data than other, which differs in: graph, features" map run other.npz -o x.html
holds "no page of them" [ ! -e x.html ]

# Scores are read where nothing has changed that decides them: a score that was forged in the file is believed.
score() { "$graco" eval "$@" --splits 2 --device cpu --baseline none 2>/dev/null | sed -n 's/^[^ ]*  *\([0-9.]*\) .*/\1/p'; }
holds "a score" [ -n "$(score run g.npz)" ]
holds "hashes" grep -q '"made_from"' run/eval.json
python=$(command -v python3 || true)
if [ -n "$python" ]; then
    forge() {
        "$python" - "$1/eval.json" "${@:2}" <<'END'
import json, sys
kept = json.load(open(sys.argv[1]))
for scores in kept["baselines"] if len(sys.argv) > 2 else [kept] + kept["earlier"]:
    for result in scores["results"]:
        result["scores"] = [12.5] * len(result["scores"])
json.dump(kept, open(sys.argv[1], "w"))
END
    }
    forge run
    holds "kept scores are read" [ "$(score run g.npz)" = 12.50 ]
    exits 0 "raw " eval run g.npz --splits 2 --device cpu
    cp run/eval.json true.json
    forge run baselines
    exits 0 "raw          12.50 " eval run g.npz --splits 2 --device cpu
    mv true.json run/eval.json
    exits 0 "" report run --splits 2 --device cpu --no-map -o kept.html
    holds "the report reads them" grep -qF '<td class="n">12.50</td>' kept.html
    other=$(score run g.npz --seed 3)
    holds "other splits are scored: $other" [ "$other" != 12.50 ]
    holds "and the first ones kept beside them" [ "$(score run g.npz)" = 12.50 ]
    holds "other options are" [ "$(score run g.npz --with-features)" != 12.50 ]
    "$graco" convert g.npz same.npz 2>/dev/null
    holds "the same data elsewhere are the same" [ "$(score run same.npz)" = 12.50 ]

    # What cannot be a result of these data is computed again, though its hashes are right.
    for change in 'r["C"].append(1)' 'r["scores"].append(12.5)' 'r["scores"] = r["C"] = []' 'r["confusion"] = []' \
        'r["confusion"].append([1])' 'r["confusion"] *= 1000' 'r["confusion_classes"] = [7, 8, 9]' 'r["notes"] = [1]' \
        'r["mean"] = "x"' 'del r["converged"]' 'e["results"] = 3' 'e["results"] = 2 * e["results"]'; do
        forge run
        "$python" - "$change" <<'END'
import json, sys
e = json.load(open("run/eval.json"))
for r in e["results"]:
    exec(sys.argv[1])
json.dump(e, open("run/eval.json", "w"))
END
        found=$(score run g.npz)
        holds "scored again after $change: $found" [ "$found" != 12.50 -a -n "$found" ]
    done

    # A training that went on has other embeddings: their scores are theirs, in every file.
    exits 0 "" train g.npz -o run --resume "${small[@]:2}" --epochs 9
    fresh=$("$graco" eval run/embeddings.npy g.npz --splits 2 --device cpu --baseline none | sed -n 's/^[^ ]*  *\([0-9.]*\) .*/\1/p')
    exits 0 "" report run --splits 2 --device cpu --no-map -o fresh.html
    holds "no score of embeddings that are gone: $fresh" grep -qF "<td class=\"n\">$fresh</td>" fresh.html
    holds "nor in the file" [ "$(score run g.npz)" = "$fresh" ]
    holds "which forgot them" bash -c '! grep -q 12.5, run/eval.json'

    # Other labels are other data to a score, though a training without labels does not know them.
    "$python" - <<'END'
import zipfile
old = zipfile.ZipFile("g.npz")
new = zipfile.ZipFile("labels.npz", "w")
for name in old.namelist():
    data = old.read(name)
    if name == "y.npy":
        data = data[:-4] + data[-8:-4]
    new.writestr(name, data)
END
    forge run
    holds "other labels are scored" [ "$(score run labels.npz)" != 12.50 ]
else
    echo "left out: scores that were forged (python3 is not installed)"
fi
# What is damaged is computed again.
for damage in '{' '[]' '{"made_from": 3, "earlier": 7}' ''; do
    echo "$damage" >run/eval.json
    holds "scored again after '$damage'" [ -n "$(score run g.npz)" ]
done
exits 0 "" train g.npz -o seeds --runs 2 "${small[@]}"
both=$(score seeds g.npz)
holds "several seeds are kept in one file" [ -n "$both" -a -f seeds/eval.json -a ! -f seeds/run-1/eval.json ]
holds "and read again" [ "$(score seeds g.npz)" = "$both" ]

# A run of very many trainings needs few open files, also where nodes have names.
awk 'BEGIN { for (i = 0; i < 40; i++) print "n" i ",n" (i + 1) % 40 }' >ring.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print "n" i "," i % 2 }' >ring-y.csv
ring=(ring.csv --labels ring-y.csv --undirected)
few() { (ulimit -n 64 && exec "$graco" "$@" >out 2>err); }
exits 0 "" train "${ring[@]}" -o many --runs 40 --epochs 1 --set hidden=4 --device cpu -q
holds "names" [ -s many/run-40/node_ids.txt ]
holds "40 runs are scored: $(few eval many "${ring[@]}" --splits 1 --device cpu; cat err)" \
    few eval many "${ring[@]}" --splits 1 --device cpu
exits 0 "" train "${ring[@]}" -o divided --runs 8 --splits 5 --method gcn --epochs 1 --device cpu -q
holds "8 runs of 5 splits are: $(few eval divided "${ring[@]}" --device cpu; cat err)" \
    few eval divided "${ring[@]}" --device cpu
mkdir -p curves
cp -r many/. curves/ && rm -f curves/run-*/embeddings.npy
holds "80 curves are read" few report many curves --splits 1 --device cpu --no-map -o many.html
holds "all of them: $(cat err)" bash -c '! grep -q "Too many open files" err many.html'

# Where there is no memory the command says so, and not that the training was stopped.
meets() {
    rm -rf short
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:allocator_may_return_null=1 \
        LD_PRELOAD=$1/tests/inject.so GRACO_FAULT=own:$2:12 GRACO_FAULT_FD=3 \
        "$graco" train ring.csv -o short --epochs 0 --set hidden=4 --device cpu --threads 1 -q 3>calls 2>err
}
holds "no fault: $(meets "$1" 1000000; cat err)" meets "$1" 1000000
read -r count _ <calls
holds "allocations are counted: $count" [ "$count" -gt 50 ]
for n in $(seq 1 ${LONG:-5} "$count"); do
    meets "$1" "$n" || holds "allocation $n: $(cat err)" bash -c '! grep -q "stopped after" err && grep -q memory err'
done

# Data are found by the path that was typed, from any folder, and after a move together with the run.
mkdir -p one/data one/runs two/data two/runs
cp g.npz one/data/ && cp g.npz two/data/
(cd one && "$graco" train data/g.npz -o runs/r "${small[@]}")
(cd two && "$graco" train data/g.npz -o runs/r "${small[@]}")
for file in config.json model.safetensors embeddings.npy; do same one/runs/r/$file two/runs/r/$file; done
holds "no absolute path" bash -c '! grep -qF "$1" one/runs/r/config.json' - "$work"
finds() {
    (cd "$1" && "$graco" report "$2" --splits 2 --device cpu --no-map -o "$work/found.html" 2>"$work/err")
    holds "$2 seen from $1 finds its data: $(cat err)" grep -q 'id="scores"' found.html
    holds "and says nothing: $(cat err)" bash -c '! grep -q Worth err'
}
finds one runs/r
finds / "$work/one/runs/r"
mv one moved
finds "$work" moved/runs/r
# What stands there must be what was trained on: another data set is passed over, and told where there is no other.
cp other.npz moved/data/g.npz
exits 0 "remark" report moved/runs/r --splits 2 --device cpu --no-map -o found.html
holds "other data are told" grep -q 'was trained on other data than' found.html
mkdir data && cp g.npz data/
finds "$work" moved/runs/r
rm -r data moved/data
exits 0 "remark" report moved/runs/r --splits 2 --device cpu --no-map -o found.html
holds "no data" grep -q 'its data set is not there: data/g.npz: no such file' found.html
# By its name in the data folder, too; of tables every path moves.
mkdir sets && cp g.npz sets/
GRACO_DATA=$work/sets finds "$work" moved/runs/r
mkdir tables
printf '0 1\n1 2\n2 3\n3 0\n0 2\n' >tables/e.txt
printf 'a,b\n1,2\n3,4\n5,6\n7,9\n' >tables/x.csv
printf '0,0\n1,1\n2,0\n3,1\n' >tables/y.csv
(cd tables && "$graco" train e.txt --features x.csv --labels y.csv --undirected -o run --epochs 2 --set hidden=4 --device cpu -q)
mkdir away && mv tables away/
exits 0 "" report away/tables/run --splits 1 --device cpu --no-map -o found.html
holds "tables are found: $(cat err)" bash -c '! grep -q "data set is not there" found.html'
checked
