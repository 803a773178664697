#!/usr/bin/env bash
# graco map: the page, the pictures and the array are what they say; names stay text; threads never count.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
graco=$1/graco
command -v python3 >/dev/null || { echo "skipped: python3, which reads the page, is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$GRACO_SOURCE/tests/report/make_map.py" .
data=(edges.csv --labels labels.csv --undirected)

"$graco" map Z.npy "${data[@]}" -o map.html --svg map.svg --png map.png --npy map.npy --threads 1 --title 'a <b> & "c"' 2>notes
holds "the notes say how faithful it is" grep -q 'trustworthiness 0\.[89].*continuity 0\.[89]' notes
"$graco" map Z.npy "${data[@]}" -o again.html --npy again.npy --png again.png --threads 7 --title 'a <b> & "c"' 2>/dev/null
for kind in html npy png; do
    holds "any number of threads gives the same .$kind" cmp -s map.$kind again.$kind
done
"$graco" map Z.npy -o bare.html --values map.npy 2>/dev/null

# The page and the picture are XML; the data are as they were given; no name is markup.
python3 - <<'END' || fail "the files are not what they say"
import base64, json, struct, xml.etree.ElementTree as tree, zlib
expected = json.load(open("expected.json", encoding="utf-8"))
space = "{http://www.w3.org/1999/xhtml}"
def read(path):
    page = tree.parse(path)
    assert len(page.findall(f".//{space}script")) == 2, "scripts"
    return page, json.loads(page.find(f".//{space}script[@id='data']").text)
page, data = read("map.html")
assert page.find(f".//{space}h1").text == 'a <b> & "c"'
assert data["names"] == expected["names"]
assert [c["name"] for c in data["columns"]] == ["class", "cluster", "degree"]
group = struct.unpack("<400i", base64.b64decode(data["columns"][0]["group"]))
assert list(group) == expected["classes"]
degree = struct.unpack("<400f", base64.b64decode(data["columns"][2]["values"]))
assert set(degree) == {2.0}
place = base64.b64decode(data["place"])
assert open("map.npy", "rb").read()[-len(place):] == place
near = struct.unpack("<2000i", base64.b64decode(data["neighbours"]))
assert all(near[5 * i + n] != i for i in range(400) for n in range(5))
assert [c["name"] for c in read("bare.html")[1]["columns"]] == ["cluster", "map 1", "map 2"]
tree.parse("map.svg")
png = open("map.png", "rb").read()
assert png[:8] == b"\x89PNG\r\n\x1a\n"
at, packed, colours = 8, b"", set()
while at < len(png):
    length, name = struct.unpack(">I4s", png[at:at + 8])
    body = png[at + 8:at + 8 + length]
    assert struct.unpack(">I", png[at + 8 + length:at + 12 + length])[0] == zlib.crc32(name + body), name
    if name == b"IHDR":
        width, height, depth, kind = struct.unpack(">IIBB", body[:10])
    packed += body if name == b"IDAT" else b""
    at += 12 + length
rows = zlib.decompress(packed)
assert (depth, kind) == (8, 2) and len(rows) == height * (3 * width + 1)
for y in range(0, height, 5):
    row, pixel = rows[y * (3 * width + 1):][:3 * width + 1], [0, 0, 0]
    assert row[0] == 1
    for x in range(1, len(row), 3):
        pixel = [(pixel[c] + row[x + c]) & 255 for c in range(3)]
        colours.add(tuple(pixel))
assert (255, 255, 255) in colours and len(colours) > 20, "the picture shows nothing"
END
holds "no name is markup" [ "$(grep -c '<script>window' map.html)" = 0 ]

# What cannot be mapped is refused before the work.
exits 2 "expected -o FILE.html" map Z.npy
exits 2 "ends with .png" map Z.npy --png map.jpg
exits 1 "nothing" map Z.npy nothing -o x.html
exits 2 "Z.npy" map Z.npy --npy Z.npy
printf 'a,b\nb,c\nc,a\nc,d\n' >named.csv
tac named.csv >backwards.csv
exits 0 "" train named.csv --undirected --epochs 2 --device cpu -q -o named
exits 0 "wrote named.html" map named named.csv --undirected -k 2 -o named.html
exits 2 "named was trained on other data than backwards, which differs in: graph" map named backwards.csv --undirected -k 2 -o x.html

# A run's map has the clusters and the scores that graco eval kept of its embeddings, and none that are gone.
exits 0 "" generate g.npz --nodes 60 --features 10 --classes 3
exits 0 "" train g.npz -o run --epochs 2 --set hidden=8 --threads 1 --device cpu -q
exits 0 "3 clusters: NMI 0." map run g.npz -k 2 -o run.html
holds "no scores were kept: $(cat err)" [ "$(grep -c accuracy err)" -eq 0 ]
exits 0 "" eval run g.npz --splits 2 --with-features --threads 1 --device cpu
exits 0 "" eval run g.npz --task cluster --threads 1
python3 - <<'END'
import json
clusters, scores = json.load(open("run/eval-cluster.json")), json.load(open("run/eval.json"))
clusters.update(cluster=[2] * 30 + [0] * 20 + [1] * 10, modularity=0.25)
scores["results"][0]["scores"] = [50.0, 54.0]
json.dump(clusters, open("run/eval-cluster.json", "w"))
json.dump(scores, open("run/eval.json", "w"))
END
exits 0 "modularity 0.250; accuracy with features 52.00 ± 2.83: 2 splits, protocol paper" map run g.npz -k 2 -o run.html
python3 - <<'END' || fail "the page has other clusters or scores than the run"
import base64, json, re, struct
page = open("run.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
group = struct.unpack("<60i", base64.b64decode(data["columns"][1]["group"]))
assert list(group) == [0] * 30 + [1] * 20 + [2] * 10, "the largest first"
assert "modularity 0.250; accuracy with features 52.00" in re.search(r'<p id="scores">(.*?)</p>', page)[1]
END
exits 0 "" train g.npz -o run --resume --epochs 3 --threads 1 --device cpu -q
exits 0 "3 clusters" map run g.npz -k 2 -o run.html
holds "nothing is shown of embeddings that are gone: $(cat err)" [ "$(grep -c -e accuracy -e 'modularity 0.250' err)" -eq 0 ]
exits 0 "2 clusters" map run g.npz -k 2 --clusters 2 -o run.html
exits 0 "" train g.npz -o two --runs 2 --epochs 2 --set hidden=8 --threads 1 --device cpu -q
exits 0 "" eval two g.npz --splits 2 --threads 1 --device cpu
exits 0 "2 runs, 2 splits" map two g.npz -k 2 -o two.html
rm two/run-2/embeddings.npy
exits 0 "wrote two.html" map two g.npz -k 2 -o two.html
holds "no scores of runs of which one has not ended: $(cat err)" [ "$(grep -c accuracy err)" -eq 0 ]
checked
