#!/usr/bin/env bash
# Measures which branches the tests take: a table per folder, and exit code 1 if src/io or src/data
# is below 90 % or another folder below 80 %. FILES=1 lists every file with branches that were not
# taken. docs/reliability.md says what is counted.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build-coverage
jobs=${JOBS:-$(nproc)}
options=(-r . --object-directory "$build" --filter src/ --filter cli/ --filter paper/ -j "$jobs"
    --exclude-unreachable-branches --exclude-throw-branches)

cmake -S . -B "$build" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Coverage -DGRACO_CUDA=OFF >/dev/null
cmake --build "$build" -j "$jobs" >/dev/null
find "$build" -name '*.gcda' -delete
# faults.commands fails every write of a program, and would fail those of the counters too.
ctest --test-dir "$build" -LE 'long|once' -E '^faults\.commands$' -j "$jobs" --output-on-failure \
    --no-label-summary | tail -5

gcovr "${options[@]}" --csv "$build/coverage.csv" >"$build/gcovr.log" 2>&1 || {
    cat "$build/gcovr.log" >&2
    exit 1
}
# A folder that is missing from the table was not measured: that is a failure too.
folders=$(find src cli paper -name '*.c' | awk -F/ '{ print $1 == "src" ? $1 "/" $2 : $1 }' | sort -u | wc -l)
awk -F, -v files="${FILES-0}" -v folders="$folders" '
    NR == 1 {
        for (i = 1; i <= NF; i++) column[$i] = i
        next
    }
    {
        n = split($1, part, "/")
        folder = part[1] == "src" ? part[1] "/" part[2] : part[1]
        total[folder] += $column["branch_total"]
        taken[folder] += $column["branch_covered"]
        lines[folder] += $column["line_total"]
        reached[folder] += $column["line_covered"]
        if (files && $column["branch_total"] > $column["branch_covered"])
            printf "%5d of %5d not taken  %s\n", $column["branch_total"] - $column["branch_covered"],
                $column["branch_total"], $1
    }
    END {
        printf "%-14s %9s %9s %9s %9s %8s\n", "folder", "branches", "taken", "branch %", "line %", "wanted"
        for (folder in total) order[++count] = folder
        for (i = 1; i <= count; i++)
            for (j = i + 1; j <= count; j++)
                if (order[j] < order[i]) { t = order[i]; order[i] = order[j]; order[j] = t }
        for (i = 1; i <= count; i++) {
            f = order[i]
            wanted = f == "src/io" || f == "src/data" ? 90 : 80
            share = 100 * taken[f] / total[f]
            low += share < wanted
            printf "%-14s %9d %9d %9.1f %9.1f %8d%s\n", f, total[f], taken[f], share,
                100 * reached[f] / lines[f], wanted, share < wanted ? "  too low" : ""
        }
        exit low > 0 || count < folders
    }' "$build/coverage.csv"
