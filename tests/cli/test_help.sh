#!/usr/bin/env bash
# Help texts and hints: lines fit a terminal of 80 columns, every choice is listed, values read as they
# are typed, and what is nearly right gets the right hint. Each command that writes says what and where.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GRACO_DATA=$work/sets

# ---- Width and choices ---------------------------------------------------------------------------
mapfile -t commands < <("$graco" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -v '^help$')
holds "there are commands" [ "${#commands[@]}" -ge 7 ]
mapfile -t methods < <("$graco" methods | grep -o '^[a-z_0-9]*' | grep .)
{
    "$graco" --help
    for command in "${commands[@]}"; do "$graco" help "$command"; done
    for method in "${methods[@]}"; do "$graco" help train --method "$method"; done
} >help
wide=$(awk 'length > 80' help)
holds "no line has more than 80 columns: $wide" [ -z "$wide" ]
holds "no line ends with a blank" bash -c '! grep -q " $" help'

# lists COMMAND NAME WORD...: the row of NAME, joined from its lines, has every word.
lists() {
    local row word command=$1 name=$2
    shift 2
    row=$("$graco" help "$command" | awk -v name="$name" '
        /^  +(-|[a-z])/ && !/^      +[a-z]/ { on = index($0 " ", name " ") > 0 } on')
    holds "graco help $command has a row for $name" [ -n "$row" ]
    for word; do
        holds "graco help $command: $name lists $word: $row" grep -qw -- "$word" <<<"$row"
    done
}
# The words are those that the refusal of a wrong one names.
words() { "$graco" "$@" 2>&1 | sed 's/.*expected one of \([^(]*\).*/\1/' | tr -d ','; }
for key in encoder activation scaling objective precision device; do
    # shellcheck disable=SC2046
    lists train "  $key" $(words train --set "$key=zzzzzz")
done
for option in "train --objective" "train --device" "train --precision" "train --method" "embed --device" \
    "generate --like" "eval --protocol"; do
    # shellcheck disable=SC2046,SC2086
    lists ${option% *} "${option#* }" $(words $option zzzzzz)
done

# ---- Values and hints ----------------------------------------------------------------------------
for size in 1G 256M 4K 1025; do
    holds "--memory $size is shown as it is typed" \
        bash -c "'$graco' help train --memory $size | grep -c '\[$size\]' | grep -qx 2"
done
# hint PART ARGUMENT...: refused as wrong use, with PART in the one line.
hint() {
    local part=$1 code=0
    shift
    "$graco" "$@" >/dev/null 2>err </dev/null || code=$?
    holds "graco $*: '$part' in: $(cat err)" grep -qF -- "$part" err
    holds "graco $*: exit code $code, one line" [ "$code" -eq 2 -a "$(wc -l <err)" -eq 1 ]
}
hint "unknown option '--lr' (did you mean --set lr=VALUE?)" train --lr 0.1
hint "did you mean --set lr=VALUE?" train --lr=0.1
hint "did you mean --set hidden=VALUE?" train --hiden 64
hint "did you mean --set tau=VALUE?" train -tau 0.5
hint "did you mean --epochs?" train --epoch 5
for device in gpu GPU nvidia; do
    hint "did you mean cuda?" train --device $device
    hint "did you mean cuda?" embed a b -o c --device $device
done
hint "did you mean cpu?" train --device cpuu
hint "train: --epochs is 'x'; expected" train --epochs x
hint "train: --seed is '-1'; expected" train --seed -1
hint "train: --threads is '1x'; expected" train --threads 1x
hint "train: --memory is '9P9'; expected" train --memory 9P9

# ---- What was written, and where -----------------------------------------------------------------
# says LINE ARGUMENT...: exactly this line on stderr, nothing on stdout.
says() {
    local line=$1
    shift
    "$graco" "$@" >out 2>err </dev/null || true
    holds "graco $*: '$line', found: $(cat err)" [ "$(cat err)" = "$line" -a ! -s out ]
}
"$graco" generate x.npz --nodes 60 --classes 3 --features 12 2>made
holds "nodes, edges, features and classes: $(cat made)" \
    grep -Eqx 'wrote x.npz: 60 nodes, [0-9]+ edges, 12 features, 3 classes' made
says "$(sed s/x.npz/g.npz/ made)" generate g.npz --nodes 60 --classes 3 --features 12
says "$(sed s/x.npz/folder/ made)" convert g.npz folder
"$graco" train g.npz -o run --epochs 1 --set hidden=4 --threads 1 --device cpu -q
says "wrote Z.npy: 60 x 4, float32" embed run g.npz -o Z.npy --device cpu

checked
