#!/usr/bin/env bash
# Every C, C++ and CUDA file is formatted as .clang-format says: `make format` makes it so.
set -euo pipefail
cd "$GRACO_SOURCE"

command -v clang-format >/dev/null || { echo "skipped: clang-format is not installed"; exit 77; }
git rev-parse --git-dir >/dev/null 2>&1 || { echo "skipped: not a git checkout"; exit 77; }

mapfile -t files < <(git ls-files -co --exclude-standard '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' '*.hpp')
existing=()
for file in "${files[@]}"; do
    [ -f "$file" ] && existing+=("$file")
done
clang-format --dry-run --Werror "${existing[@]}"
echo "${#existing[@]} files are formatted"
