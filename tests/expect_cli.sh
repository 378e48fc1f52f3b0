# For tests of the command line: $gpuopt is the program; $failed becomes 1 where something is not as expected.
# shellcheck shell=sh disable=SC2034,SC2154

# expect <exit code> <text that stdout or stderr must hold> <arguments ...>
expect() {
  code=$1
  text=$2
  shift 2
  output=$("$gpuopt" "$@" 2>&1)
  got=$?
  if [ "$got" -ne "$code" ]; then
    echo "FAIL gpuopt $*: exit code $got, must be $code"
    echo "$output"
    failed=1
  fi
  case $output in
    *"$text"*) ;;
    *)
      echo "FAIL gpuopt $*: the output does not hold '$text'"
      echo "$output"
      failed=1
      ;;
  esac
}
