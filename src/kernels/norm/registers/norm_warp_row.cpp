// norm_warp_row: some lanes of a warp hold a row in registers; for rows of at most 2 KB.
//
// Idea and data movement: rows.cuh, with 1 to 32 lanes a row, as many rows a warp as that allows, and up to four vectors
// a lane, of one row or of two. Statistics are shuffles; there is no shared memory and no barrier, so warps run on by
// themselves. Stages that are an activation between two linear steps are applied without a list (row_linear.cuh), others
// are interpreted a vector at a time, just before it is stored (row_stages.cuh).
//
// Needs: x, residual, out, sum, gamma, beta and the stages' operands of one type (f32, f16, bf16), row-major, at any
// alignment. Interpreted stages come after rows that are aligned to 16 bytes, without a residual; linear chains without
// one too.
// Prediction: read once and written once at nearly the rate of a copy, as nothing waits for anything but memory.
// arch class: performance
#include <cuda_runtime.h>

#include "norm/common/early_row_launch.h"
#include "norm/common/row_linear.h"
#include "norm/registers/figures.h"
#include "norm/registers/warp_row.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_warp_row";

constexpr int64_t kMostVectors = 32 * kVectorsOfLane;

struct Shape {
  int lanes_log2, each;  // vectors a lane
};
// A row's vectors over the least lanes that hold it, `each` a lane.
Shape shape_with(const gpuopt_problem &problem, int each) {
  Shape shape = {0, each};
  const bool aligned = all_aligned(problem);
  const int64_t vectors = problem.n / vector_elements(problem);
  if (!aligned) shape.lanes_log2 = is_f32(problem) ? 4 : 5;  // a lane for each element of head and tail
  while (shape.lanes_log2 < 5 && (int64_t{1} << shape.lanes_log2) * each < vectors) ++shape.lanes_log2;
  return shape;
}
Shape shape_of(const gpuopt_problem &problem) {
  Shape shape = shape_with(problem, kVectorsOfLane);
  if (!stands_alone(problem) || has_residual(problem)) return shape;
  const Shape few = shape_with(problem, kFewOfLane);
  const int64_t vectors = problem.n / vector_elements(problem), held = int64_t{kFewOfLane} << few.lanes_log2;
  // Few lanes a row have few shuffles, where the row has vectors enough.
  if (vectors <= held && (vectors < 16 || held < int64_t{kVectorsOfLane} << shape.lanes_log2)) shape = few;
  return shape;
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  const Shape shape = shape_of(problem);
  const int lanes_log2 = shape.lanes_log2, lanes = 1 << lanes_log2;
  const int64_t rows = problem.m * problem.batch, chain_blocks = ceil_div(rows << lanes_log2, kWarpChainThreads);
  RowLinear chain;
  if (takes_linear(problem, chain)) {
    const bool aligned = all_aligned(problem);
    return with_weighted_instance(problem, [&](auto tag, auto norm) {
      using T = typename decltype(tag)::type;
      constexpr int kNorm = decltype(norm)::value;
      const auto with = [&](auto kernel) {
        return f(tag, kernel, chain_blocks, kWarpChainThreads, chain, lanes, lanes_log2);
      };
      return aligned ? with(norm_warp_linear_kernel<T, kNorm, false>) : with(norm_warp_linear_kernel<T, kNorm, true>);
    });
  }
  const int64_t blocks = ceil_div(rows << lanes_log2, kWarpRowThreads);
  return with_row_instance(problem, row_mode(problem), [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    constexpr bool kAny = decltype(mode)::value == kRowAny;
    if constexpr (!kAny) {
      if (problem.stage_count > 0 || narrows(problem))
        return f(tag, norm_warp_stages_kernel<T, kNorm>, chain_blocks, kWarpChainThreads, lanes, lanes_log2);
    }
    const auto plain = [&](auto kernel) { return f(tag, kernel, blocks, kWarpRowThreads, lanes, lanes_log2); };
    if (has_residual(problem)) return plain(norm_warp_row_kernel<T, kNorm, kVectorsOfLane, true, kAny>);
    if (shape.each == kFewOfLane) return plain(norm_warp_row_kernel<T, kNorm, kFewOfLane, false, kAny>);
    return plain(norm_warp_row_kernel<T, kNorm, kVectorsOfLane, false, kAny>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, row_loader(launch, kName));
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, early_row_launcher(*problem, launch, kName));
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  RowLinear chain;
  const bool linear = takes_linear(*problem, chain);
  if (!row_can_run(problem, kMostVectors, reject, linear)) return 0;
  const bool empty = problem->n == 0 || problem->m == 0 || problem->batch == 0;
  if (linear) return 1;
  if (!stages_fit(*problem, reject)) return 0;
  if ((problem->stage_count == 0 && !narrows(*problem)) || empty) return 1;
  if (!all_aligned(*problem, reject)) return 0;
  if (has_residual(*problem))
    return refuse(reject, GPUOPT_REJECT_DTYPE, GPUOPT_OPERAND_RESIDUAL,
                  problem->operand[GPUOPT_OPERAND_RESIDUAL].m.dtype, 0, "a residual before stages");
  return 1;
}

double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_registers_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.warp_launch_us;
  const Shape shape = shape_of(*problem);
  const RowFacts f = row_facts(*problem);
  RowLinear chain;
  const bool stages = problem->stage_count > 0, aligned = all_aligned(*problem);
  const int64_t lanes = int64_t{1} << shape.lanes_log2;
  const double warps = f.rows * static_cast<double>(lanes) / (32.0 * device.sm_count);  // of an SM
  const double at_once = stages && !is_f32(*problem) ? 24 : f.residual > 0 ? 24 : 32;
  const auto vectors = static_cast<double>(ceil_div(row_vectors(*problem), lanes));
  const double instructions = row_instructions(f, vectors, aligned, match_row_linear(*problem, chain) < 0) +
                              figures.warp_join_instructions * shape.lanes_log2;
  const double warp_us = figures.warp_start_us + figures.warp_weight_us * f.weights +
                         figures.warp_residual_us * f.residual + (aligned ? 0.0 : figures.warp_unaligned_us) +
                         instructions * figures.warp_clocks / device.clock_mhz;
  // The kernels that have stages, wider weights or a narrower result are long, and their code comes from memory.
  const bool chains = stages || narrows(*problem) || takes_linear(*problem, chain);
  return figures.warp_launch_us + (chains ? figures.warp_chain_us : 0) +
         in_waves_us(moving_us(device, f.read_bytes + f.written_bytes), waves_of(warps, at_once), warp_us,
                     issuing_us(device, warps * instructions));
}

#define GPUOPT_ENTRY_(T, norm, V, adds, any) \
  {kWarpRowThreads, 0, reinterpret_cast<const void *>(norm_warp_row_kernel<T, norm, V, adds, any>)},
#define GPUOPT_STAGES_(T, norm, unused) \
  {kWarpChainThreads, 0, reinterpret_cast<const void *>(norm_warp_stages_kernel<T, norm>)},
#define GPUOPT_LINEAR_(T, norm, any) \
  {kWarpChainThreads, 0, reinterpret_cast<const void *>(norm_warp_linear_kernel<T, norm, any>)},
gpuopt_resource kResources[] = {GPUOPT_WARP_ROW_INSTANCES(GPUOPT_ENTRY_, false)  //
                                GPUOPT_WARP_ROW_INSTANCES(GPUOPT_ENTRY_, true)   //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_STAGES_, 0)       //
                                GPUOPT_LINEAR_INSTANCES(GPUOPT_LINEAR_, false)   //
                                GPUOPT_LINEAR_INSTANCES(GPUOPT_LINEAR_, true)};
#undef GPUOPT_ENTRY_
#undef GPUOPT_STAGES_
#undef GPUOPT_LINEAR_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = stages_row_kernel(
      kName, "rows of at most 2 KB in the registers of some lanes of a warp, then stages", kMostChainStages);
  k.version = 2;
  k.aliases = "norm_stages_warp_row";
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
