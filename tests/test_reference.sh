#!/bin/sh
# The API reference is made without a warning, and every function of the C interface says in it what it does.
#   test_reference.sh <Doxyfile>
command -v doxygen >/dev/null 2>&1 || { echo "SKIP: no doxygen"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{ cat "$1" && echo "OUTPUT_DIRECTORY = $work"; } >"$work/Doxyfile"
doxygen "$work/Doxyfile" || { echo "FAILED: warnings"; exit 1; }
count=$(grep -o 'id="[a-z0-9]*"' "$work/html/gpuopt_8h.html" | wc -l)
[ "$count" -gt 100 ] && grep -q 'gpuopt_kernel_occupancy' "$work/html/gpuopt_8h.html" &&
  [ -s "$work/html/classgpuopt_1_1face_1_1handle.html" ] && [ -s "$work/html/structgpuopt__kernel.html" ] ||
  { echo "FAILED: the reference has only $count places in gpuopt.h"; exit 1; }
# Doxygen tells of what has no words only where it would leave it out.
{ cat "$work/Doxyfile" && printf 'EXTRACT_ALL = NO\nWARN_AS_ERROR = NO\nGENERATE_HTML = NO\nGENERATE_XML = YES\n'; } \
  >"$work/Doxyfile.strict"
silent() { # silent <Doxyfile>: the functions of gpuopt.h without words
  doxygen "$1" >"$work/said" 2>&1 || { cat "$work/said"; echo "FAILED: doxygen"; exit 1; }
  grep 'of file gpuopt.h is not documented' "$work/said" | grep '(function)' >"$work/silent"
}
# It would tell of one that is planted.
input=$(sed -n 's/^INPUT = "\(.*\)"$/\1/p' "$1")
mkdir "$work/planted"
{ cat "$input/gpuopt.h" && echo 'int gpuopt_planted(void);'; } >"$work/planted/gpuopt.h"
{ cat "$work/Doxyfile.strict" && echo "INPUT = $work/planted"; } >"$work/Doxyfile.planted"
silent "$work/Doxyfile.planted"
grep -q gpuopt_planted "$work/silent" || { echo "FAILED: a function without words is not told"; exit 1; }
silent "$work/Doxyfile.strict"
[ ! -s "$work/silent" ] || { cat "$work/silent"; echo "FAILED: functions without words"; exit 1; }
