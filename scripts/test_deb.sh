#!/usr/bin/env bash
# Installs the packages of dist/deb/ on a bare Debian 12, made with debootstrap in a temporary folder, and
# runs debian/tests/smoke there. What they depend on comes from where this machine's apt gets it. Needs root.
# Exit code 77, with the reason, where such a machine cannot be made.
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
    debootstrap --variant=minbase $release "$root" "$mirror" >"$root.log" 2>&1 || {
        tail -3 "$root.log"
        skip "debootstrap failed"
    }
    mount -t proc proc "$root/proc" || skip "no right to mount"
    apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/90downloads" || true
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    mkdir "$root/packages"
    cp dist/deb/{libgraco0,libgraco-dev,graco,python3-graco}_*.deb debian/tests/smoke "$root/packages/"
    inside() {
        local name environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive)
        for name in http_proxy https_proxy no_proxy; do
            [ -z "${!name-}" ] || environment+=("$name=${!name}")
        done
        chroot "$root" env -i "${environment[@]}" bash -euc "$1"
    }
    # The packages alone first: the command and Python need nothing that their dependencies do not bring.
    inside 'apt-get update -qq
        apt-get install -y -qq --no-install-recommends /packages/{libgraco0,graco,python3-graco}_*.deb
        cd /tmp && graco train -o run --epochs 2 -q && python3 -c "import graco; print(graco.__version__)"
        apt-get install -y -qq --no-install-recommends /packages/libgraco-dev_*.deb cmake gcc libc6-dev make pkg-config
        ' >"$root.log" 2>&1 || {
        tail -20 "$root.log"
        exit 1
    }
    inside 'cd /tmp && sh /packages/smoke'
    inside 'apt-get purge -y -qq libgraco0 libgraco-dev graco python3-graco >/dev/null 2>&1
        left=$(find /usr /var/lib/dpkg/info -name "*graco*"); [ -z "$left" ] || { echo "left behind: $left"; exit 1; }'
    echo "the packages work on a bare Debian 12, and leave nothing behind ($SECONDS s)"
    exit
fi

[ "$(id -u)" -eq 0 ] || skip "make test-deb needs root"
ls dist/deb/*.deb >/dev/null 2>&1 || skip "there are no packages: make deb"
scripts/setup.sh debootstrap || skip "debootstrap cannot be installed"
unshare --mount --pid --fork true 2>/dev/null || skip "no right to make namespaces"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
unshare --mount --pid --fork --kill-child bash scripts/test_deb.sh --inside "$folder/root"
