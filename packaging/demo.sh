#!/bin/sh
# Shows gpuopt on this machine, starting from a bare Debian or Ubuntu: installs what is missing (with root or sudo; else
# says what to install), builds, trains the digits example on real data, and prints every gemm kernel at one shape.
# CUDA kernels are built where nvcc is found; without a GPU the CPU computes, and the output says so.
#   packaging/demo.sh
# BUILD_ROOT: where to build (default: build/ beside this folder); with it nothing is written into the tree. JOBS: compilers at a time.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/packaging/setup.sh"
started=$(date +%s)
setup_tools build

out=$build_root/demo
set -- -DGPUOPT_STRICT=OFF -DGPUOPT_BUILD_TESTS=OFF -DGPUOPT_BUILD_BENCH=OFF
if [ "$have_nvcc" = 1 ]; then
  # One GPU's architecture compiles in a fraction of the time of all.
  archs=90-real
  if [ "$have_gpu" = 1 ]; then
    archs=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d '. ')-real
  fi
  set -- "$@" -DGPUOPT_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$archs"
  say "Building gpuopt with CUDA kernels for $archs ($jobs jobs) ..."
else
  set -- "$@" -DGPUOPT_CUDA=OFF
  say "Building gpuopt without CUDA kernels: there is no nvcc on PATH ($jobs jobs) ..."
fi
if [ "$have_gpu" = 0 ]; then
  say "This machine has no NVIDIA GPU with a working driver: everything below runs on the CPU."
fi
quietly() { # shows the output of what failed only
  "$@" >"$build_root/demo.log" 2>&1 || { tail -n 60 "$build_root/demo.log" && die "failed: $*"; }
}
quietly "$cmake" -S "$root" -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"
quietly "$cmake" --build "$out" -j "$jobs"
quietly "$cmake" --install "$out" --prefix "$out/prefix"
quietly "$cmake" -S "$root/packaging/demo" -B "$out/gemm_table" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  "-DCMAKE_PREFIX_PATH=$out/prefix"
quietly "$cmake" --build "$out/gemm_table"
say "Built and installed in $(($(date +%s) - started)) s: $(du -h "$out/libgpuopt.a" | cut -f 1) archive in $out/prefix"

say ""
say "== A perceptron learns handwritten digits; every line of its mathematics is a gpuopt call"
"$out/examples/digits/digits" "$root/examples/digits/digits.csv"

say ""
say "== Every gemm kernel of this build"
"$out/gemm_table/gemm_table"
