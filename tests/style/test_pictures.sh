#!/usr/bin/env bash
# The pictures, checked: drawing them again gives the committed files byte for byte, so none is older
# than the script or the numbers in the source; and every one of them is shown by a document.
set -euo pipefail
cd "$GRACO_SOURCE"
. tests/check.sh

command -v python3 >/dev/null || { echo "skipped: python3, which draws the pictures, is not installed"; exit 77; }

drawn=$(mktemp -d)
trap 'rm -rf "$drawn"' EXIT
holds "scripts/draw_pictures.py draws" python3 scripts/draw_pictures.py "$drawn"
holds "docs/pictures/ has the files that scripts/draw_pictures.py draws: run \`make pictures\`" \
    diff -r docs/pictures "$drawn"
for picture in docs/pictures/*; do
    holds "$picture is shown by a document" \
        grep -rqF --include='*.md' "pictures/$(basename "$picture"))" docs ./*.md
    holds "$picture is light and dark" grep -qF 'prefers-color-scheme:dark' "$picture"
done
checked
