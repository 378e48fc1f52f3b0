#!/usr/bin/env bash
# Follows docs/writing-a-kernel.md: puts its file into a copy of the tree, builds, and runs its commands.
#   writing_a_kernel.sh <source folder> <work folder>
set -euo pipefail
source=$1 work=$2
rm -rf "$work"
mkdir -p "$work/tree"
cd "$source"
cp -r CMakeLists.txt CMakePresets.json bench include src packaging tools "$work/tree/"
cd "$work/tree"
# The other kernels only cost compile time here. A family is deleted by deleting its folder: what is left is the room that the
# page writes into, with one kernel to be chosen beside it, and what it shares.
page=$source/docs/writing-a-kernel.md
file=$(sed -n 's/.*Put this into `\(.*\)`:.*/\1/p' "$page")
[ -n "$file" ] || { echo "the page names no file to write" >&2; exit 1; }
room=${file%/*}
op=${room%/*}
find src/kernels -mindepth 1 -maxdepth 1 ! -name common ! -path "$op" -exec rm -r {} +
find "$op" -mindepth 1 -maxdepth 1 ! -name common ! -path "$room" -exec rm -r {} +
find "$room" -name '*.cu' ! -name transpose_naive.cu -delete
for read in include/gpuopt/kernel.h "$room/README.md" src/kernels/common/{launch.h,index.cuh,figures.h}; do
  [ -f "$read" ] || { echo "the page tells to read $read, which is not there" >&2; exit 1; }
done
awk '/^```cuda$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$page" >"$file"
[ -s "$file" ] || { echo "the page has no kernel" >&2; exit 1; }

# The page's own build commands, without the parts of the project that it does not use.
cmake --preset gpu -DGPUOPT_BUILD_TESTS=OFF -DGPUOPT_BUILD_EXAMPLES=OFF -DGPUOPT_BUILD_BENCH=OFF -DGPUOPT_INSTALL=OFF \
  >configure.log 2>&1 ||
  { cat configure.log; exit 1; }
cmake --build --preset gpu --parallel 2 >build.log 2>&1 || { tail -n 50 build.log; exit 1; }

gpuopt=build/gpu/tools/gpuopt/gpuopt
expect() { # <text> <command...>: the output has the text
  local text=$1 output
  shift
  output=$("$@" 2>&1) || { echo "failed: $*"; echo "$output"; exit 1; }
  grep -q -e "$text" <<<"$output" || { echo "no '$text' in the output of: $*"; echo "$output"; exit 1; }
}
run() { # a command line of the page, which must stand there as it is
  grep -qxF -e "build/gpu/tools/gpuopt/gpuopt $2" "$page" || { echo "the page does not say: $2" >&2; exit 1; }
  local words
  read -ra words <<<"$2"
  expect "$1" "$gpuopt" "${words[@]}"
}
run '^transpose_gather ' 'list --op transpose'
run 'transpose_gather.*teaching kernel' 'explain transpose --rows 1000 --cols 3000 --type f32 --pretend sm_90'
run '^\(ok\|skip\).*transpose_gather' 'check --kernel transpose_gather --problems 500'
run 'transpose_' 'bench transpose --rows 4096 --cols 4096 --type f32'
rm -rf "$work"
echo "the page's kernel was built, listed, explained and checked"
