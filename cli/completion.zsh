#compdef graco
# zsh completion of graco: graco itself says what fits.
_graco() {
    local line word help files ret=1
    local -a offers open
    for line in ${(f)"$(graco complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
        word=${line%%$'\t'*} help=${line#*$'\t'}
        case $word in
        /) files=1 ;;
        *=) open+=($word) ;;
        *) offers+=("${word//:/\\:}${help:+:$help}") ;;
        esac
    done
    (($#offers)) && _describe graco offers && ret=0
    (($#open)) && compadd -S '' -- $open && ret=0
    [[ -n $files ]] && { compset -P '-*='; _files && ret=0 }
    return ret
}
if [[ $funcstack[1] == _graco ]]; then _graco "$@"; else compdef _graco graco; fi
