// fused_act_tiles: chains whose matrices lie in both layouts; those that lie across out are transposed on the way.
//
// Idea and data movement: a block holds a tile of 128 columns and 128 rows (64 where a matrix has elements of 4 bytes,
// 32 of 8), a thread four columns of four or eight rows; 32 rows, too, where larger tiles would leave multiprocessors
// without work. A matrix whose rows are contiguous is read and written
// directly; one whose columns are is transposed as vectors of stored elements (transposed_tile.cuh), so an element
// costs a quarter of a load and a store of shared memory and at most half a byte permutation. Every tile is 33 KB at
// the most. The chain is interpreted as in fused_act_chain, once a thread. Tiles follow each other along the rows of
// out, so that what is written at one time is contiguous, and a block asks the second-level cache for the columns of x
// that a block half a wave later will read, unless they are of fp64.
//
// Needs: nothing. Every layout, leading dimension, alignment, extent, batch, type and stage, in place or not.
// Prediction: as fused_act_chain's, tiles past an edge being as much work as full ones; a large matrix of f32 should
// come within a fifth of a copy, 8-bit types are limited by their instructions.

#include "common/chain_descriptor.h"
#include "common/dtypes.cuh"
#include "fused_act/chain/figures.h"
#include "fused_act/chain/tile_reader.cuh"
#include "fused_act/common/cost.h"

namespace gpuopt {

// Asks for x's part of a tile: its columns, a memory line a thread.
template <class Reader>
__device__ __forceinline__ void prefetch_tile(const Reader &reader, const TilePlace &at, const View &x) {
  const int bytes = bytes_of(x.dtype), depth = (at.rows < Reader::kRows ? at.rows : Reader::kRows) * bytes;
  const int lines = (depth + 127) / 128;
  const char *from = static_cast<const char *>(x.data) + x.offset(blockIdx.y, at.first_row, at.first_col) * bytes;
  for (int line = thread_number(); line < kTileCols * lines; line += Reader::kThreads) {
    const int column = line / lines;
    if (column < at.cols) prefetch(from + (column * x.col_step * bytes + line % lines * 128));
  }
}

// Older devices and sm_120 need a few registers more for eight rows a thread.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 890 || __CUDA_ARCH__ >= 1200)
constexpr int kFewerTiles = 1;
#else
constexpr int kFewerTiles = 0;
#endif

template <class C, int kWarps, int kRuns, int kMost, bool kHasMatrices, int kBlocks>
__global__ void __launch_bounds__(kLanes *kWarps, kRuns > 4 ? kBlocks - kFewerTiles : kBlocks)
    fused_act_tiles_kernel(const __grid_constant__ TileWork<C> work) {
  using Reader = TileReader<C, kWarps, kRuns, kMost, kHasMatrices>;
  __shared__ uint4 tile[Reader::Tile::kTileBytes / sizeof(uint4)];
  const Reader reader = {work, {reinterpret_cast<uint32_t *>(tile)}};
  const auto index = static_cast<int32_t>(blockIdx.x);
  if (work.ahead > 0 && index < work.tiles - work.ahead)
    prefetch_tile(reader, reader.place_of(index + work.ahead), work.steps.step[0].operand);
  run_steps<false>(work.steps, reader);
}

namespace {

constexpr char kName[] = "fused_act_tiles";

template <class Type, int kWarpCount, int kRunCount, int kMostBytes, bool kHasMatrices, int kBlocks>
struct Tiles {
  using C = Type;
  using Reader = TileReader<Type, kWarpCount, kRunCount, kMostBytes, kHasMatrices>;
  static constexpr int kBlocksOfSm = kBlocks;
  static constexpr auto kEntry = fused_act_tiles_kernel<Type, kWarpCount, kRunCount, kMostBytes, kHasMatrices, kBlocks>;
};
using Tiles16 = Tiles<float, 16, 8, 2, false, 2>;  // by the bits of the largest element of a matrix
using Tiles32 = Tiles<float, 16, 4, 4, true, 2>;
using TilesSmall = Tiles<float, 8, 4, 4, true, 4>;
using Tiles64 = Tiles<double, 8, 4, 8, true, 2>;

// f(Tiles...{}): fp64 where the chain is, or an operand.
template <class F>
auto with_instance(const gpuopt_problem &problem, F &&f) {
  bool wide = problem.compute == GPUOPT_COMPUTE_F64, matrices = false;
  int matrix_bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  const auto see = [&](const gpuopt_operand &o, bool matrix) {
    wide = wide || dtype_bytes(o.m.dtype) > 4;
    if (matrix && dtype_bytes(o.m.dtype) > matrix_bytes) matrix_bytes = dtype_bytes(o.m.dtype);
  };
  see(problem.operand[GPUOPT_OPERAND_X], true);
  see(problem.operand[GPUOPT_OPERAND_OUT], true);
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    see(stage.a, is_matrix(stage));
    see(stage.b, false);
    matrices = matrices || (is_matrix(stage) && stage.kind != GPUOPT_STAGE_STORE);
  }
  if (wide) return f(Tiles64{});
  const bool by_four = matrices || matrix_bytes > 2;
  // Where large tiles leave multiprocessors without work, smaller ones; 2^31 tiles are refused.
  const int64_t tile_rows = by_four ? Tiles32::Reader::kRows : Tiles16::Reader::kRows;
  if (ceil_div(problem.m, tile_rows) * ceil_div(problem.n, kTileCols) * problem.batch < problem.device->sm_count)
    return f(TilesSmall{});
  return by_four ? f(Tiles32{}) : f(Tiles16{});
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_instance(*problem, [&](auto instance) { return load_kernel(launch, kName, decltype(instance)::kEntry); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_instance(*problem, [&](auto instance) {
    using Instance = decltype(instance);
    const int64_t across = ceil_div(problem->n, kTileCols),
                  tiles = ceil_div(problem->m, Instance::Reader::kRows) * across;
    const gpuopt_matrix &x = problem->operand[GPUOPT_OPERAND_X].m;
    const bool fetches = x.layout == GPUOPT_COL && dtype_bytes(x.dtype) <= 4;
    const TileWork<typename Instance::C> work = {make_steps<typename Instance::C>(*problem),
                                                 problem->m,
                                                 problem->n,
                                                 SmallDivider(across),
                                                 static_cast<int32_t>(tiles),
                                                 fetches ? launch->device->sm_count : 0};
    const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(problem->batch));
    return launch_kernel(launch, kName, grid, Instance::Reader::kThreads, 0, Instance::kEntry, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = int64_t{1} << 30, kLeastRows = Tiles64::Reader::kRows;
  const int64_t across = ceil_div(problem->n, kTileCols);
  if (problem->batch > 65535)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->batch, 65535, "batch");
  if (across > kMost || ceil_div(problem->m, kLeastRows) > kMost / (across > 0 ? across : 1))
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->m,
                  kMost / (across > 0 ? across : 1) * kLeastRows, "rows of this length");
  return 1;
}

// Where nothing is transposed, fused_act_chain does the same with less. A tile takes its latencies one after the other,
// as many tiles at one time as multiprocessors have room for; a cut one is moved vector by vector, as far as it exists.
double predict_us(const gpuopt_problem *problem) {
  const gpuopt_device_facts &device = *problem->device;
  if (!has_transposed(*problem)) return 0;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  return with_instance(*problem, [&](auto instance) {
    using Instance = decltype(instance);
    using Reader = typename Instance::Reader;
    const FusedActChainFigures &f = fused_act_chain_figures;
    const ElementCost element = element_cost(*problem);
    const int64_t m = problem->m, n = problem->n;
    const auto batch = static_cast<double>(problem->batch);
    const double tiles =
        static_cast<double>(ceil_div(m, Reader::kRows)) * static_cast<double>(ceil_div(n, kTileCols)) * batch;
    const double cut = tiles - static_cast<double>(m / Reader::kRows) * static_cast<double>(n / kTileCols) * batch;
    const double used = static_cast<double>(m) * static_cast<double>(n) * batch / (tiles * Reader::kRows * kTileCols);
    constexpr bool kWide = sizeof(typename Instance::C) == 8, kEightRows = Reader::kRuns > 4;
    constexpr bool kSmall = !kWide && Reader::kRows == TilesSmall::Reader::kRows;
    int unaligned = 0;
    const auto see = [&](const gpuopt_operand &o) {
      const int bytes = kSide * dtype_bytes(o.m.dtype);
      if (!is_aligned_to(o, bytes < 16 ? bytes : 16)) ++unaligned;
    };
    see(problem->operand[GPUOPT_OPERAND_X]);
    see(problem->operand[GPUOPT_OPERAND_OUT]);
    for (int32_t s = 0; s < problem->stage_count; ++s)
      if (is_matrix(problem->stage[s])) see(problem->stage[s].a);
    const double of_tile = kWide        ? f.tiles_wide_tile_us
                           : kSmall     ? f.tiles_small_tile_us
                           : kEightRows ? f.tiles_eight_tile_us
                                        : f.tiles_tile_us;
    const double tile_us = of_tile + f.tiles_stage_us * element.steps + f.tiles_operand_us * element.operands +
                           f.tiles_edge_us * element.matrices * cut / tiles;
    const double waves = tiles / (Instance::kBlocksOfSm * device.sm_count);
    const double matrix = Reader::kValues * element.matrices;
    const double thread = f.tiles_thread_instructions + f.tiles_stage_instructions * element.steps +
                          Reader::kValues * (element.instructions + element.vector_instructions / Reader::kRuns +
                                             f.tiles_transposed_instructions * element.transposed) +
                          matrix * f.tiles_matrix_instructions;
    const double edge = matrix * (f.tiles_edge_instructions + f.tiles_edge_used_instructions * used),
                 shifted = Reader::kValues * unaligned * f.tiles_unaligned_instructions;
    const double issue_us = Reader::kThreads * (tiles * thread + cut * edge + (tiles - cut) * shifted) /
                            (f.tiles_issue_share * 128.0 * device.sm_count * device.clock_mhz);
    const double memory_us = memory_us_of(element, device, f.tiles_share);
    return f.tiles_launch_us - behind_product_us(*problem) +
           overlapped_us(slower_of(issue_us, memory_us), tile_us * (waves > 1 ? waves : 1));
  });
}

gpuopt_resource kResources[] = {
    {Tiles16::Reader::kThreads, 0, reinterpret_cast<const void *>(Tiles16::kEntry)},
    {Tiles32::Reader::kThreads, 0, reinterpret_cast<const void *>(Tiles32::kEntry)},
    {TilesSmall::Reader::kThreads, 0, reinterpret_cast<const void *>(TilesSmall::kEntry)},
    {Tiles64::Reader::kThreads, 0, reinterpret_cast<const void *>(Tiles64::kEntry)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      any_chain_descriptor(GPUOPT_OP_FUSED_ACT, kName,
                           "any chain, matrices in both layouts: tiles transposed in vectors of stored elements");
  k.version = 2;
  k.aliases = "fused_act_tiles_vec";
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
