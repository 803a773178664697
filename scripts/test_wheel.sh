#!/usr/bin/env bash
# Tries the wheel of dist/ on a bare machine: a minimal Debian 12 in a temporary folder, with Python and
# without build tools, where the five lines that the README shows first must run as they stand. What they
# need beside graco is downloaded here and carried over, so nothing in there reaches a network.
#
# The bare machine takes minutes to make, so build-wheel/ keeps it as an archive, and the downloads too;
# `make clean` removes them. Needs root. Exit code 77, with the reason, where it cannot be made.
set -euo pipefail
cd "$(dirname "$0")/.."
release=bookworm
kept=build-wheel

skip() {
    echo "skipped: $1"
    exit 77
}

# make_bare ROOT: the bare machine, new; its archive is whole or not there.
make_bare() {
    local root=$1 mirror
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release=$release '$2 == release && $3 == "main" { print $1; exit }')
    [ -n "$mirror" ] || skip "this machine's apt has no source of Debian $release"
    command -v debootstrap >/dev/null || scripts/setup.sh debootstrap || skip "debootstrap cannot be installed"
    debootstrap --variant=minbase --include=python3,python3-venv $release "$root" "$mirror" \
        >$kept/bare.log 2>&1 || {
        tail -3 $kept/bare.log
        skip "debootstrap failed"
    }
    rm -f "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" --one-file-system -cf $kept/bare.tar.new .
    mv $kept/bare.tar.new $kept/bare.tar
}

if [ "${1-}" = --inside ]; then
    folder=$2 root=$2/root
    if [ -e $kept/bare.tar ]; then
        mkdir "$root"
        tar -C "$root" -xf $kept/bare.tar
    else
        make_bare "$root"
    fi
    mount -t proc proc "$root/proc" || skip "no right to mount"
    cp -r "$folder/wheels" "$folder/five.py" "$folder/more.py" "$root"
    # shellcheck disable=SC2016
    chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root bash -euc '
        ! command -v gcc cc make >/dev/null
        python3 -m venv /tried
        /tried/bin/pip install --quiet --no-index --find-links /wheels graco networkx pandas
        cd /tmp
        /tried/bin/python /five.py
        /tried/bin/python /more.py'
    echo "the wheel works on a bare Debian 12"
    exit
fi

[ "$(id -u)" -eq 0 ] || skip "make test-wheel needs root"
[ "$(find dist -name "*.whl" 2>/dev/null | wc -l)" -eq 1 ] || skip "dist/ does not hold one wheel: make wheel"
minor=$(find dist -name "*.whl" | sed -n 's/.*-manylinux_2_\([0-9]*\)_.*/\1/p')
[ "${minor:-99}" -le 34 ] || {
    echo "the wheel asks for glibc 2.${minor:-?}: docs/python.md says 2.34" >&2
    exit 1
}
unshare --mount --pid --fork true 2>/dev/null || skip "no right to make namespaces"
mkdir -p $kept
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The first block of the README that is no text: five lines of Python.
awk '/^```python/ { inside = 1; next } /^```/ { if (inside) exit; other = 1 } inside && !other' README.md \
    >"$folder/five.py"
[ "$(wc -l <"$folder/five.py")" -eq 5 ] || {
    echo "README.md: its first block must be five lines of Python" >&2
    exit 1
}

# The same lines again, then what they must have made, an evaluation, a missing GPU, and what was loaded.
cat >"$folder/more.py" <<'END'
import contextlib, glob, io
import numpy as np

with contextlib.redirect_stdout(io.StringIO()):
    exec(open("/five.py").read())
assert type(Z) is pd.DataFrame and list(Z.index) == list(G) and "Valjean" in Z.index
assert Z.shape == (77, model.hidden) and np.isfinite(Z.to_numpy()).all()
print(graco.evaluate(Z, np.arange(77) % 2, splits=2))
try:
    graco.GRACE(device="cuda").fit(G)
    raise SystemExit("there is no GPU here")
except graco.GracoDeviceError as error:
    print("without a GPU:", error)
loaded = [line.split()[-1] for line in open("/proc/self/maps") if "r-x" in line and "/" in line]
assert any("/graco/libopenblas" in path for path in loaded), loaded
outside = {path.split("/")[-1].split(".so")[0] for path in loaded if not path.startswith("/tried")}
print("from the machine:", *sorted(outside))
assert not {name for name in outside if any(part in name for part in ("blas", "gomp", "zip"))}, outside
texts = glob.glob("/tried/lib/python3*/site-packages/graco-*.dist-info/licenses/**/*", recursive=True)
print(len(texts), "texts of licences")
assert any("openblas" in path for path in texts) and any("libzip" in path for path in texts), texts
END

python3 -m pip download --quiet --only-binary :all: --python-version 3.11 --dest $kept/wheels \
    --find-links $kept/wheels numpy networkx pandas || skip "numpy, networkx and pandas cannot be downloaded"
cp -r $kept/wheels "$folder/wheels"
cp dist/*.whl "$folder/wheels"
unshare --mount --pid --fork --kill-child bash scripts/test_wheel.sh --inside "$folder"
