#compdef fairshoe
# zsh completion for fairshoe: save it as _fairshoe in a folder of $fpath
_fairshoe_words() {
    setopt localoptions nonomatch
    local port=$1 file=$2
    shift 2
    (( $# )) && compadd -- "$@"
    (( port )) && compadd -- ${(f)"$(@ports@)"}
    (( file )) && _files
}
@functions@
if [ "$funcstack[1]" = "_fairshoe" ]; then _fairshoe "$@"; else compdef _fairshoe fairshoe; fi
