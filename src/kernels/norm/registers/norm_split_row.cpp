// norm_split_row: few rows, each in the registers of a cluster of blocks, or of one block.
//
// Idea and data movement: a row of some KB is a matter of latencies, not of bytes, and one multiprocessor is slow to read it. So a
// thread has one vector, with all that belongs to it, and a row as many threads as it has vectors, in as many blocks as that takes;
// weights are under way beside x, and the blocks' statistics meet once (norm/common/meet_blocks.cuh). Blocks come up while what
// precedes them still runs (early_rows.cuh). Residuals, sums, stages in either form, weights in fp32 and results in e4m3 are
// branches of one instance, for what a row has not costs few rows little; but code that is passed over is fetched as well, so
// aligned rows have instances of their own, and those with nothing behind the norm another. Rows of softmax that are longer have
// several vectors a thread.
//
// Needs: sm_90; x, residual, out, sum, gamma, beta and the stages' operands of one type (f32, f16, bf16), row-major, at any
// alignment; gamma and beta of 16-bit rows also in f32, out, without a residual, also in e4m3. Rows of up to 256 KB; of softmax
// without residual, sum and stages, of up to 672 KB, in fp32 1056 KB.
// Prediction: the latencies of a load, a join and a store, 2 to 3 us in a graph; where there are more blocks than multiprocessors have
// room for, behind every kernel whose blocks have neighbours to hide behind.
// arch class: performance
#include "common/cluster_places.h"
#include "common/wide_cluster.h"
#include "norm/common/early_row_launch.h"
#include "norm/common/row_linear.h"
#include "norm/registers/figures.h"
#include "norm/registers/split_row.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_split_row";
constexpr int64_t kMostRows = 1024;  // more of them keep any kernel busy

// What a shape is chosen by.
struct Facts {
  RowFacts row;
  int64_t vectors;  // whole ones: what else a row has where it does not begin at 16 bytes is an element a thread
  bool f32, aligned, alone, many;
  RowChain chain;
};
// Whether a thread may have several vectors.
bool may_have_many(const gpuopt_problem &problem) {
  return is_softmax(problem) && stands_alone(problem) && !has_residual(problem);
}
Facts facts_of(const gpuopt_problem &problem) {
  const int64_t vectors = problem.n / vector_elements(problem);
  return {row_facts(problem),    vectors > 0 ? vectors : 1, is_f32(problem),        all_aligned(problem),
          stands_alone(problem), may_have_many(problem),    make_row_chain(problem)};
}

struct Shape {
  int64_t each, threads;  // vectors of a thread at most; of a block
  int32_t blocks;         // of a cluster
};
int64_t most_threads(bool f32, bool many) { return many ? split_many_threads(f32) : kSplitThreads; }
int64_t most_vectors(bool f32, bool many) {  // of a block
  return most_threads(f32, many) * (many ? split_many_vectors(f32) : kSplitVectors);
}
// Threads of blocks of which the last has vectors, however many head and tail take. Its last warp has those (rows.cuh), and a layer
// norm's distances are from what a block's first warp has.
int64_t threads_with_vectors(int64_t vectors, int64_t threads) {
  constexpr int64_t kEnds = 3;  // of head and tail, at most
  const int64_t least = vectors > kEnds ? vectors - kEnds : 1;
  const auto fits = [&](int64_t of) { return ceil_div(vectors, of) == ceil_div(least, of); };
  int64_t more = threads;
  while (!fits(more) && more < kSplitThreads) more += 32;
  if (fits(more)) return more;
  while (!fits(threads)) threads -= 32;
  return threads;
}
// Of at most so many blocks, none of them without vectors.
Shape shape_of_blocks(const Facts &facts, bool many, int64_t most_blocks) {
  const int64_t of_block = ceil_div(facts.vectors, most_blocks);
  const int64_t each = many ? ceil_div(of_block, most_threads(facts.f32, true)) : kSplitVectors;
  int64_t threads = whole_warps(of_block, each);
  if (!facts.aligned && !many) threads = threads_with_vectors(facts.vectors, threads);
  return {each, threads, static_cast<int32_t>(ceil_div(facts.vectors, threads * each))};
}

// Registers of a thread, and blocks that a multiprocessor has room for.
double at_once_of(const gpuopt_problem &problem, const Facts &facts, const Shape &shape) {
  const int64_t one = (facts.f32 ? 32 : 40) + (facts.row.layernorm > 0 ? 8 : 0) + (facts.aligned ? 0 : 8);
  return blocks_of_sm(*problem.device, shape.threads, shape.each == 1 ? one : facts.f32 ? 80 : 72);
}

double shape_us(const gpuopt_problem &problem, const Facts &facts, const Shape &shape) {
  const auto &figures = norm_registers_figures;
  const gpuopt_device_facts &device = *problem.device;
  const RowFacts &f = facts.row;
  const auto each = static_cast<double>(shape.each), warps = static_cast<double>(shape.threads) / 32.0;
  const double instructions = row_instructions(f, each, facts.aligned, facts.chain.linear);
  const double row_us = figures.split_weight_us * f.weights + (facts.alone ? 0.0 : figures.split_chain_us) +
                        (facts.aligned ? 0.0 : figures.split_unaligned_us) + figures.split_warps_us * warps / 16.0 +
                        (shape.blocks > 1 ? figures.split_join_us + figures.split_block_us * shape.blocks : 0.0) +
                        (shape.each > 1 ? figures.split_many_us + figures.split_vector_us * (each - 1) : 0.0) +
                        instructions * figures.split_clocks / device.clock_mhz;
  const double at_once = at_once_of(problem, facts, shape), blocks = f.rows * shape.blocks / device.sm_count;
  const auto clusters = static_cast<double>(clusters_at_once(device, shape.blocks, at_once));
  return figures.split_launch_us + figures.split_place_us * blocks +
         in_waves_us(moving_us(device, f.read_bytes + f.written_bytes), waves_of(f.rows, clusters), row_us,
                     issuing_us(device, fullest(blocks, at_once) * warps * instructions));
}

struct Plan {
  Facts facts;
  Shape shape;
  double us;
};
// The best shape: few blocks where rows are many, many where they are few.
Plan plan_of(const gpuopt_problem &problem) {
  constexpr int32_t kBlocks[] = {1, 2, 4, 6, 8, kMostSplitBlocks};
  Plan plan = {facts_of(problem), {}, 0};
  const Facts &facts = plan.facts;
  for (const bool many : {false, true}) {
    if (many && !facts.many) continue;
    const int64_t least = ceil_div(facts.vectors, most_vectors(facts.f32, many));
    if (least > kMostSplitBlocks) continue;
    const auto consider = [&](int64_t blocks) {
      const Shape shape = shape_of_blocks(facts, many, blocks);
      if (many && shape.each == 1) return;
      const double us = shape_us(problem, facts, shape);
      if (plan.shape.blocks != 0 && us >= plan.us) return;
      plan.shape = shape;
      plan.us = us;
    };
    consider(least);
    for (const int32_t blocks : kBlocks) {
      if (blocks > least) consider(blocks);
    }
  }
  return plan;
}

// f(T's tag, the kernel, blocks, threads, what it takes after the work).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, const Plan &plan, F &&f) {
  const Shape &shape = plan.shape;
  const int64_t blocks = problem.m * problem.batch * shape.blocks;
  if (shape.each > 1) {
    return with_row_type(problem, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return problem.variant == GPUOPT_NORM_SOFTMAX
                 ? f(tag, norm_split_softmax_kernel<T, GPUOPT_NORM_SOFTMAX>, blocks, shape.threads)
                 : f(tag, norm_split_softmax_kernel<T, GPUOPT_NORM_LOG_SOFTMAX>, blocks, shape.threads);
    });
  }
  return with_row_instance(problem, row_mode(problem), [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    constexpr bool kAny = decltype(mode)::value == kRowAny;
    if constexpr (!kAny) {
      if (plan.facts.alone)
        return f(tag, norm_split_row_kernel<T, kNorm, false, NoChain>, blocks, shape.threads, NoChain{});
    }
    return f(tag, norm_split_row_kernel<T, kNorm, kAny, RowChain>, blocks, shape.threads, plan.facts.chain);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Plan plan = plan_of(*problem);
  return with_kernel(*problem, plan, [&](auto, auto kernel, int64_t, int64_t threads, auto &&...) {
    const gpuopt_status status = load_kernel(launch, kName, kernel);
    if (status != GPUOPT_OK) return status;
    return allow_cluster(launch, kName, reinterpret_cast<const void *>(kernel), plan.shape.blocks, threads, 0);
  });
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Plan plan = plan_of(*problem);
  const int32_t blocks = plan.shape.blocks;
  return with_kernel(*problem, plan, early_row_launcher(*problem, launch, kName, 0, blocks > 1 ? blocks : 0));
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!chain_fits(*problem, reject)) return 0;
  const int64_t most = kMostSplitBlocks * most_vectors(is_f32(*problem), may_have_many(*problem));
  if (!row_can_run(problem, most, reject, true)) return 0;
  if (problem->batch == 0 || problem->m <= kMostRows / problem->batch) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->m, kMostRows / problem->batch, "rows");
}

double predict_us(const gpuopt_problem *problem) {
  if (!is_known(*problem->device)) return 0;
  if (has_no_elements(*problem)) return norm_registers_figures.split_launch_us;
  return plan_of(*problem).us;
}

#define GPUOPT_SPLIT_ROW_(T, norm, any, Chain) \
  {kSplitThreads, 0, reinterpret_cast<const void *>(norm_split_row_kernel<T, norm, any, Chain>)},
#define GPUOPT_SPLIT_SOFTMAX_(T, norm, V) \
  {split_many_threads(sizeof(T) == 4), 0, reinterpret_cast<const void *>(norm_split_softmax_kernel<T, norm>)},
gpuopt_resource kResources[] = {GPUOPT_SPLIT_ROW_INSTANCES(GPUOPT_SPLIT_ROW_)  //
                                GPUOPT_SPLIT_SOFTMAX_INSTANCES(GPUOPT_SPLIT_SOFTMAX_)};
#undef GPUOPT_SPLIT_ROW_
#undef GPUOPT_SPLIT_SOFTMAX_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      stages_row_kernel(kName, "few rows, each in the registers of a cluster of blocks, then stages", kMostChainStages);
  k.cc_min = 90;
  k.cc_max = 119;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
