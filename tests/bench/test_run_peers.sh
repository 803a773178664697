#!/usr/bin/env bash
# run_peers.py on a small graph: the tables follow from the JSON file alone, what is not installed or takes too long is
# said in them, and rows of peers stand in graco's order of nodes.
set -euo pipefail

graco=$1/graco
bench=$GRACO_SOURCE/bench
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null ||
    { echo "skipped: $python has no numpy (Debian: python3-numpy)"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$graco" generate graph.npz --nodes 120 --features 40 --classes 3 --seed 3 2>/dev/null
mkdir absent fake

peers() {
    "$python" "$bench/run_peers.py" --graco "$graco" --sets graph.npz --splits 3 --threads 1 "$@" 2>log ||
        { cat log; return 1; }
}

# ---- The tables follow from the file ----------------------------------------------------------------

echo 'raise ImportError("absent", name="pycleora")' >absent/pycleora.py
peers --peers graco_dgi,graco_node2vec,pycleora --seeds 2 --packages absent --output out/peers.json
grep -q '^| pycleora | CPU | not installed: pycleora |' out/peers.md
cp out/peers.md first.md
# Other scores in the file give other tables: the mean of 50 and 60, and half their distance.
"$python" - <<'END'
import json
reports = json.load(open("out/peers.json"))
rows = [sample for sample in reports[0]["samples"] if sample["peer"] == "graco_dgi"]
assert [(sample["seed"], len(sample["scores"])) for sample in rows] == [(0, 3), (1, 3)], rows
assert all(sample["seconds"] > 0 and sample["peak_rss_bytes"] > 2**20 for sample in rows), rows
# Processor time may be counted in ticks, but no training is done in none.
assert all(0 < sample["processor_seconds"] < 60 for sample in rows), rows
line = next(line for line in open("out/peers.md") if line.startswith("| graco, DGI |"))
means = [sum(sample["scores"]) / 3 for sample in rows]
expected = f"{sum(means) / 2:.1f} ± {abs(means[0] - means[1]) / 2:.1f}"
assert line.split("|")[3].strip() == expected, (line, expected)
for sample, score in zip(rows, (50, 60)):
    sample["scores"] = [score] * 3
json.dump(reports, open("out/peers.json", "w"))
END
peers --report --output out/peers.json
grep -q '^| graco, DGI | CPU | 55.0 ± 5.0 | ' out/peers.md
[ "$(diff first.md out/peers.md | grep -c '^>')" = 1 ]

# A second run beside the first: two sections.
peers --peers graco_node2vec --seeds 1 --append --output out/peers.json
[ "$(grep -c '^## ' out/peers.md)" = 2 ]
grep -q '^| graco, DGI | CPU | 55.0 ± 5.0 | ' out/peers.md

# ---- Limits -----------------------------------------------------------------------------------------

peers --peers graco_node2vec --time-limit 0 --output none/peers.json
grep -q '^| graco, node2vec | CPU | not measured: the time was up |' none/peers.md
"$graco" generate graph.npz --force --nodes 5000 --seed 3 2>/dev/null
peers --peers graco_grace --run-limit 2 --output limit/peers.json
grep -qE '^\| graco, GRACE \| CPU \| (stopped after 2 s|[0-9]+ epochs would take [0-9]+ minutes) \|' limit/peers.md

# ---- Order of the nodes -----------------------------------------------------------------------------

# A peer that names nodes in its own order, and does not know node 4, which has no edges.
cat >fake/pycleora.py <<'END'
import numpy as np
__version__ = "0"
class SparseMatrix:
    @classmethod
    def from_iterator(cls, lines, columns):
        self = cls()
        self.lines = list(lines)
        self.entity_ids = sorted({name for line in self.lines for name in line.split()}, reverse=True)
        return self
def embed(matrix, seed):
    assert matrix.lines == ["0 1", "0 3", "2 3"], matrix.lines
    return np.array([[int(name) + 1, seed] for name in matrix.entity_ids], dtype=np.float32)
END
"$python" - <<'END'
import numpy as np
np.savez("tiny.npz", num_nodes=5, edge_index=np.array([[0, 1, 3, 0, 2, 3], [1, 0, 0, 3, 3, 2]]))
END
PYTHONPATH=fake "$python" "$bench/peer_embed.py" pycleora tiny.npz tiny.npy --seed 7 | grep -q '"pycleora": "0"'
"$python" - <<'END'
import numpy as np
found = np.load("tiny.npy").tolist()
assert found == [[1, 7], [2, 7], [3, 7], [4, 7], [0, 0]], found
END

# ---- Plain PyTorch's GRACE --------------------------------------------------------------------------

# Without training it has graco's embeddings: same weights, same encoder, same order.
if "$python" -c 'import torch' 2>/dev/null; then
    "$graco" generate graph.npz --force --nodes 150 --seed 3 2>/dev/null
    "$graco" train graph.npz -o start --epochs 0 -q --set activation=relu
    "$python" "$bench/peer_embed.py" torch_grace graph.npz torch.npy --threads 1 --epochs 0 \
        --model start/model.safetensors >/dev/null
    "$python" - <<'END'
import numpy as np
ours, theirs = np.load("start/embeddings.npy"), np.load("torch.npy")
assert np.abs(ours).max() > 1e-3 and np.allclose(ours, theirs, rtol=1e-4, atol=1e-6), np.abs(ours - theirs).max()
END
fi
echo "tables, limits and order agree"
