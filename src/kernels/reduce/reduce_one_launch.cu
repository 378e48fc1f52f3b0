// A packed matrix is one line; blocks read it in 16-byte vectors and meet within the launch, through tickets and slots
// in zeroed memory that is left zero (meeting.cuh). Partials are combined in the order of the splits: deterministic.
//
// Data movement: every byte once, four 16-byte loads of every thread under way at once (two where bytes are taken
// apart); a block's partial is one 8-byte store. Beside the reading, a call pays for one store and one load of the
// partials, less than the gap between two launches. What is read and by whom follows from a few numbers that the host
// works out, and one barrier joins the threads of a block and tells whether it is the one that joins the blocks: on
// small matrices, the kernel's first fetch of every instruction and parameter shows. Of ARGs of floats a block's
// partial is one word, too, key and position (best_element.cuh). Batches, padded matrices, dot products and products
// run as splits of lines (lines.h), in more general code.
// Needs: a padded matrix has at most 8,192 rows. DOT: lines of both operands at 16-byte boundaries.
// Recorded (H200, 2026-11-21, single call, cold): f32 sum of 64 K elements 4.51 us (CUB 1.53 times that), of 1 M 5.70
// us (1.37), of 4 M 9.02 (1.24), of 16 M 19.8 us (1.11), of 64 M 64.5 us (1.03), of 256 M 244 us, 4,395 GB/s, 95 % of
// read (0.98: behind CUB), of 1 G 963 us (0.97); in a graph 64 K 1.90 us (1.55), 16 M 17.4 us (1.01). Of 1 G elements:
// i8 245 us, 4,390 GB/s (1.82), bf16 484 us, 4,436 GB/s (1.31), i32 963 us (1.01), i64 1,928 us (0.97), f64 1,874 us
// (1.00). f32 ARGMAX of 64 K 5.09 us (1.42), of 1 M 6.05 us (1.35), of 4 M 9.12 us (1.24), of 16 M 20.1 us (1.17), of
// 256 M 245 us (1.02), of 1 G 963 us (1.01). Sums of every type, 1 K to 1 G elements: 1.33 times CUB's speed in the
// geometric mean, least 0.97 (1 G of f32). On the unit of the record before: f32 sum of 256 M 234 us (1.02), of 1 G
// 920 us (1.00).
#include "lines_predict.h"
#include "whole_line.cuh"

namespace gpuopt {
namespace reduce {

namespace {

constexpr char kName[] = "reduce_one_launch";

// Whether whole_line takes it.
bool is_whole(const gpuopt_problem &problem, const LineFacts &facts) {
  const int op = op_of(problem.variant);
  const bool is_best = is_best_element(problem.operand[GPUOPT_OPERAND_X].m.dtype, op);
  return facts.results == 1 && facts.rows == 1 && op != kDot && op != kProduct &&
         (!is_best || facts.length <= kMostElementsOfWord);
}

// Threads and blocks. Where there are many more tiles than blocks that run at once, each block has several, a grid
// apart, so that what is read at one time lies together.
struct WholePlan {
  int32_t threads, tile;
  int64_t blocks;
  bool early;  // may begin before the launch before it has ended
};
WholePlan whole_plan(const gpuopt_problem &problem, const LineFacts &facts) {
  const int64_t vectors = facts.length * facts.bytes / 16;  // the most that the body has, wherever the line begins
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  const gpuopt_device_facts &device = *problem.device;
  const int choice = choice_of(problem.variant), loads = whole_loads(dtype, choice);
  // Where the larger blocks are a single one, or so few that a warp gathers their partials, and the smaller ones not.
  const auto fits = [&](int64_t blocks) {
    return vectors <= blocks * kWholeThreads * loads && vectors > blocks * kFewThreads * loads;
  };
  const bool is_best = is_best_element(dtype, choice);
  const bool is_few =
      (choice == kSum || is_best) && vectors <= int64_t{4096} * device.sm_count && !fits(1) && !fits(kWarp);
  const int threads = is_few ? kFewThreads : kWholeThreads, tile = threads * loads;
  const int room = device.cc >= 100 ? 3 : device.max_threads_per_sm / kWholeThreads;
  const int resident = room < whole_blocks(dtype, choice) ? room : whole_blocks(dtype, choice);
  const int64_t running = int64_t{device.sm_count} * resident * (kWholeThreads / threads);
  // Sums stay short; those of integers are exact, and a grid of a little more than runs at once would end with a wave
  // of idle multiprocessors.
  const bool is_exact = computed_dtype(dtype) == GPUOPT_I64;
  const int64_t tiles = vectors > tile ? ceil_div(vectors, tile) : 1, least = is_exact ? 1 : ceil_div(tiles, 256);
  // Four waves of short lives at most, and no more than four partials for a thread of the block that gathers them.
  const int64_t lives = choice == kArg && !is_best ? running : 4 * running, gathered = int64_t{4} * kWholeThreads;
  // 16-bit sums of one wave to four: two blocks on each multiprocessor, each with as many tiles, end together. Not
  // early: the blocks of two launches would share multiprocessors unevenly (16 M in a graph, measured once: 12.6 us,
  // with a grid of lives 11.4).
  const bool is_16_bit = dtype == GPUOPT_F16 || dtype == GPUOPT_BF16;
  if (choice == kSum && is_16_bit && tiles > running && tiles <= lives)
    return {threads, tile, ceil_div(tiles, ceil_div(tiles, int64_t{2} * device.sm_count)), false};
  const int64_t most = tiles <= lives && tiles <= gathered ? tiles : running;
  return {threads, tile, most > least ? most : least, true};
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const LineFacts facts = line_facts(*problem);
  if (!is_whole(*problem, facts)) return workspace_of_lines(*problem, plan_lines(*problem), scratch, zeroed);
  *scratch = *zeroed = 0;
  const int64_t blocks = whole_plan(*problem, facts).blocks;
  const int32_t dtype = problem->operand[GPUOPT_OPERAND_X].m.dtype, op = op_of(problem->variant);
  const size_t slot = is_best_element(dtype, op) ? 8 : 2 * partial_bytes(op, dtype);
  if (blocks > 1) *zeroed = kTicketBytes + static_cast<size_t>(blocks) * slot;
}

// run(kernel) with the whole_line of the problem; run returns a status.
template <class Run>
gpuopt_status with_whole_line(const gpuopt_problem &problem, int threads, Run &&run) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  const auto of_choice = [&](auto choice) {
    using C = decltype(choice);
    return run(whole_line<C::kDtype, C::kOp>);
  };
  switch (choice_of(problem.variant)) {
    case kSum:
      return with_dtype_choice<kSum>(dtype, [&](auto choice) {
        constexpr int kDtype = decltype(choice)::kDtype;
        return run(threads == kFewThreads ? whole_line<kDtype, kSum, kFewThreads> : whole_line<kDtype, kSum>);
      });
    case kSumOfSquares:
      return with_dtype_choice<kSumOfSquares>(dtype, of_choice);
    case kSumOfMagnitudes:
      return with_dtype_choice<kSumOfMagnitudes>(dtype, of_choice);
    case kExtreme:
      return with_dtype_choice<kExtreme>(dtype, of_choice);
    case kArg:
      return with_dtype_choice<kArg>(dtype, [&](auto choice) {
        constexpr int kDtype = decltype(choice)::kDtype;
        if constexpr (is_best_element(kDtype, kArg))
          return run(threads == kFewThreads ? whole_line<kDtype, kArg, kFewThreads> : whole_line<kDtype, kArg>);
        else
          return run(whole_line<kDtype, kArg>);
      });
    default:
      return GPUOPT_INTERNAL;
  }
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  if (!is_whole(*problem, facts)) return prepare_lines(problem, launch, kName);
  return with_whole_line(*problem, whole_plan(*problem, facts).threads,
                         [&](auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  if (!is_whole(*problem, facts)) return launch_lines(problem, launch, kName, plan_lines(*problem));
  const WholePlan plan = whole_plan(*problem, facts);
  const Output output = make_output(*problem);
  const OpState state = state_of(problem->variant);
  WholeLine line = whole_line_of(problem->operand[GPUOPT_OPERAND_X].m.data, facts.length, facts.bytes, plan.tile);
  line.zeroed = static_cast<uint64_t *>(launch->zeroed);
  line.most = state.most;
  const int32_t usual = op_of(problem->variant) == kArg ? static_cast<int32_t>(GPUOPT_I64)
                                                        : computed_dtype(problem->operand[GPUOPT_OPERAND_X].m.dtype);
  if (output.finish == kAsIs && output.out.dtype == usual && output.value.dtype == 0) line.plain = output.out.data;
  return with_whole_line(*problem, plan.threads, [&](auto kernel) {
    LaunchAttributes attributes = early_launch(*problem);
    attributes.early = attributes.early && plan.early;
    return launch_kernel(attributes, launch, kName, dim3(static_cast<unsigned>(plan.blocks)),
                         dim3(static_cast<unsigned>(plan.threads)), 0, kernel, line, output);
  });
}

// An empty launch, the meeting, and the reading: its start, and the rest at the memory's rate.
double predict_us(const gpuopt_problem *problem) {
  const LineFacts facts = line_facts(*problem);
  if (!is_whole(*problem, facts)) return line_us(*problem, facts, plan_lines(*problem), 3.3);
  const int64_t blocks = whole_plan(*problem, facts).blocks;
  const double full = 2.0 * problem->device->sm_count, some = static_cast<double>(blocks) / full;
  return 3.8 + (blocks > 1 ? 0.7 + 0.5 * (some < 1 ? some : 1) : 0) +
         facts.read_bytes / (0.97e3 * problem->device->memory_gbs);
}

#define GPUOPT_FEW_(dtype, op) \
  { kFewThreads, 0, reinterpret_cast<const void *>(whole_line<dtype, op, kFewThreads>) }
gpuopt_resource kResources[] = {GPUOPT_FEW_(1, kSum),
                                GPUOPT_FEW_(2, kSum),
                                GPUOPT_FEW_(3, kSum),
                                GPUOPT_FEW_(4, kSum),
                                GPUOPT_FEW_(5, kSum),
                                GPUOPT_FEW_(6, kSum),
                                GPUOPT_FEW_(7, kSum),
                                GPUOPT_FEW_(8, kSum),
                                GPUOPT_FEW_(9, kSum),
                                GPUOPT_FEW_(10, kSum),
                                GPUOPT_FEW_(1, kArg),
                                GPUOPT_FEW_(3, kArg),
                                GPUOPT_FEW_(4, kArg),
                                GPUOPT_FEW_(5, kArg),
                                GPUOPT_FEW_(6, kArg),
                                GPUOPT_REDUCE_RESOURCES_OF_OP_(whole_line, kWholeThreads, 0),
                                GPUOPT_REDUCE_RESOURCES_OF_OP_(whole_line, kWholeThreads, 3),
                                GPUOPT_REDUCE_RESOURCES_OF_OP_(whole_line, kWholeThreads, 4),
                                GPUOPT_REDUCE_RESOURCES_OF_OP_(whole_line, kWholeThreads, 5),
                                GPUOPT_REDUCE_RESOURCES_OF_OP_(whole_line, kWholeThreads, 6)};
#undef GPUOPT_FEW_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "packed matrix as one line, 16-byte loads; blocks meet within the launch: deterministic", GPUOPT_ALL);
  k.workspace = workspace;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
