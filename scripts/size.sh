#!/usr/bin/env bash
# Lines by folder and kind (`make size`); --sums: the three numbers that ARCHITECTURE.md has, one a line.
set -euo pipefail
cd "$(dirname "$0")/.."

find src cli include paper tests python bench scripts examples docs -type f | sort | while read -r path; do
    case $path in
    docs/*.md | docs/*.1) kind=text ;;
    *.c | *.h | *.cpp | *.hpp) kind=C ;;
    *.cu | *.cuh) kind=CUDA ;;
    *.def | *.js | *.css | *.html) kind=parts ;;
    *.py | *.sh | */CMakeLists.txt | */run) kind=scripts ;;
    *) continue ;;
    esac
    case $path in docs/results/* | *.egg-info/*) continue ;; esac
    case $path in src/*/*) folder=${path#src/} folder=src/${folder%%/*} ;; *) folder=${path%%/*} ;; esac
    echo "$folder $kind $(wc -l <"$path")"
done | awk -v sums="${1-}" '
    BEGIN { kinds = split("C CUDA parts scripts text", kind) }
    {
        if (!(($1, "files") in lines)) folder[++folders] = $1
        lines[$1, "files"]++
        lines[$1, $2] += $3
        part = $1 ~ /^(src\/|cli$|include$)/ ? "src+cli+include" : $1
        if (!($1 ~ /^(src\/|cli$|include$)/ && $2 == "scripts")) sum[part] += $3
    }
    END {
        if (sums != "") {
            printf "src+cli+include %d\npaper %d\ntests %d\n", sum["src+cli+include"], sum["paper"], sum["tests"]
            exit
        }
        printf "%-16s %6s", "folder", "files"
        for (k = 1; k <= kinds; k++) printf " %8s", kind[k]
        print ""
        for (f = 1; f <= folders; f++) {
            printf "%-16s %6d", folder[f], lines[folder[f], "files"]
            for (k = 1; k <= kinds; k++) printf " %8s", lines[folder[f], kind[k]]
            print ""
        }
        printf "\nsrc+cli+include %d, paper %d, tests %d\n", sum["src+cli+include"], sum["paper"], sum["tests"]
    }'
