#!/usr/bin/env bash
# Installs the Debian packages that graco needs. Says which are missing; does nothing when none is.
set -euo pipefail

packages=(gcc libc6-dev cmake pkg-config libopenblas-openmp-dev libzip-dev zlib1g-dev libcurl4-openssl-dev
    libssl-dev ca-certificates)
missing=()
if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not a Debian system: the equivalents of these packages are needed:" \
        "${packages[*]} $*" >&2
    exit 0
fi
for package in "${packages[@]}" "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "setup: missing Debian packages: ${missing[*]}"
if [ "$(id -u)" -eq 0 ]; then
    sudo=()
elif command -v sudo >/dev/null; then
    sudo=(sudo)
else
    echo "setup: install them as root: apt-get install ${missing[*]}" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
