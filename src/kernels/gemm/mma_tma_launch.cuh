// From a descriptor to a launch: the gemm_mma_tma_* kernels on the host.
#ifndef GPUOPT_KERNELS_GEMM_MMA_TMA_LAUNCH_CUH
#define GPUOPT_KERNELS_GEMM_MMA_TMA_LAUNCH_CUH

#include "common/tensor_map.h"
#include "gemm/mma_launch.cuh"
#include "gemm/mma_tma.cuh"

namespace gpuopt {

struct MmaTmaPlan {
  MmaPlan plan;
  int64_t blocks, tiles, whole;  // whole: MmaTmaGemm
  size_t sums_bytes, pieces_bytes;
};

// Blocks take tiles in turn, as many at a time as the SMs hold. The last, partly empty wave is cut among all of them
// where that gains more than the adding of its pieces costs.
template <class Tile>
MmaTmaPlan plan_mma_tma(const gpuopt_problem &problem) {
  constexpr int64_t kLeastShare = 8;  // stages of a block
  const gpuopt_device_facts &device = *problem.device;
  const int64_t blocks = int64_t{Tile::kBlocks} * std::max(device.sm_count, 1);
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500;
  const int64_t stages = ceil_div(problem.k, Tile::kDepth);
  MmaTmaPlan p = {};
  p.plan.splits = 1;
  p.plan.to_scratch = !mma_stores_directly(problem, false);
  p.sums_bytes = p.plan.to_scratch ? (gemm_partials_bytes(problem, 1, 4) + 255) / 256 * 256 : 0;
  p.tiles = ceil_div(problem.m, Tile::kM) * ceil_div(problem.n, Tile::kN) * problem.batch;
  p.whole = p.tiles;
  p.blocks = std::min(p.tiles, blocks);

  const int64_t tail = p.tiles % blocks;
  const double end_us = Tile::kSpeed.fill_clocks / clock, stage_us = Tile::kSpeed.busy_clocks / clock;
  const double tile_us = static_cast<double>(stages) * stage_us + end_us;
  double us = static_cast<double>(ceil_div(p.tiles, blocks)) * tile_us;
  if (tail != 0 && tail * stages >= kLeastShare * blocks) {
    const size_t bytes = static_cast<size_t>(tail + blocks) * Tile::kM * Tile::kN * 4;
    const double share_us = static_cast<double>(tail * stages) / static_cast<double>(blocks) * stage_us + 2 * end_us;
    const double adding_us = 4 + static_cast<double>(bytes) / 6e6;
    const double cut_us = static_cast<double>(p.tiles / blocks) * tile_us + share_us + adding_us;
    if (cut_us < us && p.sums_bytes + bytes <= problem.workspace_limit) {
      us = cut_us;
      p.whole = p.tiles - tail;
      p.blocks = blocks;
      p.pieces_bytes = bytes;
    }
  }
  // Where memory is what takes the time, two thirds of its rate are reached (128 x 8192 x 28672, 16384 x 16384 x 64).
  const double bytes = static_cast<double>(problem.batch) * 2 *
                       (static_cast<double>(problem.m) * static_cast<double>(problem.k) +
                        static_cast<double>(problem.k) * static_cast<double>(problem.n) +
                        static_cast<double>(problem.m) * static_cast<double>(problem.n));
  if (device.memory_gbs > 0) us = std::max(us, bytes / (0.66e3 * device.memory_gbs));
  p.plan.us = Tile::kSpeed.start_us + (p.plan.to_scratch ? finish_gemm_us(problem, 1, 4) : 0) + us;
  return p;
}

template <class Tile>
using MmaTmaFunction = void (*)(CUtensorMap, CUtensorMap, MmaTmaGemm);
template <class Tile>
MmaTmaFunction<Tile> mma_tma_function(const gpuopt_problem &problem) {
  const bool a = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW;
  const bool b = problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_COL;
  if (a) return b ? gemm_mma_tma_kernel<Tile, true, true> : gemm_mma_tma_kernel<Tile, true, false>;
  return b ? gemm_mma_tma_kernel<Tile, false, true> : gemm_mma_tma_kernel<Tile, false, false>;
}

// The layouts of A and B do not matter to the sums' places.
template <class Tile>
using MmaTmaTailWarp = MmaWarp<Tile, true, true>;

template <class Tile>
int mma_tma_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!mma_can_run<Tile>(problem, reject)) return 0;
  constexpr int64_t kMostTiles = (int64_t{1} << 31) - 4096;  // of all matrices
  const int64_t tiles = ceil_div(problem->m, Tile::kM) * ceil_div(problem->n, Tile::kN);
  if (tiles > 0 && problem->batch > kMostTiles / tiles) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->batch, kMostTiles / tiles, "batch"};
    return 0;
  }
  constexpr int64_t kMostBytes = (int64_t{1} << 40) - 1;
  for (const int operand : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B}) {
    const gpuopt_matrix &m = problem->operand[operand].m;
    const int64_t longest = std::max(m.ld, m.batch_stride);
    if (longest <= kMostBytes / static_cast<int64_t>(sizeof(typename Tile::A))) continue;
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, operand, longest, kMostBytes / static_cast<int64_t>(sizeof(typename Tile::A)),
               "ld or batch_stride"};
    return 0;
  }
  return 1;
}

template <class Tile>
double mma_tma_predict_us(const gpuopt_problem *problem) {
  return plan_mma_tma<Tile>(*problem).plan.us;
}

template <class Tile>
void mma_tma_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const MmaTmaPlan plan = plan_mma_tma<Tile>(*problem);
  *scratch = plan.sums_bytes + plan.pieces_bytes;
  *zeroed = 0;
}

template <class Tile>
gpuopt_status mma_tma_prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, Tile::kName);
  gpuopt_status status = load_kernel(launch, Tile::kName, mma_tma_function<Tile>(*problem), Tile::kShared);
  if (status == GPUOPT_OK) status = load_kernel(launch, Tile::kName, gemm_mma_tail_kernel<Tile, MmaTmaTailWarp<Tile>>);
  return status == GPUOPT_OK ? load_finish_gemm<typename Tile::Sum>(launch) : status;
}

// The operand in boxes: k contiguous, the whole tile is one; else panels of 128 bytes of m or n.
template <class Tile>
bool encode_mma_operand(CUtensorMap *map, const gpuopt_operand &operand, int64_t batch, bool k_major, int extent) {
  const gpuopt_matrix &m = operand.m;
  constexpr int kSize = static_cast<int>(sizeof(typename Tile::A));
  const bool row = m.layout == GPUOPT_ROW;
  return encode_tensor_map(map, m.data, kSize, row ? m.cols : m.rows, row ? m.rows : m.cols, m.ld * kSize, batch,
                           m.batch_stride * kSize, k_major ? extent : Tile::kDepth);
}

template <class Tile>
gpuopt_status mma_tma_launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const MmaTmaPlan p = plan_mma_tma<Tile>(*problem);
  MmaTmaGemm gemm = {};
  static_cast<MmaGemm &>(gemm) = mma_gemm<Tile>(*problem, p.plan, launch->scratch);
  gemm.tiles = static_cast<uint32_t>(p.tiles);
  gemm.whole = static_cast<uint32_t>(p.whole);
  gemm.pieces = reinterpret_cast<float *>(static_cast<char *>(launch->scratch) + p.sums_bytes);
  const int64_t tail = p.tiles - p.whole, tail_stages = tail * ceil_div(problem->k, Tile::kDepth);
  gemm.tail_share = static_cast<uint32_t>(tail_stages / p.blocks);
  gemm.tail_longer = static_cast<uint32_t>(tail_stages % p.blocks);

  const gpuopt_operand &a = problem->operand[GPUOPT_OPERAND_A], &b = problem->operand[GPUOPT_OPERAND_B];
  CUtensorMap map_a = {}, map_b = {};
  if (problem->k > 0 &&  // an empty operand has no map
      (!encode_mma_operand<Tile>(&map_a, a, problem->batch, a.m.layout == GPUOPT_ROW, Tile::kM) ||
       !encode_mma_operand<Tile>(&map_b, b, problem->batch, b.m.layout == GPUOPT_COL, Tile::kN)))
    return no_tensor_map(launch, Tile::kName);
  gpuopt_status status =
      launch_kernel(launch, Tile::kName, dim3(static_cast<unsigned>(p.blocks)), dim3(Tile::kBlockThreads),
                    Tile::kShared, mma_tma_function<Tile>(*problem), map_a, map_b, gemm);
  if (status == GPUOPT_OK && tail != 0) {
    status = launch_kernel(launch, Tile::kName, dim3(static_cast<unsigned>(tail * Tile::kRuns)), dim3(Tile::kThreads),
                           0, gemm_mma_tail_kernel<Tile, MmaTmaTailWarp<Tile>>, gemm);
  }
  if (status != GPUOPT_OK || !p.plan.to_scratch) return status;
  return finish_gemm<typename Tile::Sum>(*problem, launch, static_cast<const float *>(launch->scratch), 1);
}

template <class Tile>
gpuopt_resource kMmaTmaResources[] = {
    {Tile::kBlockThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_tma_kernel<Tile, true, false>)},
    {Tile::kBlockThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_tma_kernel<Tile, true, true>)},
    {Tile::kBlockThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_tma_kernel<Tile, false, false>)},
    {Tile::kBlockThreads, Tile::kShared, reinterpret_cast<const void *>(gemm_mma_tma_kernel<Tile, false, true>)},
    {Tile::kThreads, 0, reinterpret_cast<const void *>(gemm_mma_tail_kernel<Tile, MmaTmaTailWarp<Tile>>)},
};

template <class Tile, size_t kSignatures>
constexpr gpuopt_kernel mma_tma_kernel(const gpuopt_signature (&signatures)[kSignatures]) {
  static_assert(Tile::kShared <= 227 * 1024, "what a block may have on sm_90");
  gpuopt_kernel kernel = mma_descriptor<Tile>(signatures, 90, true);
  kernel.cc_exact = 90;
  kernel.can_run = mma_tma_can_run<Tile>;
  kernel.predict_us = mma_tma_predict_us<Tile>;
  kernel.workspace = mma_tma_workspace<Tile>;
  kernel.prepare = mma_tma_prepare<Tile>;
  kernel.launch = mma_tma_launch<Tile>;
  set_resources(kernel, kMmaTmaResources<Tile>);
  return kernel;
}

}  // namespace gpuopt

#endif
