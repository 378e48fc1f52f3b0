#!/bin/sh
# The shared object exports the functions that the public headers declare, and nothing else.
# gpuopt_plugin_query_v1 is declared for plugins to define: it is theirs.
#   shared_symbols.sh <libgpuopt.so> <include folder>
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cc -E -P -I"$2" -x c "$2/gpuopt/kernel.h" | tr '\n' ' ' | grep -o 'visibility("default"))) [^;]*;' |
  sed 's/^visibility("default"))) [^(]*[ *]\(gpuopt_[a-z0-9_]*\)(.*/\1/' | grep -vx gpuopt_plugin_query_v1 |
  sort >"$work/declared"
nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
[ "$(wc -l <"$work/declared")" -ge 50 ] || { echo "FAILED: the headers declare:" && cat "$work/declared"; exit 1; }
diff "$work/declared" "$work/exported" || { echo "FAILED: < declared, > exported"; exit 1; }
nm -D --defined-only "$1" | grep ' T ' | grep -v '@@GPUOPT_[0-9.]*$' && { echo "FAILED: without a version"; exit 1; }
readelf -d "$1" | grep 'SONAME.*libgpuopt\.so\.[0-9.]*]' || { echo "FAILED: no SONAME with a version"; exit 1; }
readelf -d "$1" | grep -E 'NEEDED.*(libcuda|libcublas|libnv)' && { echo "FAILED: it needs CUDA libraries to start"; exit 1; }
echo "$(wc -l <"$work/exported") functions"
