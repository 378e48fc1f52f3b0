// norm_twice_row: a block reads its row twice, for statistics and for the result, and keeps none of it: caches do.
//
// Idea and data movement: rows that the first-level cache holds come from memory once, with more of them under way than
// registers would hold (l1_row.cuh, sm_90). All others, with or without stages, find in the second-level cache what it
// can hold (long_row.cuh): that is how rows are run that are too long for registers and shared memory.
//
// Needs: x, residual, out, sum, gamma, beta and the stages' operands of one type (f32, f16, bf16), row-major, at any
// alignment and any length; gamma and beta of 16-bit rows also in f32, out, without a residual, also in e4m3. By way of
// the first-level cache: sm_90, aligned rows of one type without residual and stages, of 8192 or 16,384 elements, or of
// whole warps of four vectors a thread, 8 to 32 KB.
// Prediction: from the first-level cache the rate of a copy. Else 3 passes over x or 2, as the second-level cache holds
// the rows of all blocks or not: two thirds of a copy's rate at best.
// arch class: performance
#include <cuda_runtime.h>

#include "norm/cache/figures.h"
#include "norm/cache/l1_row.h"
#include "norm/cache/long_row.h"
#include "norm/common/early_row_launch.h"
#include "norm/common/row_linear.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_twice_row";

// Rows in general: of so many threads, for which the first-level cache is enough.
constexpr int64_t kLeastL1Threads = 128, kMostL1Threads = 512;

// Columns of the instance that takes a problem, 0 for that of rows in general, -1 where none does.
int l1_columns(const gpuopt_problem &problem) {
  if (!has_waiting_code(problem.device->cc) || !stands_alone(problem) || !all_aligned(problem) || has_residual(problem))
    return -1;
  if (problem.n == 8192 || problem.n == 16384) return static_cast<int>(problem.n);
  const int64_t vectors = row_vectors(problem);
  return vectors % (4 * 32) == 0 && vectors >= 4 * kLeastL1Threads && vectors <= 4 * kMostL1Threads ? 0 : -1;
}

// f(T's tag, the kernel, blocks, threads).
template <class F>
gpuopt_status with_l1_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, kRowAligned, [&](auto tag, auto norm, auto) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    const auto with = [&](auto kernel, int64_t threads) { return f(tag, kernel, problem.m * problem.batch, threads); };
    if (problem.n == 8192) return with(norm_l1_row_kernel<T, kNorm, 8192>, L1RowShape<T, kNorm, 8192>::kThreads);
    if (problem.n == 16384) return with(norm_l1_row_kernel<T, kNorm, 16384>, L1RowShape<T, kNorm, 16384>::kThreads);
    return with(norm_l1_row_kernel<T, kNorm, 0>, row_vectors(problem) / 4);
  });
}

int64_t long_threads(const gpuopt_problem &problem) {
  const int64_t threads = whole_warps(row_vectors(problem), kLongAgain);
  const int64_t most = all_aligned(problem) ? kLongThreads<true> : kLongThreads<false>;
  return threads < most ? threads : most;
}

// f(T's tag, the kernel, blocks, threads, the chain).
template <class F>
gpuopt_status with_long_kernel(const gpuopt_problem &problem, F &&f) {
  const RowChain stages = make_row_chain(problem);
  return with_row_instance(problem, row_mode(problem), [&](auto tag, auto norm, auto mode) {
    constexpr bool kAligned = decltype(mode)::value != kRowAny;
    return f(tag, norm_long_row_kernel<typename decltype(tag)::type, decltype(norm)::value, kAligned>,
             problem.m * problem.batch, long_threads(problem), stages);
  });
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return l1_columns(problem) >= 0 ? with_l1_kernel(problem, f) : with_long_kernel(problem, f);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, row_loader(launch, kName));
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, early_row_launcher(*problem, launch, kName));
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!chain_fits(*problem, reject)) return 0;
  return row_can_run(problem, int64_t{1} << 27, reject, true);  // elements and a step have 31 bits
}

// From the first-level cache: one reading, and a row's way in and out.
double l1_us(const gpuopt_problem &problem, bool known_columns) {
  const auto &figures = norm_cache_figures;
  const gpuopt_device_facts &device = *problem.device;
  const RowFacts f = row_facts(problem);
  const double share = known_columns ? figures.l1_share : figures.l1_any_share;
  return figures.l1_launch_us + figures.l1_row_us +
         (f.read_bytes + f.written_bytes) / (share * device.memory_gbs * 1e3);
}

double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_cache_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.l2_launch_us;
  const RowFacts f = row_facts(*problem);
  if (const int columns = l1_columns(*problem); columns >= 0) return l1_us(*problem, columns > 0);
  RowLinear chain;
  const bool aligned = all_aligned(*problem);
  const int64_t threads = long_threads(*problem);
  const int64_t ahead = ceil_div(row_vectors(*problem), threads * kLongAhead);
  const int64_t again = ceil_div(row_vectors(*problem), threads * kLongAgain);
  const double at_once = blocks_of_sm(device, threads, aligned ? 64 : 80), blocks = f.rows / device.sm_count;
  const double instructions =
      row_instructions(f, static_cast<double>(row_vectors(*problem)) / static_cast<double>(threads), aligned,
                       match_row_linear(*problem, chain) < 0);
  const double readings_us =
      figures.l2_ahead_us * static_cast<double>(ahead) + figures.l2_again_us * static_cast<double>(again);
  const double row_us =
      figures.l2_start_us + readings_us * (1 + figures.l2_residual_share * f.residual) +
      static_cast<double>(again) * (figures.l2_weight_us * f.weight_vectors + figures.l2_operand_us * f.operands) +
      instructions * figures.l2_clocks / device.clock_mhz;
  // What the second-level cache does not hold of the rows of all blocks comes from memory again.
  const double resident = at_once * device.sm_count;
  const double held = f.x_bytes / f.rows * (f.rows < resident ? f.rows : resident);
  const double room = figures.l2_held_share * static_cast<double>(device.l2_bytes > 0 ? device.l2_bytes : 1 << 25);
  const double missed = figures.l2_again_share + held * held / (held * held + room * room);
  const double warps = static_cast<double>(threads) / 32.0;
  return figures.l2_launch_us +
         together_us(moving_us(device, f.read_bytes + f.written_bytes + f.x_bytes * missed),
                     waves_of(blocks, at_once) * row_us,
                     issuing_us(device, fullest(blocks, at_once) * warps * instructions * figures.l2_times) +
                         blocks * figures.l2_place_us);
}

#define GPUOPT_L1_(T, norm, columns, mode) \
  {L1RowShape<T, norm, columns>::kThreads, 0, reinterpret_cast<const void *>(norm_l1_row_kernel<T, norm, columns>)},
#define GPUOPT_LONG_(T, norm, V, mode) \
  {kLongThreads<mode != kRowAny>, 0, reinterpret_cast<const void *>(norm_long_row_kernel<T, norm, mode != kRowAny>)},
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_L1_, 8192, kRowAligned)   //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_L1_, 16384, kRowAligned)  //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_L1_, 0, kRowAligned)      //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_LONG_, 0, kRowAligned)    //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_LONG_, 0, kRowAny)};
#undef GPUOPT_L1_
#undef GPUOPT_LONG_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = stages_row_kernel(kName, "rows of any length read twice, the second time from caches, then stages",
                                      kMostRowStages);
  k.version = 2;
  k.aliases = "norm_long_row";
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
