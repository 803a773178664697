#!/usr/bin/env bash
# graco complete says which commands, options and words fit, as the help texts list them, and bash, zsh and fish
# ask it. Each shell itself is asked; one that is not installed is left out.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir runs && touch runs/here.npz
PATH=$1:$PATH # where the scripts find graco

for shell in bash zsh fish; do
    exits 0 "completion of graco" completion $shell
    cp out script.$shell
    same script.$shell "$GRACO_SOURCE/cli/completion.$shell"
done
exits 0 "" complete
exits 0 "" complete nonsense ""
exits 0 "" complete = = =
holds "no offers: $(cat out)" [ ! -s out ]
exits 0 "" complete train "$(printf '%5000s' '' | tr ' ' x)" =
exits 2 "expected bash, zsh or fish" completion tcsh
exits 2 "1 of 1 arguments are missing" completion
exits 0 "usage: graco completion bash|zsh|fish" help completion
exits 0 "  completion " help

# ---- bash ----------------------------------------------------------------------------------------
# shellcheck disable=SC1091
. ./script.bash
# offers WORD...: what bash completes after these words, the last of which is unfinished.
offers() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _graco || true # compopt has nothing to tell here
    printf '%s\n' "${COMPREPLY[@]}"
}
# completes "EXPECTED ..." WORD...: exactly these.
completes() {
    local expected=$1 found
    shift
    found=$(offers "$@" | sort | tr '\n' ' ')
    holds "bash: '$*': '$expected', found '$found'" [ "${found% }" = "$expected" ]
}
# has PART WORD...: among others this one.
has() {
    local part=$1
    shift
    holds "bash: '$*' has $part" grep -qxF -- "$part" <(offers "$@")
}
completes "train" graco tr
completes "--help --version" graco --
completes "--version" graco --v
completes "fetch" graco help fet
completes "--objective" graco train --obj
completes "dgi" graco train --method dg
completes "dgi" graco train --method = dg
completes "auto exact infonce moment sampled" graco train --objective =
completes "cora cora+" graco train --preset cor
completes "encoder=" graco train --set enc
completes "gcn sage sage_skip" graco train --set encoder =
completes "gcn sage sage_skip" graco train --set = encoder =
completes "sage sage_skip" graco train cora --set encoder = sa
completes "tau=" graco tune --search ta
completes "" graco train --set hidden =
completes "" graco train --set p =
completes "" graco train --epochs ""
completes "transductive" graco reproduce trans
completes "cora" graco fetch cor
completes "raw" graco eval --baseline r
completes "runs" graco train -o ru
completes "runs" graco train --output = ru
has runs graco train --output =
completes "runs" graco eval ru
completes "no" graco info --header n
completes "--help bash fish zsh" graco completion ""
completes "-o" graco train -o
has cora graco train ""
has --json graco train cora --resume ""
has citeseer graco reproduce --sets ""
has --nodes graco help generate ""

# Every command and option of the help texts, letters too, and every key.
mapfile -t commands < <(graco --help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
options=0
for command in "${commands[@]}"; do
    has "$command" graco ""
    [ "$command" != help ] || continue
    graco complete "$command" - | cut -f1 >offered
    while read -r name letter; do
        options=$((options + 1))
        holds "graco $command --$name" grep -qxF -- "--$name" offered
        [ -z "$letter" ] || holds "graco $command -$letter" grep -qxF -- "-$letter" offered
    done < <(graco help "$command" | sed -nE 's/^  (-(.), |    )--([a-z-]+).*/\3 \2/p')
done
holds "options were looked for" [ $options -gt 100 ]
graco methods --json | grep -o '"settings": *\[[^]]*\]' | grep -oE '"[a-z_0-9]+"' | tr -d '"' |
    grep -vx settings | sort -u >keys
graco complete train --set "" | cut -f1 >offered
for key in $(cat keys); do
    holds "$key" grep -qxF "$key=" offered
done
holds "keys were looked for" [ "$(wc -l <keys)" -gt 30 ]
holds "nothing is offered twice" [ -z "$(sort offered | uniq -d)" ]

# ---- fish ----------------------------------------------------------------------------------------
# fish WORDS EXPECTED: what fish completes the line to, without descriptions.
ask_fish() {
    local found
    found=$(HOME=$work fish --no-config -c 'source script.fish; complete -C $argv[1]' "$1" | cut -f1 | sort | tr '\n' ' ')
    holds "fish: '$1': '$2', found '$found'" [ "${found% }" = "$2" ]
}
if command -v fish >/dev/null; then
    ask_fish "graco tr" "train"
    ask_fish "graco --" "--help --version"
    ask_fish "graco train --obj" "--objective"
    ask_fish "graco train --method dg" "dgi"
    ask_fish "graco train --set encoder=sage_" "encoder=sage_skip"
    ask_fish "graco plan --set encoder=sage_" "encoder=sage_skip"
    ask_fish "graco train --method=dg" "--method=dgi"
    ask_fish "graco train -o ru" "runs/"
    ask_fish "graco train --output=ru" "--output=runs/"
    ask_fish "graco train --epochs r" ""
    ask_fish "graco reproduce trans" "transductive"
    ask_fish "graco help fet" "fetch"
    ask_fish "graco fetch cor" "cora"
else
    echo "left out: fish (it is not installed)"
fi

# ---- zsh -----------------------------------------------------------------------------------------
# zsh completes only where someone types: in a terminal of its own, the line is printed after the tab.
cat >ask.zsh <<'END_ZSH'
zmodload zsh/zpty
zpty shell 'TERM=dumb PS1= zsh -f -i'
zpty -w shell 'fpath=($PWD/functions $fpath); autoload -Uz compinit && compinit -u -D; LISTMAX=0
show() { print -r -- "<$BUFFER>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^X" show; print ready-$((1+1))'
while zpty -r shell line; do [[ $line == *ready-2* ]] && break; done
for line; do
    zpty -w -n shell "$line"$'\t'
    sleep 0.3
    zpty -w -n shell $'\x18'
    found=
    while zpty -r shell part; do found+=$part; [[ $part == *'<'*'>'* ]] && break; done
    print -r -- "${${found##*<}%%>*}"
done
zpty -d shell
END_ZSH
if command -v zsh >/dev/null; then
    mkdir functions && cp script.zsh functions/_graco
    HOME=$work timeout 600 zsh -f ask.zsh "graco tr" "graco train --obj" "graco train --method dg" "graco train --method=dg" "graco train --set enc" \
        "graco train --set encoder=sage_" "graco train -o ru" "graco train --output=ru" "graco reproduce trans" "graco help fet" \
        "graco --v" >zsh.found || true
    printf '%s\n' "graco train " "graco train --objective " "graco train --method dgi " "graco train --method=dgi " "graco train --set encoder=" \
        "graco train --set encoder=sage_skip" "graco train -o runs/" "graco train --output=runs/" "graco reproduce transductive " \
        "graco help fetch " "graco --version " >zsh.expected
    holds "zsh: $(diff zsh.expected zsh.found)" diff -b zsh.expected zsh.found
else
    echo "left out: zsh (it is not installed)"
fi
checked
