// gemm_f64_dmma_ws_128x128: fp64 on Hopper's tensor cores, with warps that copy and warps that multiply.
//
// Idea and data movement: DMMA keeps its unit busy for 32 clocks an instruction, but only while a warp has its next
// operands at hand. Where the warps that multiply also copy (gemm_f64_dmma_*), their copies stand in line with their
// reads of shared memory: 15 % of the rate. Here a warpgroup does nothing but cp.async into a ring of stages, 128 x 16
// of each operand, and eight warps nothing but read fragments and multiply, 64 x 32 of D each; mbarriers pass the
// stages to and fro, and registers move to those who multiply (setmaxnreg). Blocks are persistent, so the next tile's
// copies run during a store; the tiles of a last, partly empty wave are cut along k among all blocks (f64_dmma_ws.cuh).
// Needs: compute capability 9.0. Any layout, alignment and extent (f64_tile.cuh).
// Measured on an H200 (2026-11-21, random normal data): 4096^3 57.9 TFLOP/s, 0.975 of cuBLAS's Dgemm in the same run
// (both in a warm loop; peak 66.9); 4097 x 4099 x 4101 54.9, 1.39 of cuBLAS; A and B both by rows. Whole tiles alone,
// single call, cold: 4096^3 2308 us (59.6), 2048^3 296 us (58.1), 8192^3 18.2 ms (60.5); cuBLASLt 2193 us, 284 us,
// 17.1 ms.
// arch class: sm90a
#include "gemm/f64_dmma_ws.cuh"
#include "gemm/f64_gemm.h"

namespace gpuopt {

using F64DmmaWs = F64DmmaTile<128, 128, 64, 32, 6, 1>;

namespace {

constexpr char kName[] = "gemm_f64_dmma_ws_128x128";
constexpr int kThreads = kF64WsThreads<F64DmmaWs>, kSharedBytes = kF64WsSharedBytes<F64DmmaWs>, kSide = F64DmmaWs::kBM;

// Where the product is cut, and its time.
struct WsPlan {
  F64Plan plan;
  F64Speed speed;
  int64_t blocks, whole, tail_blocks;
  size_t sums_bytes, tail_bytes;
};

WsPlan ws_plan(const gpuopt_problem &problem) {
  constexpr int64_t kLongest = int64_t{1} << 30, kLeastSteps = 8;
  constexpr double kTailUs = 20;  // the second kernel
  const gpuopt_device_facts &device = *problem.device;
  const bool transposed = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW &&
                          problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_ROW;
  WsPlan ws = {{}, {kSide, kSide, 1, transposed, 0, 0, 0}, 0, 0, 0, 0, 0};
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500;
  const double bandwidth = device.memory_gbs > 0 ? device.memory_gbs : 1000;
  const double step_us = kSide * kSide * kF64Depth / (0.92 * 128) / clock;  // of a tile

  const int64_t slices = std::max<int64_t>(1, ceil_div(problem.k, kLongest));
  const int64_t steps = std::max<int64_t>(ceil_div(ceil_div(problem.k, slices), kF64Depth), 1);
  const int64_t units = ceil_div(problem.m, kSide) * ceil_div(problem.n, kSide) * problem.batch * slices;
  ws.blocks = std::min<int64_t>(units, std::max(device.sm_count, 1));
  ws.whole = units;
  ws.plan = {slices, steps * kF64Depth, slices > 1 || !is_plain_gemm(problem), 0};
  ws.sums_bytes = ws.plan.partial ? (gemm_partials_bytes(problem, slices, sizeof(double)) + 255) & ~size_t{255} : 0;
  double waves = static_cast<double>(ceil_div(units, ws.blocks)) * static_cast<double>(steps), tail_us = 0;

  const int64_t sms = std::max(device.sm_count, 1), left = units % sms;
  if (slices == 1 && left != 0 && problem.k > 0) {
    const int64_t tail_blocks = std::min(sms, left * steps / kLeastSteps);
    const size_t bytes = static_cast<size_t>(2 * tail_blocks * kSide * kSide) * sizeof(double);
    if (tail_blocks > left && ws.sums_bytes + bytes <= problem.workspace_limit) {
      const double range = std::ceil(static_cast<double>(left * steps) / static_cast<double>(tail_blocks));
      const double cost_us = kTailUs + static_cast<double>(bytes) / (0.8 * bandwidth * 1e3);
      if ((static_cast<double>(steps) - range) * step_us > cost_us) {
        ws.blocks = sms;
        ws.whole = units - left;
        ws.tail_blocks = tail_blocks;
        ws.tail_bytes = bytes;
        waves = static_cast<double>(ws.whole / sms) * static_cast<double>(steps) + range;
        tail_us = cost_us;
      }
    }
  }
  const double m = static_cast<double>(problem.m), n = static_cast<double>(problem.n);
  const double bytes = 8 * static_cast<double>(problem.batch) *
                       (m * static_cast<double>(problem.k) + static_cast<double>(problem.k) * n + m * n);
  ws.plan.us = 7 + std::max(waves * step_us, bytes / (0.8 * bandwidth * 1e3)) + tail_us;
  if (ws.plan.partial) ws.plan.us += finish_gemm_us(problem, slices, sizeof(double));
  return ws;
}

double predict_us(const gpuopt_problem *problem) { return ws_plan(*problem).plan.us; }
void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const WsPlan ws = ws_plan(*problem);
  *scratch = ws.sums_bytes + ws.tail_bytes;
  *zeroed = 0;
}
gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  const gpuopt_status status = load_kernel(launch, kName, gemm_f64_tail_kernel<F64DmmaWs>);
  if (status != GPUOPT_OK) return status;
  return f64_prepare(launch, kName, kSharedBytes, gemm_f64_dmma_ws_kernel<F64DmmaWs>);
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const WsPlan ws = ws_plan(*problem);
  F64Gemm gemm = f64_gemm(*problem, ws.speed, ws.plan, launch->scratch);
  gemm.whole = ws.whole;
  gemm.tail_blocks = static_cast<int32_t>(ws.tail_blocks);
  gemm.tail = reinterpret_cast<double *>(static_cast<char *>(launch->scratch) + ws.sums_bytes);
  gpuopt_status status = launch_kernel(launch, kName, dim3(static_cast<unsigned>(ws.blocks)), dim3(kThreads),
                                       kSharedBytes, gemm_f64_dmma_ws_kernel<F64DmmaWs>, gemm);
  if (status == GPUOPT_OK && ws.tail_blocks != 0) {
    const int64_t blocks = (gemm.tiles.total - ws.whole) * (kSide / kF64TailRows);
    status = launch_kernel(launch, kName, dim3(static_cast<unsigned>(blocks)), dim3(kF64TailThreads), 0,
                           gemm_f64_tail_kernel<F64DmmaWs>, gemm);
  }
  if (status != GPUOPT_OK || !ws.plan.partial) return status;
  return finish_gemm(*problem, launch, static_cast<const double *>(launch->scratch), ws.plan.slices);
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
  kernel.predict_us = predict_us;
  kernel.workspace = workspace;
  kernel.prepare = prepare;
  kernel.launch = launch;
  kernel.resources = kResources;
  kernel.resource_count = 2;
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
