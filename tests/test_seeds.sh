#!/bin/sh
# Every demand of docs/seeds.md has a command, and those that run on a machine run.
#   test_seeds.sh <gpuopt> <source folder> any|GPU
# any: those that need no GPU. GPU: the experiments in one run, then the other commands that need one.
# shellcheck disable=SC2016  # patterns of sed, and a program that eval is to find
gpuopt=$1 page=$2/docs/seeds.md kind=$3
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Rows as "id <tab> kind <tab> command"; a | of a command cannot be.
sed -n 's/^| \([US][0-9][^ ]*\) | .* | \(`[^`]*`\|-\) | \([A-Za-z]*\) |$/\1\t\3\t\2/p' "$page" | tr -d '`' >"$work/rows"
asked=$(grep -c '^| [US][0-9]' "$page")
rows=$(wc -l <"$work/rows")
if [ "$asked" -lt 70 ] || [ "$rows" -ne "$asked" ]; then
  echo "FAIL: of $asked demands $rows have a command and say where it runs"
  failed=1
fi
cut -f 2 "$work/rows" | grep -vxE 'any|CUDA|GPU|ncu|nsys|ctest|out' && { echo "FAIL: these say where in no word known"; failed=1; }
awk -F '\t' '($2 == "out") != ($3 == "-") { print "FAIL: " $1 " is out of scope or has a command"; bad = 1 } END { exit bad }' \
  "$work/rows" || failed=1

# Every experiment that the page names is one.
"$gpuopt" lab list --json | sed -n 's/^  "id": "\(.*\)",$/\1/p' | sort >"$work/ids"
for id in $(grep -o 'gpuopt lab [0-9. a-f]*' "$page" | tr ' ' '\n' | grep '^[0-9]' | sort -u); do
  grep -qE "^${id}[a-z]?\$" "$work/ids" || { echo "FAIL: docs/seeds.md names $id, which is no experiment"; failed=1; }
done

# run <id> <command>: its exit code must be 0.
run() {
  # The command is a line of the page, with quotes of its own; the program is ours.
  command=$(printf '%s' "$2" | sed 's|gpuopt|"$gpuopt"|')
  case $2 in *GPUOPT_*) command=$(printf '%s' "$2" | sed 's| gpuopt| "$gpuopt"|') ;; esac
  if ! output=$(eval "$command" 2>&1); then
    echo "FAIL $1: $2"
    echo "$output"
    failed=1
  elif [ -z "$output" ]; then
    echo "FAIL $1: $2 prints nothing"
    failed=1
  fi
}

# parse <id> <command>: with tools of Nsight that fail at once, it must end well or as what they say makes it: 1, and not as a
# wrong command line does, a program that is not there, or a signal.
parse() {
  command=$(printf '%s' "$2" | sed 's|gpuopt|"$gpuopt"|')
  output=$(PATH=$work/bin:$PATH && eval "$command" 2>&1)
  [ $? -le 1 ] || { echo "FAIL $1: $2" && echo "$output" && failed=1; }
}

tab=$(printf '\t')
if [ "$kind" = GPU ]; then
  # shellcheck disable=SC2046  # ids are words
  "$gpuopt" lab $(sed -n "s/^.*${tab}GPU${tab}gpuopt lab //p" "$work/rows" | tr ' ' '\n' | grep -v '^--' | sort -u) || failed=1
  grep "${tab}GPU$tab" "$work/rows" | grep -v 'gpuopt lab' >"$work/chosen"
else
  kinds=any
  if "$gpuopt" --version | grep -q ', CUDA '; then
    kinds='\(any\|CUDA\)'
    mkdir "$work/bin"
    for tool in ncu nsys; do printf '#!/bin/sh\nexit 1\n' >"$work/bin/$tool" && chmod +x "$work/bin/$tool"; done
    grep -E "${tab}(ncu|nsys)$tab" "$work/rows" >"$work/read"
    while IFS=$tab read -r id _ command; do parse "$id" "$command"; done <"$work/read"
  fi
  grep "${tab}$kinds$tab" "$work/rows" >"$work/chosen"
fi
while IFS=$tab read -r id _ command; do run "$id" "$command"; done <"$work/chosen"
exit $failed
