#!/bin/sh
# The public headers in the dialects and under the warnings that their users may have.  test_headers.sh <source folder>
set -u
cd "$(dirname "$0")/headers" || exit 2
include=$1/include
warnings="-Wall -Wextra -pedantic-errors -Wshadow -Wcast-qual -Wconversion -Wsign-conversion -Wundef -Werror"
failed=0 compiled=0

# compile <compiler> <flags ...>: a compiler that is not here is left out, but one of each language must be.
compile() {
  command -v "$1" >/dev/null 2>&1 || return 0
  compiled=$((compiled + 1))
  "$@" $warnings -I"$include" -fsyntax-only && return
  echo "FAILED: $*"
  failed=1
}

for compiler in gcc clang; do
  for standard in c99 c11; do compile $compiler -std=$standard -Wstrict-prototypes -Wmissing-prototypes use.c; done
done
[ $compiled -gt 0 ] || { echo "FAILED: no C compiler"; exit 1; }
compiled=0
for compiler in g++ clang++; do
  for dialect in "-std=c++17 -fexceptions" "-std=c++20 -fexceptions" "-std=c++17 -fno-exceptions -fno-rtti"; do
    compile $compiler $dialect -Wold-style-cast -Wextra-semi -Wnon-virtual-dtor use.cpp
  done
  compile $compiler -std=c++17 -x c++ -Wold-style-cast use.c
done
[ $compiled -gt 0 ] || { echo "FAILED: no C++ compiler"; exit 1; }
exit $failed
