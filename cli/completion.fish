# fish completion of graco: graco itself says what fits.
function __graco_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    for line in (graco complete $words[2..-1] "$token" 2>/dev/null)
        if test "$line" != /
            printf '%s\n' "$line"
            continue
        end
        set -l before (string match -r -- '^-.*=' "$token")
        for path in (__fish_complete_path (string replace -r -- '^-.*=' '' "$token"))
            printf '%s\n' "$before$path"
        end
    end
end
complete -c graco -f -a '(__graco_complete)'
