// gemm_f64_dmma_ws_128x128: fp64 on Hopper's tensor cores, with warps that copy and warps that multiply.
//
// Idea and data movement: DMMA keeps its unit busy for 32 clocks an instruction, but only while a warp has its next
// operands at hand. Where the warps that multiply also copy (gemm_f64_dmma_*), their copies stand in line with their
// reads of shared memory: 11 % of the rate. Here a warpgroup does nothing but cp.async into a ring of stages, 128 x
// 16 of each operand, and eight warps nothing but read fragments and multiply, 64 x 32 of D each; mbarriers pass the
// stages to and fro, and registers move to those who multiply (setmaxnreg). Blocks are persistent, so the next tile's
// copies run during a store; the tiles of a last, partly empty wave are cut along k among all blocks
// (f64_stream_k.cuh).
// Needs: compute capability 9.0. Any layout, alignment and extent (f64_tile.cuh).
// Recorded (H200, 2026-11-21, single call, cold), nn: 66.5 us for 1024 cubed, 2293 us for 4096 (59.9 TFLOP/s of 66.9,
// 0.96 of the best peer), 18.3 ms for 8192 (60.2 TFLOP/s, 0.94); 4097 x 4099 x 4101, where it is the automatic choice,
// 2463 us (55.9 TFLOP/s, 1.30).
// arch class: sm90a
#include "gemm/f64_dmma_ws.cuh"
#include "gemm/f64_stream_k.h"

namespace gpuopt {

using F64DmmaWs = F64DmmaTile<128, 128, 64, 32, 6, 1>;

namespace {

constexpr char kName[] = "gemm_f64_dmma_ws_128x128";
constexpr int kThreads = kF64WsThreads<F64DmmaWs>, kSharedBytes = kF64WsSharedBytes<F64DmmaWs>, kSide = F64DmmaWs::kBM;

F64StreamPlan plan(const gpuopt_problem &problem) { return f64_stream_plan(problem, kSide, 0.92); }

double predict_us(const gpuopt_problem *problem) { return plan(*problem).plan.us; }
void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  f64_stream_workspace(plan(*problem), scratch, zeroed);
}
gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  const gpuopt_status status = load_kernel(launch, kName, gemm_f64_tail_kernel<F64DmmaWs>);
  if (status != GPUOPT_OK) return status;
  return f64_prepare(launch, kName, kSharedBytes, gemm_f64_dmma_ws_kernel<F64DmmaWs>);
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const F64StreamPlan stream = plan(*problem);
  const F64Gemm gemm = f64_stream_gemm(*problem, stream, launch->scratch);
  const gpuopt_status status = launch_kernel(launch, kName, dim3(static_cast<unsigned>(stream.blocks)), dim3(kThreads),
                                             kSharedBytes, gemm_f64_dmma_ws_kernel<F64DmmaWs>, gemm);
  if (status != GPUOPT_OK) return status;
  return f64_stream_end<F64DmmaWs>(*problem, launch, kName, stream, gemm);
}

gpuopt_resource kResources[] = {
    {kThreads, kSharedBytes, reinterpret_cast<const void *>(gemm_f64_dmma_ws_kernel<F64DmmaWs>)},
    {kF64TailThreads, 0, reinterpret_cast<const void *>(gemm_f64_tail_kernel<F64DmmaWs>)}};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = f64_kernel(kName,
                                    "fp64 tensor cores: 128 x 128 tiles, "
                                    "copying and multiplying warps, stream-K",
                                    90);
  kernel.cc_exact = 90;
  kernel.workspace = workspace;
  set_functions(kernel, predict_us, prepare, launch, kResources);
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
