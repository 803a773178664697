#!/usr/bin/env bash
# Builds the Debian packages of the last commit, in build-deb/ from an export of it, and leaves them in
# dist/deb/ with their source. lintian must find no error and no warning.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build-deb
version=$(sed -n 's/^#define GRACO_VERSION "\(.*\)"/\1/p' include/graco.h)
packaged=$(dpkg-parsechangelog -S Version)
[ "$version" = "$packaged" ] || {
    echo "deb: graco.h has version $version, debian/changelog $packaged; expected the same" >&2
    exit 1
}
[ -z "$(git status --porcelain)" ] || echo "note: changes that are not committed are not in the packages"
rm -rf $folder dist/deb
mkdir -p $folder dist/deb
git archive --prefix="graco-$version/" HEAD | tar -x -C $folder
(cd "$folder/graco-$version" && DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} noautodbgsym" \
    dpkg-buildpackage -us -uc) >$folder/build.log 2>&1 || {
    tail -30 $folder/build.log
    exit 1
}
cp $folder/*.{deb,dsc,tar.xz,buildinfo,changes} dist/deb/
lintian --fail-on error,warning dist/deb/*.changes
ls -sh dist/deb/*.deb
