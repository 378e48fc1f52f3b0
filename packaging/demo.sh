#!/bin/sh
# Shows gpuopt on this machine, starting from a bare Debian or Ubuntu: installs what is missing (with root or sudo; else
# says what to install), builds, trains the digits example on real data, and prints every gemm kernel at one shape.
# Where there are a GPU and nvcc the CUDA kernels of the operations that it calls are built, for that GPU; without one the
# CPU computes, and the output says so.
#   packaging/demo.sh
# BUILD_ROOT: where to build (default: build/ beside this folder); with it nothing is written into the tree. JOBS: compilers at a time.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/packaging/setup.sh"
started=$(date +%s)
setup_tools build

out=$build_root/demo
set -- -DGPUOPT_STRICT=OFF -DGPUOPT_BUILD_TESTS=OFF -DGPUOPT_BUILD_BENCH=OFF -DGPUOPT_BUILD_EXAMPLES=ON
if [ "$have_gpu" = 0 ]; then
  say "This machine has no NVIDIA GPU with a working driver: everything below runs on the CPU."
fi
if [ "$have_nvcc" = 0 ]; then
  set -- "$@" -DGPUOPT_CUDA=OFF
  say "Building gpuopt without CUDA kernels: there is no nvcc on PATH ($jobs jobs) ..."
elif [ "$have_gpu" = 0 ]; then
  # They compile for minutes and would say no more than that they cannot run.
  set -- "$@" -DGPUOPT_CUDA=OFF
  say "Building gpuopt without its CUDA kernels, which could not run here; packaging/test.sh compiles them ($jobs jobs) ..."
else
  # One GPU's architecture compiles in a fraction of the time of all, and the demo calls three of the operations.
  arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d '. ')-real
  set -- "$@" -DGPUOPT_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$arch" "-DGPUOPT_OPS=gemm;fused_act;reduce"
  say "Building gpuopt's gemm, fused_act and reduce with CUDA kernels for $arch ($jobs jobs) ..."
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
