# Completion of gpuopt for bash: the program itself says what may come next.
_gpuopt() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _gpuopt gpuopt
