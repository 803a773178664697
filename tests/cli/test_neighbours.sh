#!/usr/bin/env bash
# graco neighbours as a user meets it: names, formats, what is refused.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# refuses CODE PART ARGUMENT...: graco must exit so, with one line that has PART.
refuses() {
    exits "$@"
    holds "graco ${*:3}: one line: $(cat err)" [ "$(wc -l <err)" -eq 1 ]
}

printf 'ann;"Bo, b"\n"Bo, b";=cid\n=cid;dan\ndan;ann\n' >edges.csv
printf 'id;a;b\nann;1;2\n=cid;0;1\n"Bo, b";3;1\ndan;1;1\n' >x.csv
little=(--epochs 1 --set hidden=4 --set projection=2 --threads 1 --device cpu -q)
exits 0 "" train edges.csv --features x.csv -o run "${little[@]}"
exits 0 "" train edges.csv --features x.csv -o runs --runs 2 "${little[@]}"

# ---- Tables and files ---------------------------------------------------------------------------
exits 0 "" neighbours run -k 3
holds "four nodes with three neighbours each: $(cat out)" [ "$(wc -l <out)" -eq 16 ]
holds "no name in the table of one node but itself once" [ "$(grep -c '^ann$' out)" -eq 1 ]
exits 0 "" neighbours run --of "Bo, b" --of ann -k 2
holds "asked order: $(cat out)" [ "$(head -1 out)" = "Bo, b" ]
holds "six lines: $(cat out)" [ "$(wc -l <out)" -eq 6 ]
exits 0 "by name" neighbours run -k 2 -o pairs.csv
holds "head: $(head -1 pairs.csv)" grep -q '^node,rank,neighbour,score' pairs.csv
holds "a name with a comma is quoted" grep -q '^"Bo, b",1,' pairs.csv
holds "a line for each pair" [ "$(wc -l <pairs.csv)" -eq 9 ]
exits 0 "" neighbours run -k 2 --of dan -o pairs.json
exits 0 "" neighbours run -k 2 -o pairs.npz
exits 0 "" neighbours run -k 2 -o slow.csv --memory 1 --threads 3 --device cpu
same pairs.csv slow.csv
exits 0 "the first, runs/run-1" neighbours runs -k 1
exits 0 "" neighbours run/embeddings.npy -k 2 -o file.csv
same pairs.csv file.csv
python=${GRACO_PYTHON:-python3}
if "$python" -c "import numpy" 2>/dev/null; then
    holds "files that other programs read" "$python" - <<'PY'
import json
import numpy as np

told = json.load(open("pairs.json"))
assert told["metric"] == "cosine" and told["k"] == 2 and len(told["nodes"]) == 1, told
assert told["nodes"][0]["node"] == "dan" and len(told["nodes"][0]["neighbours"]) == 2, told
file = np.load("pairs.npz")
Z = np.load("run/embeddings.npy").astype(float)
names = open("run/node_ids.txt").read().splitlines()
assert file["node_ids"].tolist() == names and file["indptr"].tolist() == [0, 2, 4, 6, 8]
assert file["nodes"].tolist() == [0, 1, 2, 3]
unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
S = unit @ unit.T
for i in range(4):
    listed = file["indices"][2 * i : 2 * i + 2]
    assert i not in listed
    assert np.allclose(S[i][listed], file["scores"][2 * i : 2 * i + 2], atol=1e-6)
    others = np.sort(np.delete(S[i], i))[::-1][:2]
    assert np.allclose(others, file["scores"][2 * i : 2 * i + 2], atol=1e-6)
assert told["nodes"][0]["row"] == names.index("dan")
np.save("plain.npy", np.array([[1.0, 0], [0, 0], [2, 0.5], [np.nan, 1]]))
np.save("zeros.npy", np.array([[1.0, 0], [0, 0], [2, 0.5]]))
np.save("one.npy", np.ones((1, 2)))
np.save("line.npy", np.ones(3))
PY
    exits 0 "1 of 3 embeddings are all zeros" neighbours zeros.npy --of 1 -k 2
    holds "ties by number: $(cat out)" [ "$(tr -s ' \n' ' ' <out)" = "1 0 0 0 2 " ]
    refuses 2 "no node '3'" neighbours zeros.npy --of 3 -k 2
    refuses 1 "node 3 has the value nan" neighbours plain.npy -k 1
    refuses 2 "expected 2 nodes or more" neighbours one.npy -k 1
    refuses 1 "line.npy" neighbours line.npy
else
    echo "left out: files read by numpy: there is none for $python"
fi

# ---- What is refused ----------------------------------------------------------------------------
refuses 2 "expected 1 to 3" neighbours run -k 4
refuses 2 "-k" neighbours run -k 0
refuses 2 "eve" neighbours run --of eve -k 1
refuses 2 "expected .json, .csv or .npz" neighbours run -k 1 -o pairs.xml
holds "nothing is left behind" [ ! -e pairs.xml ]
refuses 2 "such as 256M" neighbours run -k 1 --memory lots
refuses 2 "metric" neighbours run -k 1 --metric euclid
refuses 1 "nowhere" neighbours nowhere -k 1
checked
