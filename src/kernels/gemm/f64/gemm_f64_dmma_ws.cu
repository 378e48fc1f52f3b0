// gemm_f64_dmma_ws_128x128: fp64 on Hopper's tensor cores, with warps that copy and warps that multiply.
//
// Idea and data movement: DMMA keeps its unit busy for 32 clocks an instruction, but only while a warp has its next
// operands at hand. Where the warps that multiply also copy (gemm_f64_dmma_*), their copies stand in line with their
// reads of shared memory. Here a warpgroup does nothing but cp.async into a ring of stages, 128 x
// 16 of each operand, and eight warps nothing but read fragments and multiply, 64 x 32 of D each; mbarriers pass the
// stages to and fro, and registers move to those who multiply (setmaxnreg). Blocks are persistent, so the next tile's
// copies run during a store; the tiles of a last, partly empty wave are cut along k among all blocks
// (f64_stream_k.cuh).
// Needs: compute capability 9.0. Any layout, alignment and extent (f64_tile.cuh).
// Prediction: the multiply-adds of the busiest SM at nine tenths of the tensor cores' rate, as evenly dealt out as the last
// wave allows, or the operands' bytes.
// arch class: sm90a
#include "gemm/f64/f64_dmma_ws.cuh"
#include "gemm/f64/f64_stream_k.h"

namespace gpuopt {

using F64DmmaWs = F64DmmaTile<128, 128, 64, 32, 6, 1>;

namespace {

struct Ws {
  using Tile = F64DmmaWs;
  static constexpr char kName[] = "gemm_f64_dmma_ws_128x128";
  static constexpr int kThreads = kF64WsThreads<Tile>, kSharedBytes = kF64WsSharedBytes<Tile>;
  static double start_us() { return gemm_f64_figures.dmma_ws_us; }
  static double factor() { return gemm_f64_figures.dmma_ws_factor; }
  static double share() { return gemm_f64_figures.dmma_ws_share; }
  static auto function(const gpuopt_problem &) { return gemm_f64_dmma_ws_kernel<Tile>; }
  static gpuopt_status run(const gpuopt_problem &problem, const gpuopt_launch *launch, unsigned blocks,
                           const F64Gemm &gemm) {
    return launch_kernel(launch, kName, blocks, kThreads, kSharedBytes, function(problem), gemm);
  }
};

gpuopt_resource kResources[] = {
    {Ws::kThreads, Ws::kSharedBytes, reinterpret_cast<const void *>(gemm_f64_dmma_ws_kernel<F64DmmaWs>)},
    {kF64TailThreads, 0, reinterpret_cast<const void *>(gemm_f64_tail_kernel<F64DmmaWs>)}};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = f64_kernel<F64StreamLaunch<Ws>>(
      Ws::kName, "fp64 tensor cores: 128 x 128 tiles, copying and multiplying warps, stream-K", 90, kResources);
  kernel.cc_exact = 90;
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
