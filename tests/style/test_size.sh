#!/usr/bin/env bash
# The source grows by intent: no part of it by more than 2 % above what ARCHITECTURE.md says of it.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
cd "$GRACO_SOURCE"

while read -r part lines; do
    said=$(sed -n "s/^| $part | \([0-9,]*\) |\$/\1/p" ARCHITECTURE.md | tr -d ,)
    holds "ARCHITECTURE.md has the lines of $part" test -n "$said"
    echo "$part: $lines lines, $said in ARCHITECTURE.md"
    holds "$part has at most 2 % more lines than ARCHITECTURE.md says; what made it grow changes that line too" \
        test "$((100 * lines))" -le "$((102 * ${said:-0}))"
done < <(scripts/size.sh --sums)
checked
