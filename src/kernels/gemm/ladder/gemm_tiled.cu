// gemm_tiled_16, _32, _64: tiles of A and B pass through shared memory, so each element is read from global memory
// once a tile instead of once a multiply-add.
//
// Idea and data movement: a block of 256 threads computes T x T elements of D. For each T steps of k it brings a T x
// T tile of A and one of B to shared memory as accumulator type, lanes along the operand's contiguous dimension
// whatever its layout; rows of T + 1 elements keep both directions free of bank conflicts. Global traffic is 1/T of
// gemm_naive's; its latency is hidden by other blocks only. A thread computes one element of 16 x 16, and 4 and 16 in
// a column of 32 x 32 and 64 x 64 (4,096 threads do not exist): a step of k costs it one read of B and one broadcast
// of A an element, 2 reads for one multiply-add, 5 for 4, 17 for 16. Shared memory serves a read of a warp a clock
// while the FMA units do four warps' multiply-adds, so the bounds are 12.5 %, 20 % and 23.5 % of the fp32 peak,
// whatever the global traffic.
//
// Scales of blocks (fp8): sums of 128 of k, four tiles of it, each by its two scales, by a function of its own.
// Needs: nothing for 32, the fallback: every layout, leading dimension, extent, batch, type, scale and stage; 16 and
// 64 are for fp32.
// Prediction: shared memory's bound, less a sixth for barriers and latency.

#include "common/dtypes.cuh"
#include "common/launch.h"
#include "gemm/common/gemm_order.h"
#include "gemm/common/simt_gemm.cuh"
#include "gemm/ladder/fallback_time.h"

namespace gpuopt {

constexpr int kTileStripe = 8, kTileThreads = 256;
// Blocks an SM must have registers for: a chain in fp64 wants more than 80, which ptxas would rather spill.
template <class Acc, int kTile>
constexpr int kTileBlocks = sizeof(EpilogueType<Acc>) != sizeof(float) ? 2
                            : kTile == 64                              ? 3
                                                                       : 4;

// How this thread reads the tiles of one operand. In bytes, so that one set of registers serves every element type.
template <int kTile>
struct TileReader {
  static constexpr int kGroups = kTileThreads / kTile;  // threads that share a lane
  static constexpr int kCount = kTile / kGroups;        // elements a thread

  const char *from;               // its first element of the current tile
  int64_t group_step, next_tile;  // to its next element, to the same place in the next tile
  int32_t dtype;
  bool lanes_along_cols;

  __device__ TileReader(const View &view, int64_t p, int64_t row, int64_t col, bool next_is_right)
      : dtype(view.dtype), lanes_along_cols(view.col_step == 1) {
    const int lane = threadIdx.x % kTile, group = threadIdx.x / kTile;
    const int64_t bytes = dtype_bytes(view.dtype);
    const int64_t i = row + (lanes_along_cols ? group : lane), j = col + (lanes_along_cols ? lane : group);
    from = static_cast<const char *>(view.data) + view.offset(p, i, j) * bytes;
    group_step = (lanes_along_cols ? view.row_step : view.col_step) * kGroups * bytes;
    next_tile = (next_is_right ? view.col_step : view.row_step) * kTile * bytes;
  }

  // Brings the current tile, of which rows x cols elements exist, to shared memory, zeros around them.
  template <class Acc>
  __device__ __forceinline__ void read(int rows, int cols, Acc (&tile)[kTile][kTile + 1]) {
    const int lane = threadIdx.x % kTile, group = threadIdx.x / kTile;
    const int lane_end = lanes_along_cols ? cols : rows, group_end = lanes_along_cols ? rows : cols;
    Acc x[kCount] = {};
    with_gemm_dtype<Acc>(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
#pragma unroll
      for (int e = 0; e < kCount; ++e) {
        const bool inside = lane < lane_end && group + e * kGroups < group_end;
        if (inside) x[e] = widen<Acc>(*reinterpret_cast<const T *>(from + e * group_step));
      }
    });
#pragma unroll
    for (int e = 0; e < kCount; ++e) {
      const int along_groups = group + e * kGroups;
      (lanes_along_cols ? tile[along_groups][lane] : tile[lane][along_groups]) = x[e];
    }
    from += next_tile;
  }
};

// kBlocks: with scales of blocks.
template <int kTile, bool kBlocks, class Acc>
__device__ __forceinline__ void tiled_product(const SimtGemm<Acc> &gemm, const BlockScales &scales_a,
                                              const BlockScales &scales_b) {
  static_assert(!kBlocks || 128 % kTile == 0, "a block of scales ends with a tile");
  using Reader = TileReader<kTile>;
  __shared__ Acc tile_a[kTile][kTile + 1], tile_b[kTile][kTile + 1];
  const int lane = threadIdx.x % kTile, group = threadIdx.x / kTile;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kTile, col = tile.col * kTile;

    const int rows = static_cast<int>(min(gemm.m - row, int64_t{kTile}));
    const int cols = static_cast<int>(min(gemm.n - col, int64_t{kTile}));
    Reader a(gemm.a, tile.p, row, 0, true), b(gemm.b, tile.p, 0, col, false);
    Acc acc[Reader::kCount] = {}, scaled[Reader::kCount] = {};
    for (int64_t s = 0; s < gemm.k; s += kTile) {
      const int depth = static_cast<int>(min(gemm.k - s, int64_t{kTile}));
      a.read(rows, depth, tile_a);
      b.read(depth, cols, tile_b);
      __syncthreads();
#pragma unroll 8
      for (int step = 0; step < kTile; ++step) {
        const Acc right = tile_b[step][lane];
#pragma unroll
        for (int e = 0; e < Reader::kCount; ++e) {
          acc[e] = multiply_add(tile_a[group + e * Reader::kGroups][step], right, acc[e]);
        }
      }
      if constexpr (kBlocks) {
        if ((s + kTile) % 128 == 0 || s + kTile >= gemm.k) {
          const float right = lane < cols ? scale_at(scales_b, tile.p, s, col + lane) : 1;
#pragma unroll
          for (int e = 0; e < Reader::kCount; ++e) {
            const int i = group + e * Reader::kGroups;
            scaled[e] += acc[e] * ((i < rows ? scale_at(scales_a, tile.p, row + i, s) : 1) * right);
            acc[e] = 0;
          }
        }
      }
      __syncthreads();
    }

    // Each thread parks its sums in the tile of A, which nobody reads any more, and ends them a run at a time: a
    // chain of stages on eight elements at once would spill.
    constexpr int kRun = Reader::kCount < 4 ? Reader::kCount : 4;
#pragma unroll
    for (int e = 0; e < Reader::kCount; ++e) tile_a[group + e * Reader::kGroups][lane] = kBlocks ? scaled[e] : acc[e];
    if (lane < cols) {
#pragma unroll 1
      for (int i = group; i < rows; i += kRun * Reader::kGroups) {
        Acc run[kRun];
#pragma unroll
        for (int e = 0; e < kRun; ++e) run[e] = tile_a[i + e * Reader::kGroups][lane];
        const int32_t count = min((rows - i + Reader::kGroups - 1) / Reader::kGroups, kRun);
        gemm_epilogue(gemm.epilogue, Run{tile.p, row + i, col + lane, Reader::kGroups, 0, count}, run);
      }
    }
    __syncthreads();
  }
}

template <class Acc, int kTile>
__global__ void __launch_bounds__(kTileThreads, (kTileBlocks<Acc, kTile>))
    gemm_tiled_kernel(const __grid_constant__ SimtGemm<Acc> gemm) {
  tiled_product<kTile, false>(gemm, BlockScales(), BlockScales());
}
__global__ void __launch_bounds__(kTileThreads, (kTileBlocks<float, 32>))
    gemm_tiled_blocks_kernel(const __grid_constant__ SimtBlocks blocks) {
  tiled_product<32, true>(blocks.gemm, blocks.a, blocks.b);
}

namespace {

// Calls f with the kernel of a tile and the problem's accumulator: all of them for 32, fp32 for the others.
template <int kTile, class F>
gpuopt_status with_tiled_kernel(const gpuopt_problem &problem, F &&f) {
  if constexpr (kTile == 32) {
    return with_accumulator(problem, [&](auto zero) { return f(zero, gemm_tiled_kernel<decltype(zero), kTile>); });
  } else {
    return f(float{}, gemm_tiled_kernel<float, kTile>);
  }
}

template <int kTile>
constexpr const char *kTiledName = kTile == 16   ? "gemm_tiled_16"
                                   : kTile == 32 ? "gemm_tiled_32"
                                                 : "gemm_tiled_64";

template <int kTile>
gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (has_block_scales(*problem)) return load_kernel(launch, kTiledName<kTile>, gemm_tiled_blocks_kernel);
  return with_tiled_kernel<kTile>(*problem,
                                  [&](auto, auto kernel) { return load_kernel(launch, kTiledName<kTile>, kernel); });
}

template <int kTile>
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const TileSpace tiles(problem->m, problem->n, problem->batch, kTile, kTile, kTileStripe);
  if (has_block_scales(*problem))
    return launch_kernel(launch, kTiledName<kTile>, tiles.blocks(), kTileThreads, 0, gemm_tiled_blocks_kernel,
                         make_simt_blocks(*problem, tiles));
  return with_tiled_kernel<kTile>(*problem, [&](auto zero, auto kernel) {
    return launch_kernel(launch, kTiledName<kTile>, tiles.blocks(), kTileThreads, 0, kernel,
                         make_simt_gemm<decltype(zero)>(*problem, tiles));
  });
}

// A tile costs whole tiles of k, be they full or not, and its epilogue.
double predict_32_us(const gpuopt_problem &problem) {
  const GemmLadderFigures &g = gemm_ladder_figures;
  const gpuopt_device_facts &device = *problem.device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  constexpr int kTile = 32;
  const LadderFactors type = GPUOPT_LADDER_TYPE_FACTORS(tiled_32, problem);
  const GemmDemand demand = gemm_demand(problem);
  const double tiles = static_cast<double>(ceil_div(problem.m, kTile)) *
                       static_cast<double>(ceil_div(problem.n, kTile)) * static_cast<double>(problem.batch);
  const double steps = static_cast<double>(ceil_div(problem.k, kTile)), per_sm = std::ceil(tiles / device.sm_count);
  const double step = 2.0 * kTile * kTile * kTile / g.tiled_32_flops_per_clock * type.clocks;
  const double busy = per_sm * (steps * step + demand.elements / std::max(tiles, 1.0) * demand.epilogue_clocks);
  const double chain = std::ceil(per_sm / kTileBlocks<float, kTile>) *
                       (steps * g.tiled_32_step_clocks * type.wait + g.tiled_32_block_clocks);
  return g.tiled_32_us + overlapped_us(busy / device.clock_mhz, chain / device.clock_mhz,
                                       demand.bytes() / (g.tiled_32_memory_share * device.memory_gbs * 1e3),
                                       g.tiled_32_sharpness);
}

template <int kTile>
double predict_us(const gpuopt_problem *problem) {
  if (kTile == 32) return predict_32_us(*problem);
  const GemmLadderFigures &g = gemm_ladder_figures;
  const double flops_per_clock = kTile == 16 ? g.tiled_16_flops_per_clock : g.tiled_64_flops_per_clock;
  return simt_gemm_us(*problem, {kTile, kTile, kTileBlocks<float, kTile>, flops_per_clock, g.tiled_clocks_per_k});
}

template <int kTile, class... Accs>
constexpr gpuopt_kernel gemm_tiled(const char *summary) {
  gpuopt_kernel kernel = simt_gemm_kernel(kTiledName<kTile>, summary);
  kernel.understands |= GPUOPT_FEATURE_BATCH_INVARIANT;
  kernel.can_run = gemm_order_can_run<GemmOrder::chain>;
  if constexpr (kTile == 32) {
    kernel.understands |= GPUOPT_FEATURE_BLOCK_SCALES;
    set_functions(kernel, predict_us<kTile>, prepare<kTile>, launch<kTile>,
                  kResourcesOf<kTileThreads, 0, gemm_tiled_kernel<Accs, kTile>..., gemm_tiled_blocks_kernel>);
  } else {
    set_functions(kernel, predict_us<kTile>, prepare<kTile>, launch<kTile>,
                  kResourcesOf<kTileThreads, 0, gemm_tiled_kernel<Accs, kTile>...>);
  }
  return kernel;
}

// A rung to look at: fp32 alone.
constexpr gpuopt_signature kF32[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32}};
constexpr gpuopt_kernel teaching(gpuopt_kernel kernel) {
  kernel.flags = GPUOPT_KERNEL_TEACHING;
  set_signatures(kernel, kF32);
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {
    teaching(gemm_tiled<16, float>("16 x 16 tiles of A and B through shared memory")),
    gemm_tiled<32, float, double, int32_t>("32 x 32 tiles of A and B through shared memory"),
    teaching(gemm_tiled<64, float>("64 x 64 tiles through shared memory, 8 elements a thread")),
};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
