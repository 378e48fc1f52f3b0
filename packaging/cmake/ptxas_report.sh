#!/bin/sh
# Runs the CUDA compiler given as arguments and keeps what ptxas says of registers and spills as <object>.ptxas.
# First argument: strict (spills and ptxas warnings are errors) or lenient.
mode=$1
shift
object=
# The one kernel that spills on purpose, to be measured: src/kernels/gemm/ladder/gemm_spilled.cu.
spills_on_purpose=gemm_spilled.cu.o
previous=
for argument in "$@"; do
  [ "$previous" = "-o" ] && object=$argument
  previous=$argument
done
case $object in
  *.o) ;;
  *) exec "$@" ;;
esac
report=$object.ptxas
"$@" 2>"$report"
status=$?
# All but the report itself is for the person who builds.
grep -v -e '^ptxas info' -e '^ *[0-9]* bytes stack frame' -e '^ *[0-9]* bytes gmem' -e '^$' "$report" >&2
[ $status -eq 0 ] || exit $status
if [ "$mode" = strict ]; then
  faults='^ptxas warning|wgmma.*serializ|setmaxnreg.*ignored'
  [ "${object##*/}" = "$spills_on_purpose" ] || faults="$faults| [1-9][0-9]* bytes spill"
  if grep -n -E "$faults" "$report" >&2; then
    echo "$object: ptxas reports spills or warnings (strict build)" >&2
    rm -f "$object"
    exit 1
  fi
fi
exit 0
