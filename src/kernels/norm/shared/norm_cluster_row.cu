// norm_cluster_row: a cluster of two to sixteen blocks holds a row; for rows of 8 KB to 3 MB (sm_90).
//
// Idea and data movement: bulk copies bring each block's piece to shared memory in a few chunks: statistics are made of
// each as it arrives, and elements are read a second time when the whole row's are known. No thread holds more than a
// vector, so there is room for other clusters' pieces and for a second row: where there are rows enough clusters stay, and
// the next row's loads are under way while one is joined and written. Each block leaves its statistics in its shared
// memory; after a barrier of the cluster all read those of all through distributed shared memory and join them in the same
// order. So a row of 262,144 elements is still read once. Rows that begin anywhere are cut at x's vectors; the few
// elements before and behind are a thread's each.
//
// Needs: sm_90; x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major, at any alignment; no stages.
// Prediction: read once and written once; far behind a copy's rate, as a row waits for the slowest of its blocks and all
// clusters read all weights, from the second-level cache. Faster than a block a row where rows are few.

#include "norm/common/row_launch.h"
#include "norm/shared/cluster_row.h"
#include "norm/shared/figures.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "norm_cluster_row";
// Of a piece of 54 KB, two rows of two blocks have room on an SM; one row of three does of 64 KB. A cluster of more than
// eight blocks is hard to place.
constexpr int64_t kTwicePiece = 54 * 1024, kGoodPiece = 64 * 1024, kMostPiece = 208 * 1024;
constexpr int kGoodBlocks = 8;

int64_t tiles_of(const gpuopt_problem &problem) {  // in a block's memory
  return problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0 ? 2 : 1;
}

// Where there are enough rows, clusters stay, and the next row of each is under way while it works on one.
constexpr int64_t kRowsToStay = 4;

struct Shape {
  int blocks;
  unsigned threads;
  int64_t piece, bytes;  // piece: vectors; bytes: of a block's rows
  int64_t clusters;
  double resident, at_once;  // blocks of an SM, clusters of the device
  int stages;
};
// Blocks of an SM, by registers and threads, and by the memory of their pieces; clusters, whose blocks are all on
// multiprocessors of one group of 16 or so.
void place_stages(const gpuopt_problem &problem, int stages, Shape &shape) {
  constexpr int64_t kShared = 227 * 1024, kBeside = 2700;
  constexpr double kGroup = 16.5;
  shape.stages = stages;
  shape.bytes = shape.piece * 16 * tiles_of(problem) * stages;
  const double blocks = blocks_of_sm(*problem.device, shape.threads, 64);
  const auto fit = static_cast<double>(kShared / (shape.bytes + kBeside));
  shape.resident = fit < 1 ? 1 : fit < blocks ? fit : blocks;
  const double groups = std::floor(problem.device->sm_count / kGroup);
  const double of_group = std::floor(kGroup * shape.resident / shape.blocks);
  shape.at_once = (groups < 1 ? 1.0 : groups) * (of_group < 1 ? 1.0 : of_group);
}
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t vectors = row_vectors(problem), vector_bytes = 16 * tiles_of(problem);
  const int64_t rows = problem.m * problem.batch;
  Shape shape = {};
  shape.blocks = 2;
  const auto piece_fits = [&](int64_t bytes) { return ceil_div(vectors, shape.blocks) * vector_bytes <= bytes; };
  while (shape.blocks < kGoodBlocks && !piece_fits(kGoodPiece)) shape.blocks *= 2;
  while (shape.blocks < kMostBlocks && !piece_fits(kMostPiece)) shape.blocks *= 2;
  shape.piece = ceil_div(vectors, shape.blocks);
  const int64_t threads = whole_warps(shape.piece, 4);
  shape.threads = static_cast<unsigned>(threads < kClusterRowThreads ? threads : kClusterRowThreads);
  place_stages(problem, 2, shape);
  const bool stay = piece_fits(kTwicePiece) && static_cast<double>(rows) >= kRowsToStay * shape.at_once;
  if (!stay) place_stages(problem, 1, shape);
  constexpr int64_t kMostClusters = 65535;
  shape.clusters = stay ? static_cast<int64_t>(shape.at_once) : rows < kMostClusters ? rows : kMostClusters;
  return shape;
}

// f(T's tag, the kernel).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, row_mode(problem), [&](auto tag, auto norm, auto mode) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    constexpr bool kAny = decltype(mode)::value == kRowAny;
    if (tiles_of(problem) > 1) return f(tag, norm_cluster_row_kernel<T, kNorm, true>);
    return f(tag, norm_cluster_row_kernel<T, kNorm, kAny>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel) {
    const gpuopt_status status = load_kernel(launch, kName, kernel, kMostPiece);
    if (status != GPUOPT_OK) return status;
    // More than 8 blocks a cluster are not portable, but Hopper and later datacenter chips have 16.
    return cuda_status(launch, kName,
                       set_function_attribute(reinterpret_cast<const void *>(kernel),
                                              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    const LaunchAttributes cluster = {false, shape.blocks};
    const dim3 grid(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.clusters));
    return launch_kernel(cluster, launch, kName, grid, dim3(shape.threads), static_cast<size_t>(shape.bytes), kernel,
                         make_row_work<typename decltype(tag)::type>(*problem), static_cast<int32_t>(shape.piece),
                         static_cast<int32_t>(shape.stages));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  return row_can_run(problem, kMostPiece / (16 * tiles_of(*problem)) * kMostBlocks, reject);
}

double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_shared_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.tile_launch_us;
  const Shape shape = shape_of(*problem);
  const RowFacts f = row_facts(*problem);
  const double by_elements = f.single_loads > 0 ? 1 : 0;  // rows are cut at x's vectors, and out's begin otherwise
  const double blocks = f.rows * shape.blocks / device.sm_count, waves = waves_of(f.rows, shape.at_once);
  const double vectors = static_cast<double>(shape.piece) / static_cast<double>(shape.threads);
  const double instructions = row_instructions(f, vectors, all_aligned(*problem), false) +
                              by_elements * vectors * f.elements * figures.tile_single_instructions;
  const double share = shape.blocks / static_cast<double>(kMostBlocks), warps = shape.threads / 32.0;
  const double launch_us = figures.tile_launch_us + blocks * figures.tile_place_us;
  const double row_us = figures.tile_start_us + figures.tile_cluster_us * share + figures.tile_weight_us * f.weights +
                        (figures.tile_vector_us + figures.tile_weight_vector_us * f.weights) * vectors +
                        instructions * figures.tile_clocks / device.clock_mhz;
  return launch_us + in_waves_us(moving_us(device, f.read_bytes + f.written_bytes), waves, row_us,
                                 issuing_us(device, fullest(blocks, shape.resident) * warps * instructions));
}

#define GPUOPT_ENTRY_(T, norm, any) \
  {kClusterRowThreads, kGoodPiece, reinterpret_cast<const void *>(norm_cluster_row_kernel<T, norm, any>)},
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, false)  //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, true)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of up to 3 MB held by a cluster of blocks");
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
