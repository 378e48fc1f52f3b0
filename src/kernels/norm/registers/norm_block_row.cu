// norm_block_row: a block holds a row in registers; for rows of 1 to 64 KB.
//
// Idea and data movement: row.cuh, with 32 to 512 threads a row and two, four or (fp32 rows above 32 KB) eight vectors
// a thread. Statistics are shuffles and one barrier; two or more blocks an SM keep memory busy while one waits. Stages
// that are an activation between two linear steps are applied without a list (row_linear.cuh), others are interpreted a
// vector at a time, just before it is stored (row_stages.cuh). Of 16-bit rows that begin anywhere, a block may take some
// that begin alike, one after the other, and keep their weights (unaligned_rows.cuh).
//
// Needs: x, residual, out, sum, gamma, beta and the stages' operands of one type (f32, f16, bf16), row-major, at any
// alignment. Rows of 32 to 64 KB are aligned: with a linear chain, or fp32 ones of whole vectors without stages.
// Prediction: read once and written once; the rate of a copy less what it costs that a block's loads end before its
// stores begin, more where sums are kept in fp32, where elements are shifted into place, and where stages are many
// instructions an element.

#include "norm/common/row_linear.h"
#include "norm/registers/alike_rows.h"
#include "norm/registers/figures.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_block_row";
constexpr int64_t kManyFrom = 256;  // vectors

struct Shape {
  int each, mode;  // vectors a thread
  int64_t threads;
};
Shape shape_of(const gpuopt_problem &problem) {
  // Whole ones: what else a row has where it does not begin at 16 bytes is an element a thread.
  const int64_t whole = problem.n / (is_f32(problem) ? 4 : 8), vectors = whole > 0 ? whole : 1;
  Shape shape = {};
  // Short rows have few vectors a thread, for more threads.
  for (int each : {vectors < kManyFrom                          ? kFewVectors
                   : vectors <= kBlockRowThreads * kManyVectors ? kManyVectors
                                                                : kMostVectors,
                   kManyVectors}) {
    shape.each = each;
    shape.threads = whole_warps(vectors, each);
    shape.mode = row_mode(problem, shape.threads, each);
    if (shape.mode == kRowWhole) break;  // others exist with kManyVectors alone
  }
  return shape;
}

// What a block of a kernel takes, beside instructions.
struct BlockCost {
  double launch_us, start_us, weight_us, residual_us, operand_us, unaligned_us, warps_us, place_us, clocks;
};
double block_us(const gpuopt_problem &problem, const BlockCost &cost, int64_t threads, int64_t registers, bool linear) {
  const gpuopt_device_facts &device = *problem.device;
  if (!is_known(device)) return 0;
  const RowFacts f = row_facts(problem);
  const bool aligned = all_aligned(problem);
  const double instructions =
      row_instructions(f, static_cast<double>(ceil_div(row_vectors(problem), threads)), aligned, linear);
  const double warps = static_cast<double>(threads) / 32.0, blocks = f.rows / device.sm_count;
  const double at_once = blocks_of_sm(device, threads, registers);
  const double row_us = cost.start_us + cost.weight_us * f.weights + cost.residual_us * f.residual +
                        cost.operand_us * f.operands + (aligned ? 0.0 : cost.unaligned_us) +
                        cost.warps_us * warps / 16.0 + instructions * cost.clocks / device.clock_mhz;
  return cost.launch_us +
         in_waves_us(moving_us(device, f.read_bytes + f.written_bytes), waves_of(blocks, at_once), row_us,
                     issuing_us(device, fullest(blocks, at_once) * warps * instructions) + blocks * cost.place_us);
}
double plain_us(const gpuopt_problem &problem) {
  const auto &figures = norm_registers_figures;
  const Shape shape = shape_of(problem);
  const bool f32 = is_f32(problem), few = shape.each == kFewVectors;
  const int registers = shape.mode == kRowAny       ? (f32 ? 48 : 66)
                        : shape.mode == kRowAligned ? (f32 ? 54 : 74)
                        : f32                       ? (few                          ? 32
                                                       : shape.each == kManyVectors ? 48
                                                                                    : 64)
                                                    : (few ? 48 : 64);
  return block_us(problem,
                  {figures.block_launch_us, figures.block_start_us, figures.block_weight_us, figures.block_residual_us,
                   0, figures.block_unaligned_us, figures.block_warps_us, figures.block_place_us, figures.block_clocks},
                  shape.threads, registers, false);
}
double stages_us(const gpuopt_problem &problem, bool linear) {
  const auto &figures = norm_registers_figures;
  const bool most = linear && row_vectors(problem) > kBlockRowThreads * kManyVectors;
  const int registers = linear ? (most ? 64 : 48) : is_f32(problem) ? 48 : 72;
  return block_us(problem,
                  {figures.stages_launch_us, figures.stages_start_us, figures.stages_weight_us,
                   figures.stages_residual_us, figures.stages_operand_us, figures.stages_unaligned_us,
                   figures.stages_warps_us, figures.stages_place_us, figures.stages_clocks},
                  whole_warps(row_vectors(problem), most ? kMostVectors : kManyVectors), registers, linear);
}
// A block has its weights once and rows one after the other.
double alike_us(const gpuopt_problem &problem) {
  const auto &figures = norm_registers_figures;
  const gpuopt_device_facts &device = *problem.device;
  if (!is_known(device)) return 0;
  const RowFacts f = row_facts(problem);
  const AlikeRows rows = alike_rows_of(problem);
  const int64_t threads = alike_threads(problem);
  const double instructions = plain_instructions(f, kAlikeVectors) +
                              (figures.alike_shift_instructions + figures.alike_load_instructions * f.single_loads) *
                                  kAlikeVectors * kAlikeElements;
  const double blocks = static_cast<double>(rows.of_matrix) * static_cast<double>(problem.batch) / device.sm_count;
  const double block_us = figures.alike_start_us + figures.alike_weight_us * f.weights +
                          rows.each * (figures.alike_row_us + instructions * figures.alike_clocks / device.clock_mhz);
  const double warps = f.rows / device.sm_count * static_cast<double>(threads) / 32.0;
  return figures.block_launch_us +
         in_waves_us(moving_us(device, f.read_bytes + f.written_bytes),
                     waves_of(blocks, static_cast<double>(kAlikeThreads * kAlikeBlocks / threads)), block_us,
                     issuing_us(device, warps * instructions));
}

// How rows are held: what takes a problem, and is predicted to be done first.
enum Way { kPlain, kAlike, kLinear, kStages };
Way way_of(const gpuopt_problem &problem, RowLinear &chain) {
  if (problem.stage_count > 0) return takes_linear(problem, chain) ? kLinear : kStages;
  return takes_alike(problem) && alike_us(problem) < plain_us(problem) ? kAlike : kPlain;
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  const int64_t rows = problem.m * problem.batch, vectors = row_vectors(problem);
  RowLinear chain;
  const Way way = way_of(problem, chain);
  if (way == kAlike) return with_alike_kernel(problem, f);
  if (way == kLinear) {
    const int each = vectors <= kBlockRowThreads * kManyVectors ? kManyVectors : kMostVectors;
    const int64_t threads = whole_warps(vectors, each);
    return with_weighted_instance(problem, [&](auto tag, auto norm) {
      using T = typename decltype(tag)::type;
      constexpr int kNorm = decltype(norm)::value;
      const auto with = [&](auto kernel) { return f(tag, kernel, rows, threads, chain); };
      if (each == kMostVectors) return with(norm_block_linear_kernel<T, kNorm, kBlockRowThreads, kMostVectors>);
      return threads <= kFewLinearThreads ? with(norm_block_linear_kernel<T, kNorm, kFewLinearThreads, kManyVectors>)
                                          : with(norm_block_linear_kernel<T, kNorm, kBlockRowThreads, kManyVectors>);
    });
  }
  if (way == kStages) {
    const int64_t threads = whole_warps(vectors, kManyVectors);
    const bool whole = row_mode(problem, threads, kManyVectors) == kRowWhole;
    return with_row_instance(problem, whole ? kRowWhole : kRowAny, [&](auto tag, auto norm, auto mode) {
      constexpr int kMode = decltype(mode)::value == kRowWhole ? kRowWhole : kRowAny;
      return f(tag, norm_block_stages_kernel<typename decltype(tag)::type, decltype(norm)::value, kMode>, rows,
               threads);
    });
  }
  const Shape shape = shape_of(problem);
  return with_row_instance(problem, shape.mode, [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value, kMode = decltype(mode)::value;
    const auto with = [&](auto kernel) { return f(tag, kernel, rows, shape.threads); };
    if constexpr (kMode == kRowWhole) {
      if constexpr (sizeof(T) == 4) {
        if (shape.each == kMostVectors) return with(norm_block_row_kernel<T, kNorm, kMostVectors, kMode>);
      }
      if (shape.each == kFewVectors) return with(norm_block_row_kernel<T, kNorm, kFewVectors, kMode>);
    }
    return with(norm_block_row_kernel<T, kNorm, kManyVectors, kMode>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, row_loader(launch, kName));
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, row_launcher(*problem, launch, kName));
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  RowLinear chain;
  const Shape shape = shape_of(*problem);
  bool most = is_f32(*problem) && shape.mode == kRowWhole && shape.each == kMostVectors;
  if (problem->stage_count > 0) {
    most = takes_linear(*problem, chain);
    if (!most && !stages_fit(*problem, reject)) return 0;
  }
  return row_can_run(problem, int64_t{kBlockRowThreads} * (most ? kMostVectors : kManyVectors), reject);
}

double predict_us(const gpuopt_problem *problem) {
  if (has_no_elements(*problem)) return norm_registers_figures.block_launch_us;
  RowLinear chain;
  if (problem->stage_count > 0) return stages_us(*problem, takes_linear(*problem, chain));
  const double us = plain_us(*problem);
  if (!takes_alike(*problem)) return us;
  const double alike = alike_us(*problem);
  return alike < us ? alike : us;
}

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  {kBlockRowThreads, 0, reinterpret_cast<const void *>(norm_block_row_kernel<T, norm, V, mode>)},
#define GPUOPT_STAGES_(T, norm, V, mode) \
  {kBlockRowThreads, 0, reinterpret_cast<const void *>(norm_block_stages_kernel<T, norm, mode>)},
#define GPUOPT_LINEAR_OF_(T, norm, threads, V) \
  {threads, 0, reinterpret_cast<const void *>(norm_block_linear_kernel<T, norm, threads, V>)},
#define GPUOPT_LINEAR_(T, norm)                               \
  GPUOPT_LINEAR_OF_(T, norm, kFewLinearThreads, kManyVectors) \
  GPUOPT_LINEAR_OF_(T, norm, kBlockRowThreads, kManyVectors)  \
  GPUOPT_LINEAR_OF_(T, norm, kBlockRowThreads, kMostVectors)
#define GPUOPT_ALIKE_(T, norm) \
  {kAlikeThreads, 0, reinterpret_cast<const void *>(norm_alike_rows_kernel<T, norm, kAlikeVectors>)},
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, kFewVectors, kRowWhole)    //
                                GPUOPT_ROW_INSTANCES(GPUOPT_ENTRY_, kManyVectors)                 //
                                GPUOPT_ROW_NORMS_(GPUOPT_ENTRY_, float, kMostVectors, kRowWhole)  //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_STAGES_, 0, kRowWhole)             //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_STAGES_, 0, kRowAny)               //
                                GPUOPT_LINEAR_INSTANCES(GPUOPT_LINEAR_)                           //
                                GPUOPT_ALIKE_(__half, GPUOPT_NORM_LAYERNORM)                      //
                                GPUOPT_ALIKE_(__half, GPUOPT_NORM_RMSNORM)                        //
                                GPUOPT_ALIKE_(__nv_bfloat16, GPUOPT_NORM_LAYERNORM)               //
                                GPUOPT_ALIKE_(__nv_bfloat16, GPUOPT_NORM_RMSNORM)};
#undef GPUOPT_ENTRY_
#undef GPUOPT_STAGES_
#undef GPUOPT_LINEAR_OF_
#undef GPUOPT_LINEAR_
#undef GPUOPT_ALIKE_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of 1 to 64 KB in the registers of a block, then stages");
  k.aliases = "norm_stages_row,norm_linear_row,norm_realigned_row";
  k.stage_kinds = kRowStageKinds | kLinearActKinds;
  k.max_stages = kMostChainStages;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
