// gemm_naive: one thread computes one element of D, with A and B read straight from global memory.
//
// Idea and data movement: a warp holds 32 neighbours in a row of D. At each step of k its threads read the
// same element of A (one broadcast) and, where B is row-major, 32 neighbours of B (one 128-byte line of
// fp32), so every multiply-add costs two loads that only the L1 cache makes bearable. A column-major B costs
// 32 lines a step instead. A block is 8 such warps one above the other, which share B's lines; blocks walk D
// in stripes of 128 rows.
//
// Scales of blocks (fp8): a sum for each 128 of k, multiplied by its two scales, by a function of its own.
// Needs: nothing. Every layout, leading dimension, extent, batch, type, scale and stage: the fallback on
// every GPU.
// Prediction: a load an operand and multiply-add: a few per cent of the fp32 peak; with a column-major B a fifth of that.

#include "common/dtypes.cuh"
#include "common/launch.h"
#include "gemm/common/gemm_order.h"
#include "gemm/common/simt_element.cuh"
#include "gemm/ladder/fallback_time.h"

namespace gpuopt {

constexpr int kNaiveTileM = 8, kNaiveTileN = 32, kNaiveStripe = 16;
constexpr int kNaiveThreads = kNaiveTileM * kNaiveTileN;

template <class Acc>
__global__ void __launch_bounds__(kNaiveThreads) gemm_naive_kernel(const __grid_constant__ SimtGemm<Acc> gemm) {
  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t i = tile.row * kNaiveTileM + threadIdx.x / kNaiveTileN;
    const int64_t j = tile.col * kNaiveTileN + threadIdx.x % kNaiveTileN;
    if (i >= gemm.m || j >= gemm.n) continue;

    Acc acc[1];
    simt_element(gemm, tile.p, i, j, acc);
    gemm_epilogue(gemm.epilogue, Run{tile.p, i, j, 0, 0, 1}, acc);
  }
}
// The same with scales of blocks.
__global__ void __launch_bounds__(kNaiveThreads) gemm_naive_blocks_kernel(const __grid_constant__ SimtBlocks blocks) {
  const SimtGemm<float> &gemm = blocks.gemm;
  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t i = tile.row * kNaiveTileM + threadIdx.x / kNaiveTileN;
    const int64_t j = tile.col * kNaiveTileN + threadIdx.x % kNaiveTileN;
    if (i >= gemm.m || j >= gemm.n) continue;

    float acc[1];
    simt_element(blocks, tile.p, i, j, acc);
    gemm_epilogue(gemm.epilogue, Run{tile.p, i, j, 0, 0, 1}, acc);
  }
}

namespace {

TileSpace naive_tiles(const gpuopt_problem &problem) {
  return TileSpace(problem.m, problem.n, problem.batch, kNaiveTileM, kNaiveTileN, kNaiveStripe);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (has_block_scales(*problem)) return load_kernel(launch, "gemm_naive", gemm_naive_blocks_kernel);
  return with_accumulator(
      *problem, [&](auto zero) { return load_kernel(launch, "gemm_naive", gemm_naive_kernel<decltype(zero)>); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const TileSpace tiles = naive_tiles(*problem);
  if (has_block_scales(*problem))
    return launch_kernel(launch, "gemm_naive", tiles.blocks(), kNaiveThreads, 0, gemm_naive_blocks_kernel,
                         make_simt_blocks(*problem, tiles));
  return with_accumulator(*problem, [&](auto zero) {
    using Acc = decltype(zero);
    return launch_kernel(launch, "gemm_naive", tiles.blocks(), kNaiveThreads, 0, gemm_naive_kernel<Acc>,
                         make_simt_gemm<Acc>(*problem, tiles));
  });
}

// A block of 8 warps takes each step of k together; where B is column-major a warp's lanes read a sector each, of which
// L1 keeps some. Sectors of A and B that a step touches anew are waited for.
double predict_us(const gpuopt_problem *problem) {
  const GemmLadderFigures &g = gemm_ladder_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  constexpr double kSector = 32, kBlocks = 8;
  const gpuopt_operand &a = problem->operand[GPUOPT_OPERAND_A], &b = problem->operand[GPUOPT_OPERAND_B];
  const LadderFactors type = GPUOPT_LADDER_TYPE_FACTORS(naive, *problem);
  const GemmDemand demand = gemm_demand(*problem);
  const double size_a = dtype_bytes(a.m.dtype), size_b = dtype_bytes(b.m.dtype);
  const double n = static_cast<double>(problem->n), k = static_cast<double>(problem->k);
  const double columns = static_cast<double>(ceil_div(problem->n, kNaiveTileN));
  const double tiles =
      static_cast<double>(ceil_div(problem->m, kNaiveTileM)) * columns * static_cast<double>(problem->batch);
  const double rows = static_cast<double>(std::min<int64_t>(problem->m, kNaiveTileM)), lanes = n / columns;
  const bool a_col = a.m.layout == GPUOPT_COL, b_col = b.m.layout == GPUOPT_COL;

  const double line_b = static_cast<double>(b.m.ld) * size_b;  // from column to column, or row to row
  double step = g.naive_step_clocks * type.clocks * rows / kNaiveTileM;
  if (b_col) {
    const bool conflicts = b.m.ld * static_cast<int64_t>(size_b) % 128 == 0;
    const double columns_read = (g.naive_column_factor + g.naive_column_4_bytes_factor * size_b / 4) * lanes /
                                kNaiveTileN * std::min(1.0, line_b / g.naive_column_bytes);
    step *= 1 + columns_read * (conflicts ? 1 + g.naive_conflict_factor * std::min(1.0, k * size_b / 64) : 1);
  }
  const double per_sm = std::ceil(tiles / device.sm_count);
  const double busy = per_sm * (k * step + rows * lanes * demand.epilogue_clocks);
  const double new_a = a_col ? std::min(1.0, static_cast<double>(a.m.ld) * size_a / kSector) : size_a / kSector;
  const double new_b = b_col ? size_b / kSector : std::min(1.0, line_b / kSector);
  // Few warps of a block read at a time what the others then find in L1.
  const double wait = type.wait * (1 + g.naive_few_rows_factor * (1 - rows / kNaiveTileM)) *
                      (g.naive_latency_clocks + g.naive_a_miss_clocks * new_a + g.naive_b_miss_clocks * new_b +
                       (b_col ? g.naive_column_clocks * lanes / kNaiveTileN : 0));
  const double chain = std::ceil(per_sm / kBlocks) * (k * wait + g.naive_block_clocks);
  return g.naive_us + overlapped_us(busy / device.clock_mhz, chain / device.clock_mhz,
                                    demand.bytes() / (g.naive_memory_share * device.memory_gbs * 1e3),
                                    g.naive_sharpness);
}

constexpr gpuopt_kernel gemm_naive() {
  gpuopt_kernel kernel = simt_gemm_kernel("gemm_naive", "a thread an element, A and B from global memory");
  kernel.understands |= GPUOPT_FEATURE_BATCH_INVARIANT | GPUOPT_FEATURE_BLOCK_SCALES;
  kernel.can_run = gemm_order_can_run<GemmOrder::chain>;
  set_functions(kernel, predict_us, prepare, launch,
                kResourcesOf<kNaiveThreads, 0, gemm_naive_kernel<float>, gemm_naive_kernel<double>,
                             gemm_naive_kernel<int32_t>, gemm_naive_blocks_kernel>);
  return kernel;
}
const gpuopt_kernel kKernels[] = {gemm_naive()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
