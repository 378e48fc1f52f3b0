// gemm_warptile_skinny_warp_ring: D of few rows (or few columns), the large operand read once at the speed of memory,
// in either layout by 16 bytes.
//
// Idea and data movement: 16 rows against n columns are 4 multiply-adds for each byte of the large operand, half of
// what an SM can do while the bytes come. So everything else has to hide: copies, reads of shared memory, start, end.
// A block has eight warps and a tile of 16 x 128 of D; its warps take turns at every 16 steps of k. Each warp has a
// ring of its own, three stages of 16 steps of 128 lines of the large operand and 16 of the small one, 9 KB, which it
// fills and reads alone: no barrier before the sums are complete, and 144 KB under way an SM. A lane has 16 x 4 sums.
// Its 4 x 4 elements of the large operand are four float4 either way: along k where k is contiguous (of lines of 64
// bytes, swizzled by line), else along x. Each meets the 16 lines of the small one, which all lanes read from the same
// place, a float4 along k: 32 wavefronts of shared memory for 256 multiply-adds of a warp, and no exchange between
// lanes at the end. Sums are added over the warps through shared memory; where k is split over blocks the last to come
// adds the parts in order of k (warptile_work.cuh).
// Needs: fp32, compute capability 9.0 or 10.x (222 KB of shared memory a block). Every layout and alignment is right;
// what does not lie on 16 bytes, in lines of a multiple of 4, is copied by 4.
// Prediction: the bytes of the large operand once at a share of the bandwidth, or the multiply-adds of the busiest SM;
// lines along k come in pieces of 64 bytes, and slower.
#include <algorithm>
#include <cmath>

#include "gemm/common/gemm_demand.h"
#include "gemm/warptile/skinny_warp_ring.cuh"
#include "gemm/warptile/warptile_launch.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "gemm_warptile_skinny_warp_ring";

// By 16 bytes go whole groups of four along the contiguous dimension.
SkinnyLines lines_of(const gpuopt_problem &problem, int index) {
  SkinnyLines o = skinny_lines(problem, index);
  o.by_16_bytes = o.by_16_bytes && (o.k_step == 1 ? problem.k : o.lines) % 4 == 0;
  return o;
}
SkinnyLines few_lines(const gpuopt_problem &problem) { return lines_of(problem, few_operand(problem)); }
SkinnyLines many_lines(const gpuopt_problem &problem) { return lines_of(problem, many_operand(problem)); }

// Whole tiles split evenly, or, where that leaves too many SMs without work, one line of units for all of them.
WarptileWork work_of(const gpuopt_problem &problem, uint64_t *busiest) {
  constexpr uint64_t kSecondTile = 2;  // units that a block loses where it works on two tiles
  WarptileWork work = {};
  work.tiles_m = static_cast<uint32_t>(ceil_div(std::min(problem.m, problem.n), Skinny::kFew));
  work.tiles_n = static_cast<uint32_t>(ceil_div(std::max(problem.m, problem.n), Skinny::kMany));
  work.tiles = work.tiles_m * work.tiles_n * static_cast<uint32_t>(problem.batch);
  work.stripe = work.tiles_m;
  work.k_tiles = static_cast<uint32_t>(std::max<int64_t>(1, ceil_div(problem.k, Skinny::kDepth)));
  work.streamed = work.tiles;
  const uint32_t sms = static_cast<uint32_t>(std::max(problem.device->sm_count, 1));
  const uint32_t split = std::min(std::max(sms / work.tiles, 1u), work.k_tiles);
  work.stream_blocks = work.tiles * split;
  work.slots = 1;
  const auto per = [](uint64_t count, uint64_t parts) { return (count + parts - 1) / parts; };
  *busiest = per(work.tiles, sms) * per(work.k_tiles, split);
  const uint64_t even = per(work.units(), sms) + kSecondTile;
  if (even < *busiest) {
    work.stream_blocks = static_cast<uint32_t>(std::min<uint64_t>(sms, work.units()));
    work.slots = 2;
    *busiest = even;
  }
  return work;
}
WarptileWork work_of(const gpuopt_problem &problem) {
  uint64_t busiest;
  return work_of(problem, &busiest);
}
bool is_split(const WarptileWork &work) { return work.stream_blocks != work.tiles; }

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMostTiles = int64_t{1} << 20, kMostK = int64_t{1} << 30;
  if (!warptile_limit(reject, GPUOPT_OPERAND_NONE, static_cast<double>(problem->k), kMostK, "k")) return 0;
  const double tiles = std::ceil(static_cast<double>(std::min(problem->m, problem->n)) / Skinny::kFew) *
                       std::ceil(static_cast<double>(std::max(problem->m, problem->n)) / Skinny::kMany) *
                       static_cast<double>(problem->batch);
  return warptile_limit(reject, GPUOPT_OPERAND_NONE, tiles, kMostTiles, "tiles of D") ? 1 : 0;
}

// The busiest SM's multiply-adds, or its bytes, or what comes from memory; then the join.
double predict_us(const gpuopt_problem *problem) {
  const GemmWarptileFigures &g = gemm_warptile_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (std::min(problem->m, problem->n) > 2 * Skinny::kFew) return 0;  // larger tiles read less
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  const SkinnyLines many = many_lines(*problem);
  const bool along_k = many.k_step == 1;
  const double fma = along_k ? g.skinny_warp_ring_k_fma_share : g.skinny_warp_ring_x_fma_share;
  const double bandwidth = along_k ? g.skinny_warp_ring_k_share : g.skinny_warp_ring_x_share;
  uint64_t busiest;
  const WarptileWork work = work_of(*problem, &busiest);
  const double units = static_cast<double>(busiest);
  // By 4 bytes multiprocessors, not memory, are what is short.
  const double by_4 = g.skinny_warp_ring_by_4_bytes_per_clock * device.sm_count * device.clock_mhz;
  const double of_memory = bandwidth * device.memory_gbs * 1e3,
               bytes_per_us = many.by_16_bytes ? of_memory : std::min(of_memory, by_4);
  const double fma_us = units * Skinny::kFew * Skinny::kMany * Skinny::kDepth / (128 * fma) / device.clock_mhz;
  const double lines = static_cast<double>(work.tiles / work.tiles_m) * Skinny::kMany;
  const GemmDemand x = gemm_demand(*problem);
  const double out_bytes = is_plain_gemm(*problem) ? x.d_bytes + x.c_bytes : 4 * x.elements;
  const double memory_us = 4.0 * static_cast<double>(problem->k) * lines / bytes_per_us +
                           out_bytes / (g.skinny_warp_ring_out_share * device.memory_gbs * 1e3);
  const double alone_us = units * (Skinny::kMany + Skinny::kFew) * Skinny::kDepth * 4 /
                          (bytes_per_us / device.sm_count * g.skinny_warp_ring_alone_factor);
  // The last to come adds all parts of its tile.
  const double parts = static_cast<double>(work.stream_blocks) / work.tiles;
  // Tiles that an SM takes after its first: the ring is filled and the sums leave once more.
  const double further = std::max(0.0, static_cast<double>(work.tiles) / device.sm_count - 1);
  const double tiles_us = further * g.skinny_warp_ring_tile_clocks / device.clock_mhz;
  return g.skinny_warp_ring_us + std::max({fma_us, memory_us, alone_us}) + tiles_us +
         (is_split(work) ? g.skinny_warp_ring_join_us + parts * g.skinny_warp_ring_part_us : 0) +
         warptile_finish_us(*problem);
}

// Scratch: slots of partial sums, then, where the epilogue is finish_gemm()'s, the sums that it reads.
size_t slot_bytes(const WarptileWork &work) {
  if (!is_split(work)) return 0;
  return size_t{work.stream_blocks} * work.slots * Skinny::kFew * Skinny::kMany * sizeof(float);
}
void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const WarptileWork work = work_of(*problem);
  *scratch = slot_bytes(work) + warptile_sums_bytes(*problem);
  *zeroed = is_split(work) ? size_t{work.tiles} * sizeof(uint32_t) : 0;
}

auto kernel_of(const gpuopt_problem &problem) {
  const SkinnyLines few = few_lines(problem), many = many_lines(problem);
  const bool along_k = many.k_step == 1;
  if (!many.by_16_bytes) {
    return along_k ? gemm_warptile_skinny_warp_ring_kernel<true, 4, 4>
                   : gemm_warptile_skinny_warp_ring_kernel<false, 4, 4>;
  }
  if (few.by_16_bytes && few.k_step == 1) {
    return along_k ? gemm_warptile_skinny_warp_ring_kernel<true, 16, 16>
                   : gemm_warptile_skinny_warp_ring_kernel<false, 16, 16>;
  }
  return along_k ? gemm_warptile_skinny_warp_ring_kernel<true, 4, 16>
                 : gemm_warptile_skinny_warp_ring_kernel<false, 4, 16>;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const gpuopt_status status = load_kernel(launch, kName, kernel_of(*problem), Skinny::kSmem);
  return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<float>(launch);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  SkinnyWarpRing g = {};
  g.work = work_of(*problem);
  g.few = few_lines(*problem);
  g.many = many_lines(*problem);
  g.k = problem->k;
  g.few_are_rows = few_are_rows(*problem);
  g.parts = static_cast<float *>(launch->scratch);
  g.tickets = static_cast<uint32_t *>(launch->zeroed);
  float *const sums =
      is_plain_gemm(*problem) ? nullptr : static_cast<float *>(launch->scratch) + slot_bytes(g.work) / sizeof(float);
  g.out = make_plain_output<float>(*problem, sums);
  const gpuopt_status status = launch_kernel(early_launch(*problem), launch, kName, g.work.stream_blocks,
                                             Skinny::kThreads, Skinny::kSmem, kernel_of(*problem), g);
  return status != GPUOPT_OK || sums == nullptr ? status : finish_gemm<float>(*problem, launch, sums, 1);
}

#define GPUOPT_RESOURCE_(along_k, few, many)                                                      \
  {                                                                                               \
    Skinny::kThreads, Skinny::kSmem,                                                              \
        reinterpret_cast<const void *>(gemm_warptile_skinny_warp_ring_kernel<along_k, few, many>) \
  }
gpuopt_resource kResources[] = {GPUOPT_RESOURCE_(true, 16, 16), GPUOPT_RESOURCE_(false, 16, 16),
                                GPUOPT_RESOURCE_(true, 4, 16),  GPUOPT_RESOURCE_(false, 4, 16),
                                GPUOPT_RESOURCE_(true, 4, 4),   GPUOPT_RESOURCE_(false, 4, 4)};
#undef GPUOPT_RESOURCE_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel =
      gemm_descriptor(kName, "fp32, few rows or columns: the large operand streams through rings of single warps");
  set_signatures(kernel, kWarptileSignatures);
  kernel.aliases = "gemm_warptile_skinny_private";
  kernel.can_run = can_run;
  set_functions_in_parts<workspace, predict_us, prepare, launch>(kernel);
  set_resources(kernel, kResources);
  kernel.cc_min = 90;
  kernel.cc_max = 119;  // the small chips of sm_120 have less shared memory
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
