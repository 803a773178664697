# bash completion of graco: graco itself says what fits. bash takes key=word for three words; only the last is offered.
_graco() {
    local cur=${COMP_WORDS[COMP_CWORD]} word
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        case $word in
        /) # names of files
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${cur#=}")
            compopt -o filenames 2>/dev/null ;;
        *)
            COMPREPLY+=("$word") ;;
        esac
    done < <(graco complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _graco graco
