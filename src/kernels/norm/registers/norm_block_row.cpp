// norm_block_row: a block holds a row in registers; for rows of 512 bytes to 64 KB.
//
// Idea and data movement: rows.cuh, with 32 to 512 threads and two, four or (fp32 rows above 32 KB) eight vectors a
// thread; of rows that begin anywhere, those that begin alike, one after the other, the next under way while one is
// normalised, their weights shifted once and kept in shared memory (unaligned_rows.cuh); of these short ones, no more
// than run at once, by elements (row_elements.cuh).
// Statistics are shuffles and one barrier; other blocks of the SM keep memory busy while one waits. Stages that are an
// activation between two linear steps are applied without a list (row_linear.cuh), others are interpreted a vector at a
// time, just before it is stored (row_stages.cuh).
//
// Needs: x, residual, out, sum, gamma, beta and the stages' operands of one type (f32, f16, bf16), row-major, at any
// alignment. Rows of 32 to 64 KB without residual: aligned ones with a linear chain or in fp32 without stages; those that
// begin anywhere, of LAYERNORM and RMSNORM without stages (sm_90, as are all rows that begin alike).
// Prediction: read once and written once; the rate of a copy less what it costs that a block's loads end before its
// stores begin, more where weights are shifted into place, and where stages are many instructions an element.
// arch class: performance
#include <cuda_runtime.h>

#include "norm/common/early_row_launch.h"
#include "norm/common/row_linear.h"
#include "norm/registers/alike_rows.h"
#include "norm/registers/figures.h"
#include "norm/registers/row_elements.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_block_row";
constexpr int64_t kManyFrom = 256;  // vectors
constexpr int64_t kFewRows = 4;     // of an SM

struct Shape {
  int each;  // vectors a thread
  int64_t threads;
};
Shape shape_of(const gpuopt_problem &problem) {
  // Whole ones: what else a row has where it does not begin at 16 bytes is an element a thread.
  const int64_t whole = problem.n / vector_elements(problem), vectors = whole > 0 ? whole : 1;
  // Short rows have few vectors a thread, for more threads, as do few rows; a residual counts as another vector.
  const bool adds = has_residual(problem);
  const int64_t rows = problem.m * problem.batch, sms = problem.device->sm_count;
  const bool few = (vectors < kManyFrom && all_aligned(problem)) || adds || rows <= kFewRows * sms;
  const int each = few && vectors <= kBlockRowThreads * kFewVectors ? kFewVectors
                   : vectors <= kBlockRowThreads * kManyVectors     ? kManyVectors
                                                                    : kMostVectors;
  return {each, whole_warps(vectors, each)};
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
  // A sum whose rows begin otherwise than out's is stored element by element: an element a lane, 16 bytes apart.
  const double singles_us = f.single_stores * single_share(problem) * fullest(blocks, at_once) *
                            static_cast<double>(row_vectors(problem)) / 32 * f.elements *
                            norm_registers_figures.block_single_clocks / device.clock_mhz;
  return cost.launch_us +
         in_waves_us(
             moving_us(device, f.read_bytes + f.written_bytes), waves_of(blocks, at_once), row_us,
             issuing_us(device, fullest(blocks, at_once) * warps * instructions) + singles_us + blocks * cost.place_us);
}
double plain_us(const gpuopt_problem &problem) {
  const auto &figures = norm_registers_figures;
  const Shape shape = shape_of(problem);
  const int64_t registers = shape.each == kFewVectors ? 52 : 64;
  return block_us(problem,
                  {figures.block_launch_us, figures.block_start_us, figures.block_weight_us, figures.block_residual_us,
                   0, figures.block_unaligned_us, figures.block_warps_us, figures.block_place_us, figures.block_clocks},
                  shape.threads, registers, false);
}
// Vectors a thread of a linear chain. Half of what a warp does is not of its vectors, so 16-bit rows of an RMS norm take as many
// as registers hold, where there are rows enough to hide behind; a layer norm's two weights, or wide ones, leave none for that.
int linear_each(const gpuopt_problem &problem) {
  if (row_vectors(problem) > kBlockRowThreads * kManyVectors) return kMostVectors;
  const bool many = problem.m * problem.batch > kFewRows * problem.device->sm_count;
  const bool most = many && !is_f32(problem) && !is_layer_norm(problem) && !widens(problem) && all_aligned(problem);
  return most ? kMostVectors : kManyVectors;
}
double stages_us(const gpuopt_problem &problem, bool linear) {
  const auto &figures = norm_registers_figures;
  const bool most = linear && linear_each(problem) == kMostVectors;
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
  const AlikePlan plan = alike_plan(problem);
  const bool linear = !stands_alone(problem);
  const auto vectors = static_cast<double>(plan.vectors);
  double instructions =
      plain_instructions(f, vectors) +
      (figures.alike_shift_instructions + figures.alike_load_instructions * f.single_loads) * vectors * f.elements;
  if (linear) instructions += stage_instructions(f, vectors, true);
  const double blocks = static_cast<double>(plan.rows.of_matrix) * static_cast<double>(problem.batch) / device.sm_count;
  const double block_us =
      figures.alike_start_us + figures.alike_weight_us * f.weights +
      plan.rows.each * (figures.alike_row_us + instructions * figures.alike_clocks / device.clock_mhz);
  const double warps = f.rows / device.sm_count * static_cast<double>(plan.threads) / 32.0;
  return figures.block_launch_us + in_waves_us(moving_us(device, f.read_bytes + f.written_bytes),
                                               waves_of(blocks, static_cast<double>(plan.at_once)), block_us,
                                               issuing_us(device, warps * instructions));
}

int64_t element_threads(const gpuopt_problem &problem) { return ceil_div(problem.n, 32 * kElements) * 32; }
// Rows that begin anywhere, short ones, and no more than run at once: their time is latency.
bool goes_by_elements(const gpuopt_problem &problem) {
  const double rows = static_cast<double>(problem.m), sms = problem.device->sm_count;
  const int64_t threads = element_threads(problem);
  return !all_aligned(problem) && problem.batch == 1 && stands_alone(problem) && threads <= kElementThreads &&
         std::ceil(rows / sms) <= blocks_of_sm(*problem.device, threads, kElementRegisters);
}

// Whether rows are taken one after the other: where that is predicted to be done first.
bool goes_alike(const gpuopt_problem &problem) {
  if (goes_by_elements(problem) || !takes_alike(problem)) return false;
  if (row_vectors(problem) > kBlockRowThreads * kManyVectors) return true;
  if (alike_plan(problem).rows.each < 2) return false;  // without rows to share weights among
  RowLinear chain;
  return alike_us(problem) < (takes_linear(problem, chain) ? stages_us(problem, true) : plain_us(problem));
}

double elements_us(const gpuopt_problem &problem) {
  const auto &figures = norm_registers_figures;
  const gpuopt_device_facts &device = *problem.device;
  if (!is_known(device)) return 0;
  const RowFacts f = row_facts(problem);
  const double blocks = std::ceil(f.rows / device.sm_count);
  const double warps = blocks * static_cast<double>(element_threads(problem)) / 32;
  return figures.elements_launch_us + figures.elements_join_us * (1 + f.layernorm + f.softmax) +
         figures.elements_weight_us * (f.weights + f.residual) + figures.elements_place_us * blocks +
         together_us(moving_us(device, f.read_bytes + f.written_bytes), 0,
                     issuing_us(device, warps * figures.elements_instructions));
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  const int64_t rows = problem.m * problem.batch, vectors = row_vectors(problem);
  if (goes_by_elements(problem)) {
    const int64_t threads = element_threads(problem);
    return with_row_instance(problem, kRowAny, [&](auto tag, auto norm, auto) {
      return f(tag, norm_block_elements_kernel<typename decltype(tag)::type, decltype(norm)::value, kElements>, rows,
               threads);
    });
  }
  RowLinear chain;
  if (goes_alike(problem)) return with_alike_kernel(problem, f);
  if (takes_linear(problem, chain)) {
    const int each = linear_each(problem);
    const int64_t threads = whole_warps(vectors, each);
    const bool aligned = all_aligned(problem);
    return with_weighted_instance(problem, [&](auto tag, auto norm) {
      using T = typename decltype(tag)::type;
      constexpr int kNorm = decltype(norm)::value;
      const auto with = [&](auto kernel) { return f(tag, kernel, rows, threads, chain); };
      if (!aligned) return with(norm_block_linear_kernel<T, kNorm, kBlockRowThreads, kManyVectors, true>);
      if (each == kMostVectors) return with(norm_block_linear_kernel<T, kNorm, kBlockRowThreads, kMostVectors, false>);
      return threads <= kFewLinearThreads
                 ? with(norm_block_linear_kernel<T, kNorm, kFewLinearThreads, kManyVectors, false>)
                 : with(norm_block_linear_kernel<T, kNorm, kBlockRowThreads, kManyVectors, false>);
    });
  }
  if (problem.stage_count > 0 || narrows(problem)) {
    const int64_t threads = whole_warps(vectors, kManyVectors);
    const bool adds = has_residual(problem);
    return with_row_instance(problem, row_mode(problem), [&](auto tag, auto norm, auto mode) {
      using T = typename decltype(tag)::type;
      constexpr int kNorm = decltype(norm)::value;
      constexpr bool kAny = decltype(mode)::value == kRowAny;
      const auto with = [&](auto kernel) { return f(tag, kernel, rows, threads); };
      return adds ? with(norm_block_stages_kernel<T, kNorm, true, true>)
                  : with(norm_block_stages_kernel<T, kNorm, false, kAny>);
    });
  }
  const Shape shape = shape_of(problem);
  return with_row_instance(problem, row_mode(problem), [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    constexpr bool kAny = decltype(mode)::value == kRowAny;
    const auto with = [&](auto kernel) { return f(tag, kernel, rows, shape.threads); };
    const bool few = shape.each == kFewVectors;
    if (has_residual(problem))
      return few ? with(norm_block_row_kernel<T, kNorm, kFewVectors, true, kAny>)
                 : with(norm_block_row_kernel<T, kNorm, kManyVectors, true, kAny>);
    if constexpr (sizeof(T) == 4 && !kAny) {
      if (shape.each == kMostVectors) return with(norm_block_row_kernel<T, kNorm, kMostVectors, false, false>);
    }
    return few ? with(norm_block_row_kernel<T, kNorm, kFewVectors, false, kAny>)
               : with(norm_block_row_kernel<T, kNorm, kManyVectors, false, kAny>);
  });
}

size_t shared_bytes(const gpuopt_problem &problem) {
  return goes_alike(problem) ? static_cast<size_t>(alike_plan(problem).bytes) : 0;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, shared_row_loader(launch, kName, shared_bytes(*problem)));
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, early_row_launcher(*problem, launch, kName, shared_bytes(*problem)));
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  RowLinear chain;
  bool most = is_f32(*problem) && all_aligned(*problem) &&
              row_vectors(*problem) == shape_of(*problem).threads * kMostVectors && !has_residual(*problem);
  const bool linear = takes_linear(*problem, chain);
  if (linear) {
    most = all_aligned(*problem) && !widens(*problem);
  } else if (!stages_fit(*problem, reject)) {
    return 0;
  }
  most = most || takes_alike(*problem);  // which asks for no more than that itself
  return row_can_run(problem, int64_t{kBlockRowThreads} * (most ? kMostVectors : kManyVectors), reject, linear);
}

double predict_us(const gpuopt_problem *problem) {
  if (has_no_elements(*problem)) return norm_registers_figures.block_launch_us;
  if (goes_by_elements(*problem)) return elements_us(*problem);
  RowLinear chain;
  const bool linear = takes_linear(*problem, chain);
  if (goes_alike(*problem)) return alike_us(*problem);
  return linear || problem->stage_count > 0 || narrows(*problem) ? stages_us(*problem, linear) : plain_us(*problem);
}

#define GPUOPT_ENTRY_(T, norm, V, adds, any) \
  {kBlockRowThreads, 0, reinterpret_cast<const void *>(norm_block_row_kernel<T, norm, V, adds, any>)},
#define GPUOPT_STAGES_(T, norm, adds, any) \
  {kBlockRowThreads, 0, reinterpret_cast<const void *>(norm_block_stages_kernel<T, norm, adds, any>)},
#define GPUOPT_ELEMENTS_(T, norm, E) \
  {kElementThreads, 0, reinterpret_cast<const void *>(norm_block_elements_kernel<T, norm, E>)},
#define GPUOPT_LINEAR_(T, norm, threads, V, any) \
  {threads, 0, reinterpret_cast<const void *>(norm_block_linear_kernel<T, norm, threads, V, any>)},
#define GPUOPT_ALIKE_(T, norm, V, adds, Chain)                                     \
  {alike_threads(norm, sizeof(T) == 4, V, adds, std::is_same_v<Chain, RowLinear>), \
   alike_bytes(norm, sizeof(T) == 4, V, adds, std::is_same_v<Chain, RowLinear>),   \
   reinterpret_cast<const void *>(norm_alike_rows_kernel<T, norm, V, adds, Chain>)},
gpuopt_resource kResources[] = {GPUOPT_BLOCK_ROW_INSTANCES(GPUOPT_ENTRY_, false)    //
                                GPUOPT_BLOCK_ROW_INSTANCES(GPUOPT_ENTRY_, true)     //
                                GPUOPT_BLOCK_ROW_LONGEST(GPUOPT_ENTRY_)             //
                                GPUOPT_BLOCK_ELEMENTS_INSTANCES(GPUOPT_ELEMENTS_)   //
                                GPUOPT_BLOCK_STAGES_INSTANCES(GPUOPT_STAGES_)       //
                                GPUOPT_BLOCK_SUM_STAGES_INSTANCES(GPUOPT_STAGES_)   //
                                GPUOPT_BLOCK_LINEAR_INSTANCES(GPUOPT_LINEAR_)       //
                                GPUOPT_BLOCK_LINEAR_LONG_INSTANCES(GPUOPT_LINEAR_)  //
                                GPUOPT_ALIKE_INSTANCES(GPUOPT_ALIKE_)};
#undef GPUOPT_ENTRY_
#undef GPUOPT_STAGES_
#undef GPUOPT_ELEMENTS_
#undef GPUOPT_LINEAR_
#undef GPUOPT_ALIKE_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      stages_row_kernel(kName, "rows of 1 to 64 KB in the registers of a block, then stages", kMostChainStages);
  k.version = 4;
  k.aliases = "norm_stages_row,norm_linear_row,norm_realigned_row";
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
