// norm_cluster_row: a cluster of two to sixteen blocks holds a row; for rows of 8 KB to 3 MB (sm_90).
//
// Idea and data movement: bulk copies bring each block's piece to shared memory in a few chunks: statistics are made of
// each as it arrives, and elements are read a second time when the whole row's are known. No thread holds more than a
// vector, so there is room for other clusters' pieces, whose loads are under way while one joins its statistics. Each
// block brings its statistics to all blocks' shared memory (norm/common/meet_blocks.cuh), which join them in the same order.
// So a row of 262,144 elements is still read once. Rows that begin anywhere are cut at x's vectors; the few elements before and
// behind are a thread's each.
//
// Needs: sm_90; x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major, at any alignment; no stages.
// Prediction: read once and written once; far behind a copy's rate, as a row waits for the slowest of its blocks and all
// clusters read all weights, from the second-level cache. Faster than a block a row where rows are few.

#include "common/wide_cluster.h"
#include "norm/common/hiding.h"
#include "norm/common/row_launch.h"
#include "norm/shared/cluster_row.h"
#include "norm/shared/figures.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "norm_cluster_row";
// A piece of 64 KB leaves room for two more on an SM; a cluster of more than eight blocks is hard to place, and yet better than
// pieces that leave room for none: then loads and stores of a multiprocessor take turns.
constexpr int64_t kGoodPiece = 64 * 1024, kPairedPiece = 108 * 1024, kMostPiece = 208 * 1024;
constexpr int kGoodBlocks = 8;
constexpr int64_t kLeastThreads = 256;  // of a block

int64_t tiles_of(const gpuopt_problem &problem) {  // in a block's memory
  return has_residual(problem) ? 2 : 1;
}

// Blocks of an SM for whose pieces it has memory.
int64_t blocks_by_memory(int64_t bytes) {
  constexpr int64_t kShared = 227 * 1024, kBeside = 1700;
  const int64_t fit = kShared / (bytes + kBeside);
  return fit < 1 ? 1 : fit;
}

struct Shape {
  int blocks;
  unsigned threads;
  int64_t piece, bytes;  // piece: vectors
};
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t vectors = row_vectors(problem), vector_bytes = 16 * tiles_of(problem);
  Shape shape = {};
  shape.blocks = 2;
  const auto widen = [&](int most, int64_t bytes) {
    while (shape.blocks < most && ceil_div(vectors, shape.blocks) * vector_bytes > bytes) shape.blocks *= 2;
  };
  widen(kGoodBlocks, kGoodPiece);
  widen(kMostClusterBlocks, kPairedPiece);
  shape.piece = ceil_div(vectors, shape.blocks);
  shape.bytes = shape.piece * vector_bytes;
  // As many as leave room for all blocks that memory holds, if there are as many: rows at different points of their way.
  constexpr int64_t kThreads = 2048;
  const int64_t sms = problem.device->sm_count > 0 ? problem.device->sm_count : 1;
  const int64_t of_sm = ceil_div(problem.m * problem.batch * shape.blocks, sms), fit = blocks_by_memory(shape.bytes);
  int64_t most = kThreads / (of_sm < fit ? of_sm : fit) / 32 * 32;
  if (most > kClusterRowThreads) most = kClusterRowThreads;
  if (most < kLeastThreads) most = kLeastThreads;
  const int64_t threads = whole_warps(shape.piece, 4);
  shape.threads = static_cast<unsigned>(threads < most ? threads : most);
  return shape;
}

// f(T's tag, the kernel).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, row_mode(problem), [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    constexpr bool kAny = decltype(mode)::value == kRowAny;
    if (tiles_of(problem) > 1) return f(tag, norm_cluster_row_kernel<T, kNorm, true, true>);
    return f(tag, norm_cluster_row_kernel<T, kNorm, kAny, false>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, [&](auto, auto kernel) {
    const gpuopt_status status = load_kernel(launch, kName, kernel, kMostPiece);
    if (status != GPUOPT_OK) return status;
    return allow_cluster(launch, kName, reinterpret_cast<const void *>(kernel), shape.blocks, shape.threads,
                         shape.bytes);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    const LaunchAttributes cluster = {false, shape.blocks};
    const dim3 grid(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(problem->m),
                    static_cast<unsigned>(problem->batch));
    return launch_kernel(cluster, launch, kName, grid, dim3(shape.threads), static_cast<size_t>(shape.bytes), kernel,
                         make_row_work<typename decltype(tag)::type>(*problem), static_cast<int32_t>(shape.piece));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!row_can_run(problem, kMostPiece / (16 * tiles_of(*problem)) * kMostClusterBlocks, reject)) return 0;
  if (problem->m <= 65535 && problem->batch <= 65535) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->m > 65535 ? problem->m : problem->batch,
                65535, problem->m > 65535 ? "rows" : "batch");
}

// Blocks of an SM, by registers and threads, and by the memory of their pieces.
double resident_of(const gpuopt_problem &problem, const Shape &shape) {
  const double blocks = blocks_of_sm(*problem.device, shape.threads, is_softmax(problem) ? 32 : 40);
  const auto fit = static_cast<double>(blocks_by_memory(shape.bytes));
  return fit < blocks ? fit : blocks;
}

double operands_otherwise(const gpuopt_problem &problem) {
  const gpuopt_operand *const o = problem.operand;
  int count = 0;
  for (const int operand : {GPUOPT_OPERAND_OUT, GPUOPT_OPERAND_RESIDUAL, GPUOPT_OPERAND_SUM})
    count += o[operand].m.dtype != 0 && begins_otherwise(o[operand], o[GPUOPT_OPERAND_X]) ? 1 : 0;
  return count;
}

// All blocks of a cluster are on multiprocessors of one group of 16 or so, of which it fills a whole number of times.
double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_shared_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.tile_launch_us;
  const Shape shape = shape_of(*problem);
  const RowFacts f = row_facts(*problem);
  // Rows are cut at x's vectors; operands whose rows begin otherwise go element by element.
  const double by_elements = operands_otherwise(*problem) * single_share(*problem);
  const double resident = resident_of(*problem, shape), blocks = f.rows * shape.blocks / device.sm_count;
  constexpr double kGroup = 16.5;
  const double groups = std::floor(device.sm_count / kGroup), of_group = std::floor(kGroup * resident / shape.blocks);
  const double waves = waves_of(f.rows, groups * (of_group < 1 ? 1.0 : of_group));
  const double vectors = static_cast<double>(shape.piece) / static_cast<double>(shape.threads);
  const double instructions = row_instructions(f, vectors, all_aligned(*problem), false) +
                              by_elements * vectors * f.elements * figures.tile_single_instructions;
  const double share = shape.blocks / static_cast<double>(kMostClusterBlocks), warps = shape.threads / 32.0;
  const double launch_us = figures.tile_launch_us + blocks * figures.tile_place_us;
  const double row_us = figures.tile_start_us + figures.tile_cluster_us * share + figures.tile_weight_us * f.weights +
                        (figures.tile_vector_us + figures.tile_weight_vector_us * f.weights) * vectors +
                        instructions * figures.tile_clocks / device.clock_mhz;
  // An element a lane, 16 bytes apart: half a line of memory in 16 pieces.
  const double singles_us = by_elements * fullest(blocks, resident) * warps * vectors * f.elements *
                            figures.tile_single_clocks / device.clock_mhz;
  // The first wave's rows are seen whole; those of later waves and instructions hide behind bytes.
  const double issue_us = issuing_us(device, fullest(blocks, resident) * warps * instructions) + singles_us;
  return launch_us + row_us +
         hiding_us(moving_us(device, f.read_bytes + f.written_bytes), together_us(0, (waves - 1) * row_us, issue_us));
}

#define GPUOPT_ENTRY_(T, norm, any, adds) \
  {kClusterRowThreads, kGoodPiece, reinterpret_cast<const void *>(norm_cluster_row_kernel<T, norm, any, adds>)},
gpuopt_resource kResources[] = {GPUOPT_CLUSTER_ROW_INSTANCES(GPUOPT_ENTRY_)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of up to 3 MB held by a cluster of blocks");
  k.version = 3;
  k.cc_min = 90;
  k.cc_max = 119;  // not measured, and not needed, on the small chips of sm_120
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
