#!/bin/sh
# Completion in a shell offers every verb and option that --help shows, and the names of kernels; skipped where the shell is not.
#   test_completion.sh <gpuopt> <folder of the scripts> bash|zsh
gpuopt=$1 scripts=$2 shell=$3
command -v "$shell" >/dev/null 2>&1 || { echo "SKIP: no $shell"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$gpuopt" "$work/gpuopt"
PATH=$work:$PATH
export PATH
failed=0

# completed <words ...>: what the shell offers for the last of them, sorted.
completed() {
  case $shell in
    bash) bash -c '. "$0/gpuopt.bash"; COMP_WORDS=(gpuopt "$@"); COMP_CWORD=$#; _gpuopt
                   printf "%s\n" "${COMPREPLY[@]}"' "$scripts" "$@" ;;
    zsh) zsh -f -c 'compadd() { print -l -- "${(@P)2}"; }
                    _files() { print -- files; }
                    functions[offer]="$(<$0/_gpuopt)"
                    words=(gpuopt "$@"); CURRENT=$#words
                    offer' "$scripts" "$@" ;;
  esac | sort
}
same() { # same <what> <file with what must be there> <words ...>
  what=$1 want=$2
  shift 2
  completed "$@" >"$work/offered"
  [ -s "$want" ] && diff "$want" "$work/offered" && return
  echo "FAILED: $what (< --help, > completion)"
  failed=1
}
# Of a help's Subcommands and Options; a name is the first word of its line.
section() { sed -n "/^$1:/,/^\$/s/^  \([^ ]*\).*/\1/p"; }
options() { section Options | tr , '\n' | grep -e '^--' | sort; }

gpuopt --help >"$work/help"
section Subcommands <"$work/help" | sort >"$work/verbs"
{ options <"$work/help" && cat "$work/verbs"; } | sort >"$work/first"
grep -qx explain "$work/verbs" || { echo "FAILED: --help shows no verbs"; exit 1; }
same "the verbs" "$work/first" ''
for verb in $(cat "$work/verbs"); do
  gpuopt "$verb" --help >"$work/help"
  options <"$work/help" >"$work/options"
  same "options of $verb" "$work/options" "$verb" --
  for inner in $(section Subcommands <"$work/help"); do
    gpuopt "$verb" "$inner" --help | options >"$work/options"
    same "options of $verb $inner" "$work/options" "$verb" "$inner" --
  done
done
echo explain >"$work/want"
same "what has begun" "$work/want" expl
gpuopt list --json | sed -n 's/.*"name": "\(gemm_[a-z0-9_]*\)".*/\1/p' | sort >"$work/kernels"
same "kernels" "$work/kernels" list --kernel gemm_
printf 'bf16\n' >"$work/want"
same "types" "$work/want" explain gemm --a-type bf
if [ "$shell" = zsh ]; then
  echo files >"$work/want"
  same "nothing known" "$work/want" list nothing
fi
exit $failed
