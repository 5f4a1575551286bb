# bash completion for fairshoe: eval "$(fairshoe completion bash)", or save it in
# ~/.local/share/bash-completion/completions/fairshoe
_fairshoe_add() {
    local word
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "${@}" -- "$cur")
}
_fairshoe() {
    local cur prev path word values skip= i
    local commands= choices= options= files= ports= value_options= file_options=
    cur="${COMP_WORDS[COMP_CWORD]}"
    prev="${COMP_WORDS[COMP_CWORD-1]}"
    COMPREPLY=()
    path=fairshoe
    _fairshoe_words "$path"
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ -n $skip ]]; then skip=; continue; fi
        if [[ " $value_options " == *" $word "* ]]; then skip=1; continue; fi
        if [[ " $commands " == *" $word "* ]]; then path="$path $word"; _fairshoe_words "$path"; fi
    done
    if [[ -n $skip ]]; then
        values="$(_fairshoe_values "$path" "$prev")"
        if [[ " $file_options " == *" $prev "* ]]; then _fairshoe_add -f; else _fairshoe_add -W "$values"; fi
    elif [[ $cur == -* ]]; then
        _fairshoe_add -W "$options"
    else
        _fairshoe_add -W "$commands $choices"
        if [[ -n $ports ]]; then _fairshoe_add -W "$(@ports@)"; fi
        if [[ -n $files || ( -n $ports && $cur == /* ) ]]; then _fairshoe_add -f; fi
    fi
}
_fairshoe_words() {
    commands= choices= options= files= ports= value_options= file_options=
    case "$1" in
@cases@
    esac
}
_fairshoe_values() {
    case "$1 $2" in
@values@
    esac
}
complete -o filenames -F _fairshoe fairshoe
