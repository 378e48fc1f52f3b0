// fused_act_tiles_vec: chains whose matrices lie in both layouts, tiles turned over as vectors of stored elements.
//
// Idea and data movement: a block holds a tile of 128 columns and 128 rows (64 where a matrix has elements of 4 bytes,
// 32 of 8), a thread four columns of four or eight rows. A matrix whose rows are contiguous is read and written
// directly; one whose columns are turns over on the way, in vectors on both sides (turned_tile.cuh), so an element
// costs a quarter of a load and a store of shared memory and at most half a byte permutation, in place of a load and a
// store of its own in computing type. Every tile is 33 KB at the most. The chain is interpreted as in fused_act_chain,
// once a thread. Tiles follow each other along the rows of out, so that what is written at one time is contiguous, and
// a block asks the second-level cache for the columns of x that a block half a wave later will read, unless they are of
// fp64.
//
// Needs: nothing. Every layout, leading dimension, alignment, extent, batch, type and stage, in place or not.
// Recorded (H200, 2026-11-21, single call, cold), x column-major, 8192 square, of copy: relu f32 95 %, bf16 88, i8 50,
// f64 78; bias, relu, scale 85, 72, 41, 69; gelu, tanh, silu 71, 46, 23, 54.

#include "common/descriptor.h"
#include "fused_act/cost.h"
#include "fused_act/turned_tile.cuh"

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

// Older devices need a few registers more for eight rows a thread.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 890
constexpr int kFewerTiles = 1;
#else
constexpr int kFewerTiles = 0;
#endif

template <class C, int kWarps, int kRuns, int kMost, bool kHasMatrices, int kBlocks>
__global__ void __launch_bounds__(kLanes *kWarps, kRuns > 4 ? kBlocks - kFewerTiles : kBlocks)
    fused_act_tiles_vec_kernel(const __grid_constant__ TileWork<C> work) {
  using Reader = TileReader<C, kWarps, kRuns, kMost, kHasMatrices>;
  __shared__ uint4 tile[Reader::kTileBytes / sizeof(uint4)];
  const Reader reader = {work, reinterpret_cast<uint32_t *>(tile)};
  const auto index = static_cast<int32_t>(blockIdx.x);
  if (work.ahead > 0 && index < work.tiles - work.ahead)
    prefetch_tile(reader, reader.place_of(index + work.ahead), work.steps.step[0].operand);
  run_steps<false>(work.steps, reader);
}

namespace {

constexpr char kName[] = "fused_act_tiles_vec";

template <class Type, int kWarpCount, int kRunCount, int kMostBytes, bool kHasMatrices, int kBlocks>
struct Tiles {
  using C = Type;
  using Reader = TileReader<Type, kWarpCount, kRunCount, kMostBytes, kHasMatrices>;
  static constexpr auto kEntry =
      fused_act_tiles_vec_kernel<Type, kWarpCount, kRunCount, kMostBytes, kHasMatrices, kBlocks>;
};
using Tiles16 = Tiles<float, 16, 8, 2, false, 2>;  // by the bits of the largest element of a matrix
using Tiles32 = Tiles<float, 16, 4, 4, true, 2>;
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
  return matrices || matrix_bytes > 2 ? f(Tiles32{}) : f(Tiles16{});
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
  if (problem->batch > 65535) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->batch, 65535, "batch"};
    return 0;
  }
  if (across > kMost || ceil_div(problem->m, kLeastRows) > kMost / (across > 0 ? across : 1)) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->m, kMost / (across > 0 ? across : 1) * kLeastRows,
               "rows of this length"};
    return 0;
  }
  return 1;
}

// Tiles past an edge are as much work as full ones. Where nothing turns, fused_act_chain does the same with less.
double predict_us(const gpuopt_problem *problem) {
  if (!turns(*problem)) return 0;
  return with_instance(*problem, [&](auto instance) {
    using Reader = typename decltype(instance)::Reader;
    const double tiles =
        static_cast<double>(ceil_div(problem->m, Reader::kRows)) * static_cast<double>(ceil_div(problem->n, kTileCols));
    const double used =
        static_cast<double>(problem->m) * static_cast<double>(problem->n) / (tiles * Reader::kRows * kTileCols);
    // A thread of eight rows takes longer from its first load to its last store, and cut tiles longer than whole ones.
    // In fp64 that is less than what fused_act_tiles takes.
    constexpr bool kWide = Reader::kRows == Tiles64::Reader::kRows, kEightRows = Reader::kRuns > 4;
    const double whole_us = kWide ? 2.8 : kEightRows ? 3.8 : 3.05, cut_us = kWide ? 0 : kEightRows ? 2.5 : 1.2;
    return pass_us(*problem, {whole_us + (used < 1 ? cut_us : 0), kEightRows ? 0.75 : 0.79, 180 / used, 35,
                              1.0 * Reader::kValues});
  });
}

gpuopt_resource kResources[] = {
    {Tiles16::Reader::kThreads, 0, reinterpret_cast<const void *>(Tiles16::kEntry)},
    {Tiles32::Reader::kThreads, 0, reinterpret_cast<const void *>(Tiles32::kEntry)},
    {Tiles64::Reader::kThreads, 0, reinterpret_cast<const void *>(Tiles64::kEntry)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = any_chain_descriptor(
      GPUOPT_OP_FUSED_ACT, kName, "any chain, matrices in both layouts: tiles turned in vectors of stored elements");
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
