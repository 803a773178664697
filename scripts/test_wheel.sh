#!/usr/bin/env bash
# Tries the wheel of dist/ on a bare machine: a minimal Debian 12 in a temporary folder, with Python and
# without build tools, where five lines of Python must embed a networkx graph with names. What the lines
# need beside graco is downloaded here and carried over, so nothing in there reaches a network.
# Needs root. Exit code 77, with the reason, where such a machine cannot be made.
set -euo pipefail
cd "$(dirname "$0")/.."
release=bookworm

skip() {
    echo "skipped: $1"
    exit 77
}

if [ "${1-}" = --inside ]; then
    root=$2
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release=$release '$2 == release && $3 == "main" { print $1; exit }')
    [ -n "$mirror" ] || skip "this machine's apt has no source of Debian $release"
    debootstrap --variant=minbase --include=python3,python3-venv $release "$root" "$mirror" \
        >"$root.log" 2>&1 || {
        tail -3 "$root.log"
        skip "debootstrap failed"
    }
    mount -t proc proc "$root/proc" || skip "no right to mount"
    cp -r "$3" "$root/wheels"
    # shellcheck disable=SC2016
    chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root bash -euc '
        ! command -v gcc cc make >/dev/null
        python3 -m venv /tried
        /tried/bin/pip install --quiet --no-index --find-links /wheels graco networkx pandas
        cd /tmp
        /tried/bin/python - <<END
import networkx as nx, pandas as pd, graco
G = nx.les_miserables_graph()
model = graco.Node2Vec(epochs=2).fit(G)
Z = pd.DataFrame(model.embedding_, index=model.node_ids_)
print(Z.loc["Valjean"].head(3), graco.evaluate(Z, [i % 2 for i in range(77)], splits=2), sep="\n")
loaded = [line.split()[-1] for line in open("/proc/self/maps") if "r-x" in line and "/" in line]
outside = {path.split("/")[-1].split(".so")[0] for path in loaded if not path.startswith("/tried")}
print("from the machine:", *sorted(outside))
assert not {name for name in outside if "blas" in name or "gomp" in name or "zip" in name}, outside
END'
    echo "the wheel works on a bare Debian 12"
    exit
fi

[ "$(id -u)" -eq 0 ] || skip "make test-wheel needs root"
ls dist/graco-*.whl >/dev/null 2>&1 || skip "there is no wheel: make wheel"
command -v debootstrap >/dev/null || scripts/setup.sh debootstrap || skip "debootstrap cannot be installed"
unshare --mount --pid --fork true 2>/dev/null || skip "no right to make namespaces"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
python3 -m pip download --quiet --only-binary :all: --python-version 3.11 --dest "$folder/wheels" \
    numpy networkx pandas || skip "numpy, networkx and pandas cannot be downloaded"
cp dist/graco-*.whl "$folder/wheels"
unshare --mount --pid --fork --kill-child bash scripts/test_wheel.sh --inside "$folder/root" "$folder/wheels"
