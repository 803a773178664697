#!/usr/bin/env bash
# Tries the README's two commands on a bare machine: makes a minimal Debian 12 in a temporary folder, and clones the last
# commit into it. Root installs the packages and runs `make demo`; then a plain user runs `make demo` and `make test` on
# what root has built. FRESH names targets that both run instead.
#
# The sources and the settings of downloads are those of this machine's apt. All of it runs in
# namespaces of its own: whatever ends this script also ends every process and mount in there. Exit
# code 77, with the reason, where such a machine cannot be made.
set -euo pipefail
cd "$(dirname "$0")/.."

release=bookworm
declare -A targets=([root]=${FRESH:-demo} [tester]=${FRESH:-demo test})

step() { printf '\n== a bare Debian: %s (%d s so far)\n' "$1" "$SECONDS"; }
skip() {
    echo "skipped: $1"
    exit 77
}

# sources: this machine's sources of the release, as lines of sources.list.
sources() {
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release=$release '
            $2 ~ "^" release "(-updates|-security)?$" && $3 == "main" { print "deb " $0 }' | sort -u
}

# inside USER COMMAND: runs it in the new machine with a new user's environment.
inside() {
    local name home=/root
    [ "$1" = root ] || home=/home/$1
    local -a environment=(HOME="$home" USER="$1" PATH=/usr/sbin:/usr/bin:/sbin:/bin)
    for name in http_proxy https_proxy no_proxy; do
        [ -z "${!name-}" ] || environment+=("$name=${!name}")
    done
    chroot --userspec="$1" "$root" env -i "${environment[@]}" bash -euc "cd /home/tester/graco; $2"
}

# size: the megabytes that the new machine takes, downloads apart.
size() {
    chroot "$root" apt-get clean
    du -sxm --exclude="$root/var/lib/apt" "$root" | cut -f1
}

# run_all ROOT: the whole trial; ROOT is the folder that becomes the machine.
run_all() {
    root=$1
    local mirror before target user

    step "debootstrap"
    mirror=$(sources | awk -v release=$release '$3 == release { print $2; exit }')
    [ -n "$mirror" ] || skip "this machine's apt has no source of Debian $release"
    # With what the README asks for: git and make.
    debootstrap --variant=minbase --include=git,make $release "$root" "$mirror" >"$root.log" 2>&1 || {
        tail -3 "$root.log"
        skip "debootstrap failed"
    }
    mount -t proc proc "$root/proc" || skip "no right to mount"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    sources >"$root/etc/apt/sources.list"
    apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/90downloads"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    chroot "$root" useradd --create-home tester
    git clone --quiet --no-hardlinks . "$root/home/tester/graco"
    chroot "$root" chown -R root /home/tester/graco

    step "packages"
    before=$(size)
    inside root "make setup >/tmp/setup.log 2>&1 || { cat /tmp/setup.log; exit 1; }"
    echo "$(($(size) - before)) MB, installed"
    for user in root tester; do
        chroot "$root" chown -R "$user" /home/tester/graco
        for target in ${targets[$user]}; do
            step "make $target as $user"
            inside "$user" "make $target"
        done
    done
    printf '\nmake test-fresh: all passed: make %s as root, make %s as a plain user, %d s\n' \
        "${targets[root]}" "${targets[tester]}" "$SECONDS"
}

if [ "${1-}" = --inside ]; then
    run_all "$2"
    exit
fi

[ "$(id -u)" -eq 0 ] || skip "make test-fresh needs root"
command -v apt-get >/dev/null || skip "make test-fresh needs apt, to know where packages come from"
scripts/setup.sh debootstrap || skip "debootstrap cannot be installed"
unshare --mount --pid --fork true 2>/dev/null || skip "no right to make namespaces"
[ -z "$(git status --porcelain)" ] || echo "note: changes that are not committed are not tried"

folder=$(mktemp -d)
child=
clean_up() {
    [ -z "$child" ] || kill -KILL "$child" 2>/dev/null || true
    wait 2>/dev/null
    # What is being killed in there may still write.
    rm -rf --one-file-system "$folder" 2>/dev/null || { sleep 1 && rm -rf --one-file-system "$folder"; }
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# In the background, so that a signal is obeyed at once; as a job of its own, so that tests in there
# can be interrupted too.
set -m
unshare --mount --pid --fork --kill-child bash scripts/test_fresh.sh --inside "$folder/root" </dev/null &
child=$!
result=0
wait $child || result=$?
child=
exit $result
