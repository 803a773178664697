#!/usr/bin/env bash
# Where the commands may write: what is no regular file is left alone, and nothing that exists is
# replaced unasked.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GRACO_DATA=$work/sets

# exits CODE PART ARGUMENT...: graco must exit so; a failure says PART in exactly one line.
exits() {
    local code=$1 part=$2 found=0
    shift 2
    timeout 600 "$graco" "$@" >out 2>err </dev/null || found=$?
    holds "graco $*: exit code $found, expected $code: $(cat err)" [ "$found" -eq "$code" ]
    [ "$code" -eq 0 ] || holds "graco $*: one line with '$part': $(cat err)" \
        [ "$(grep -cF -- "$part" err)" -eq 1 -a "$(wc -l <err)" -eq 1 ]
}

small=(--nodes 200 --classes 2 --features 8)
exits 0 "" generate g.npz "${small[@]}"
exits 0 "" train g.npz -o run --epochs 1 --set hidden=4 --threads 1 --device cpu -q
printf '0 1\n1 2\n' >edges.txt
printf '1\n2\n3\n' >features.csv

# ---- What is no regular file ---------------------------------------------------------------------
for name in pipe pipe.npz pipe.npy; do mkfifo $name; done
ln -s pipe.npy link.npy
ln -s /dev/null null.npy
mkfifo run/eval.json
exits 1 "cannot write pipe.npz: it is a pipe (FIFO); expected a file" generate pipe.npz "${small[@]}" --force
exits 1 "cannot write pipe: it is a pipe (FIFO); expected a folder" generate pipe "${small[@]}"
exits 1 "cannot write pipe.npz: it is a pipe" convert g.npz pipe.npz
exits 1 "cannot write pipe.npy: it is a pipe" embed run g.npz -o pipe.npy --device cpu
exits 1 "cannot write link.npy: it is a pipe" embed run g.npz -o link.npy --device cpu
exits 1 "cannot write null.npy: it is a device; expected a file" embed run g.npz -o null.npy --device cpu
exits 1 "eval.json: it is a pipe" eval run g.npz --splits 1 --threads 1
rm run/eval.json
for name in embeddings.npy metrics.jsonl config.json model.safetensors; do
    rm -rf other
    mkdir other
    mkfifo other/$name
    exits 1 "" train g.npz -o other --epochs 1 --set hidden=4 --threads 1 --device cpu -q
    holds "other/$name is still a pipe" [ -p other/$name ]
done
for name in pipe pipe.npz pipe.npy; do holds "$name is still a pipe" [ -p $name ]; done
holds "links are still links" [ -L link.npy -a -L null.npy ]
holds "nothing else is left: $(ls)" [ "$(ls | grep -c tmp-)" -eq 0 ]

# ---- Links to files ------------------------------------------------------------------------------
# The file that a link leads to is replaced, and the link stays; a link that leads nowhere is refused.
exits 0 "" embed run g.npz -o Z.npy --device cpu
mkdir far
echo old >far/Z.npy
chmod 640 far/Z.npy
cp g.npz far/g.npz
ln -s far/Z.npy through.npy
ln -s through.npy twice.npy
ln -s far/g.npz through.npz
ln -s far/absent.npy nowhere.npy
exits 0 "" embed run g.npz -o twice.npy --device cpu
same far/Z.npy Z.npy
exits 0 "" generate through.npz "${small[@]}" --seed 2 --force
holds "the file that the link leads to is new" bash -c '! cmp -s g.npz far/g.npz'
exits 1 "nowhere.npy: it is a link that leads nowhere; expected a file, or a new name" \
    embed run g.npz -o nowhere.npy --device cpu
holds "links are still links" [ -L through.npy -a -L twice.npy -a -L through.npz -a -L nowhere.npy ]
holds "permissions stay" [ "$(stat -c %a far/Z.npy)" = 640 ]
holds "nothing else is left: $(ls . far)" [ "$(ls . far | grep -c 'tmp-\|absent')" -eq 0 ]
mv run/embeddings.npy far
ln -s ../far/embeddings.npy run/embeddings.npy
exits 0 "" train g.npz -o run --resume --epochs 2 --set hidden=4 --threads 1 --device cpu -q
holds "a run's files may be links" [ -L run/embeddings.npy -a -s far/embeddings.npy ]
mv far/embeddings.npy run

# ---- Names that say another format, and folders that are not there ---------------------------------
exits 2 "embed: q.npz ends in .npz, and this writes .npy; expected -o q.npy" embed run g.npz -o q.npz
exits 2 "expected -o a.b/q.npy" embed run g.npz -o a.b/q.csv
exits 2 "expected -o q.npy" embed run g.npz -o q.NPZ
exits 2 "predict: q.npz ends in .npz, and this writes .csv; expected -o q.csv" predict run g.npz -o q.npz
holds "nothing was written" [ ! -e q.npz -a ! -e q.csv ]
exits 0 "" embed run g.npz -o plain --device cpu
same plain run/embeddings.npy
exits 1 "cannot create away/Z.csv: No such file or directory" export run -o away/Z.csv
exits 1 "cannot create away/Z.npy: No such file or directory" embed run g.npz -o away/Z.npy --device cpu
exits 1 "cannot create away/g.npz: No such file or directory" convert g.npz away/g.npz
exits 1 "cannot make the folder away/g: No such file or directory" convert g.npz away/g
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed && chmod 500 closed
    exits 1 "cannot create closed/Z.csv: Permission denied" export run -o closed/Z.csv
fi

# ---- The standard output -------------------------------------------------------------------------
exits 0 "" embed run g.npz -o Z.npy --device cpu
exits 0 "" embed run g.npz -o - --device cpu
same out Z.npy
holds "and says so: $(cat err)" grep -qx 'wrote the standard output: 200 x 4, float32' err
code=0
"$graco" embed run g.npz -o - --device cpu >/dev/full 2>err || code=$?
holds "a full disk is said: $code, $(cat err)" [ $code -eq 1 -a "$(grep -c 'could not be written' err)" -eq 1 ]
exits 1 "- is the standard output; expected a file or a folder" generate - "${small[@]}"
exits 1 "- is the standard output; expected a file or a folder" convert g.npz -
exits 1 "- is the standard output; expected a folder for the run" train g.npz -o - --epochs 1
exits 0 "" convert g.npz ./-
holds "./- is a name" [ -d ./- ]

# ---- What exists already -------------------------------------------------------------------------
cp g.npz before
exits 1 "g.npz exists; expected a new name, or --force to replace it" generate g.npz "${small[@]}" --seed 1
exits 0 "" convert g.npz copy.npz
exits 1 "copy.npz exists; expected a new name, or --force" convert g.npz copy.npz
same g.npz before
exits 0 "" convert edges.txt copy.npz --force
holds "--force replaces" bash -c "'$graco' info copy.npz --json | grep -q '\"nodes\": 3,'"
exits 0 "" generate g2.npz "${small[@]}"
exits 0 "" generate g2.npz "${small[@]}" --force --seed 1
holds "--force replaces" bash -c '! cmp -s g.npz g2.npz'
# The source is the target, under any of its names.
ln g.npz hard.npz
ln -s g.npz soft.npz
for target in g.npz ./g.npz hard.npz soft.npz; do
    exits 1 "$target would be read and replaced at once" convert g.npz $target --force
done
cp features.csv features.npz
exits 1 "features.npz would be read and replaced at once" \
    convert edges.txt features.npz --features features.npz --force
same features.csv features.npz
same g.npz before
# Tables are no target of what is read from them, whichever command writes.
printf '0\n1\n0\n' >classes.csv
exits 0 "" train edges.txt --features features.csv -o tables --epochs 1 --set hidden=4 --threads 1 --device cpu -q
cp classes.csv before.csv
exits 1 "classes.csv would be read and replaced at once" \
    predict tables edges.txt --features features.csv --labels classes.csv --all -o classes.csv
exits 1 "classes.csv would be read and replaced at once" \
    predict tables edges.txt --features classes.csv --labels features.csv --all -o ./classes.csv
same classes.csv before.csv
# Nor where the run alone names them. Before that line is how the tables were understood.
printf '1\n2\n3\n' >table.npy
exits 0 "" train edges.txt --features table.npy --labels classes.csv -o reads --epochs 1 --set hidden=4 --threads 1 --device cpu -q
cp table.npy before.npy
for command in "predict reads edges.txt --all -o classes.csv" "embed reads edges.txt -o table.npy"; do
    # shellcheck disable=SC2086
    "$graco" $command >out 2>err && fail "graco $command replaced what it read"
    holds "graco $command: $(cat err)" grep -qF "${command##* } would be read and replaced at once" err
done
same classes.csv before.csv
same table.npy before.npy
# The embeddings of a run belong to the nodes that its node_ids.txt names.
printf 'a b\nb c\n' >named.txt
printf 'c b\nb a\n' >turned.txt
printf 'a 1\nb 2\nc 3\n' >named.csv
exits 0 "" train named.txt --features named.csv -o named --epochs 1 --set hidden=4 --threads 1 --device cpu -q
cp named/embeddings.npy before.npy
"$graco" embed named turned.txt --features named.csv -o named/embeddings.npy >out 2>err && fail "embedded over a run"
holds "it says why: $(cat err)" grep -qF "named/embeddings.npy belongs to a training" err
same named/embeddings.npy before.npy
(cd named && "$graco" embed . ../turned.txt --features ../named.csv -o embeddings.npy) >out 2>err && fail "from within"
same named/embeddings.npy before.npy
"$graco" embed named named.txt --features named.csv -o named/embeddings.npy >out 2>err || fail "the same data: $(cat err)"
same named/embeddings.npy before.npy

# A folder must be empty, also with --force: what else is in it is nobody's to remove.
mkdir empty
exits 0 "" convert g.npz empty
exits 1 "empty is a folder with files in it; expected a new name or an empty folder" convert g.npz empty
exits 1 "empty is a folder with files in it" generate empty "${small[@]}" --force
exits 1 "empty would be read and replaced at once" convert empty empty --force
exits 1 "it is a file; expected a folder" convert g.npz features.csv --force
holds "graco info reads the folder" "$graco" info empty

# ---- The lock, and permissions -------------------------------------------------------------------
tiny=(--epochs 1 --set hidden=4 --threads 1 --device cpu -q)
mkdir locked
echo notes >locked/lock
exits 1 "locked/lock is not a lock that a training made" train g.npz -o locked "${tiny[@]}"
holds "the user's file is left: $(ls locked)" [ "$(cat locked/lock)" = notes -a "$(ls locked)" = lock ]
mv locked/lock notes
ln -s ../notes locked/lock
exits 1 "locked/lock: it is a symbolic link" train g.npz -o locked "${tiny[@]}"
holds "the link and its file are left" [ -L locked/lock -a "$(cat notes)" = notes ]
exits 0 "" embed run g.npz -o Z.npy --device cpu
chmod 600 Z.npy run/*
exits 0 "" embed run g.npz -o Z.npy --device cpu
exits 0 "" train g.npz -o run --resume "${tiny[@]}" --epochs 2
holds "0600 stays 0600: $(stat -c '%a %n' Z.npy run/*)" \
    [ "$(stat -c %a Z.npy run/* | sort -u)" = 600 ]

checked
