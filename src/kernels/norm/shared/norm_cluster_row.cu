// norm_cluster_row: a cluster of two to sixteen blocks holds a row; for rows of 8 KB to 3 MB (sm_90).
//
// Idea and data movement: bulk copies bring each block's piece to shared memory in a few chunks: statistics are made of
// each as it arrives, and elements are read a second time when the whole row's are known. No thread holds more than a
// vector, so there is room for other clusters' pieces, whose loads are under way while one joins its statistics. Each
// block leaves its statistics in its shared memory; after a barrier of the cluster all read those of all through
// distributed shared memory and join them in the same order. So a row of 262,144 elements is still read once. Rows that
// begin anywhere are cut at x's vectors; the few elements before and behind are a thread's each.
//
// Needs: sm_90; x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major, at any alignment; no stages.
// Prediction: read once and written once; far behind a copy's rate, as a row waits for the slowest of its blocks and all
// clusters read all weights, from the second-level cache. Faster than a block a row where rows are few.

#include <cooperative_groups.h>

#include <cuda/ptx>

#include "norm/common/groups.cuh"
#include "norm/common/row_launch.h"
#include "norm/common/row_work.cuh"
#include "norm/common/running_moments.cuh"
#include "norm/common/unaligned.cuh"
#include "norm/shared/figures.h"

namespace gpuopt {

constexpr int kClusterRowThreads = 512;
constexpr int kMostBlocks = 16;
constexpr int kTileBlocks = blocks_at_once<kClusterRowThreads>(2);  // of an SM, for which registers are to be enough

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
[[maybe_unused]] constexpr int kTileChunks = 4, kMostTileStages = 2;

// The blocks of a cluster, on top of a block's own join. Joins take turns in two slots: when one is written again, all
// blocks have been at the barrier of the join between, behind their readings of it.
struct ClusterGroup {
  BlockGroup<kClusterRowThreads / 32> block;
  Moments *slots;  // of this block: two
  int turn = 0;
  __device__ __forceinline__ ClusterGroup(Moments (*partials)[kClusterRowThreads / 32], Moments *two)
      : block(partials), slots(two) {}
  template <int kNorm>
  __device__ __forceinline__ Moments join(Moments m, float n) {
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned blocks = cluster.num_blocks();
    m = block.join<kNorm, false>(m, kNorm == GPUOPT_NORM_LAYERNORM ? count_of_block(m.count) : n);
    Moments *const slot = slots + turn;
    turn ^= 1;
    if (threadIdx.x == 0) *slot = m;
    cluster.sync();
    const unsigned of = threadIdx.x % kMostBlocks;
    return join_lanes<kNorm, kMostBlocks>(of < blocks ? *cluster.map_shared_rank(slot, of) : no_moments<kNorm>(), n);
  }
  __device__ __forceinline__ float count_of_block(float count) const {
    __shared__ float counts[kClusterRowThreads / 32];
    count = count_of_warp(count);
    if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = count;
    __syncthreads();
    const unsigned warp = threadIdx.x % 32;
    return count_of_warp(warp < blockDim.x / 32 ? counts[warp] : 0.0f);
  }
};

// What a block has of a row, which is cut at x's vectors: `mine` of those, the first block the elements before them as
// well, the last block those behind, an element a thread (at; n: none).
template <class T>
struct RowPiece {
  const T *x, *residual;
  int32_t p, i, head, mine, at;
  bool brings;  // the residual, which is read where it is where it begins otherwise than x
};
#endif

// piece: vectors of a row that a block has; the last block may have fewer. stages: rows of a block's memory.
template <class T, int kNorm, bool kAny>
__global__ void __launch_bounds__(kClusterRowThreads, kTileBlocks)
    norm_cluster_row_kernel(const __grid_constant__ RowWork<T> work, int32_t piece, int32_t stages) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  namespace ptx = cuda::ptx;
  constexpr int K = 16 / sizeof(T), kUnroll = kAny && !kIsSoftmax<kNorm> ? 1 : 4;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ uint64_t full[kMostTileStages][kTileChunks];
  __shared__ Moments partials[2][kClusterRowThreads / 32], slots[2];
  ClusterGroup group(partials, slots);
  const auto cluster = cooperative_groups::this_cluster();
  const auto block = static_cast<int32_t>(cluster.block_rank()), blocks = static_cast<int32_t>(cluster.num_blocks());
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const int32_t n = work.cols, begin = block * piece, total = work.rows * work.batch;
  const auto step = static_cast<int32_t>(gridDim.y);
  const bool adds = kAny && work.residual.dtype != 0, has_sum = work.sum.dtype != 0;
  const int32_t stage_bytes = piece * (adds ? 32 : 16);

  const auto piece_of = [&](int32_t row) {
    RowPiece<T> of = {};
    of.p = work.place(row, of.i);
    of.x = start_of_row<T>(work.x, of.p, of.i);
    of.head = kAny ? min((K - elements_before(of.x)) % K, n) : 0;
    const int32_t vectors = (n - of.head) / K, behind_all = of.head + vectors * K;
    of.mine = max(min(vectors - begin, piece), 0);
    of.at = n;
    if (kAny && block == 0 && thread < of.head) of.at = thread;
    if (kAny && block == blocks - 1 && thread < n - behind_all) of.at = behind_all + thread;
    if (adds) {
      of.residual = start_of_row<T>(work.residual, of.p, of.i);
      of.brings = elements_before(of.residual + of.head) == 0;
    }
    return of;
  };
  const auto chunk_end = [&](const RowPiece<T> &of, int c) {
    return min((c + 1) * ((of.mine + kTileChunks - 1) / kTileChunks), of.mine);
  };
  const auto load = [&](int32_t row, int stage) {  // one thread
    const RowPiece<T> of = piece_of(row);
    unsigned char *const to = memory + stage * stage_bytes;
    for (int c = 0, from = 0; c < kTileChunks; ++c) {
      const int32_t end = chunk_end(of, c), first = of.head + (begin + from) * K;
      const auto bytes = static_cast<uint32_t>((end - from) * 16);
      uint64_t *const barrier = &full[stage][c];
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                     of.brings ? 2 * bytes : bytes);
      if (bytes == 0) continue;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + from * 16, of.x + first, bytes, barrier);
      if (of.brings)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + (piece + from) * 16, of.residual + first, bytes,
                           barrier);
      from = end;
    }
  };
  const auto single_of = [&](const RowPiece<T> &of) {
    if (!kAny || of.at >= n) return 0.0f;
    return widen<float>(of.x[of.at]) + (adds ? widen<float>(of.residual[of.at]) : 0.0f);
  };

  auto row = static_cast<int32_t>(blockIdx.y);
  if (thread == 0) {
    for (auto &of_stage : full)
      for (uint64_t &barrier : of_stage) ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    for (int s = 0; s < stages && row + s * step < total; ++s) load(row + s * step, s);
  }
  RowPiece<T> of = piece_of(row), next = of;
  float single = single_of(of);
  __syncthreads();

  int stage = 0;
  uint32_t parity = 0;
#pragma unroll 1
  for (; row < total; row += step) {
    float single_after = 0;
    if (total - row > step) {
      next = piece_of(row + step);
      single_after = single_of(next);
    }
    const T *const tile = reinterpret_cast<const T *>(memory + stage * stage_bytes), *const other = tile + piece * K;
    const auto elements = [&](int32_t v, float(&h)[K]) {
      widen_bits(load_bits<T, K>(tile + v * K), h);
      if (!adds) return;
      if (of.brings)
        add(h, load_bits<T, K>(other + v * K));
      else
        add(h, load_vector<false, T, K>(of.residual + of.head + (begin + v) * K));
    };
    RunningMoments<kNorm> running;
    for (int c = 0, from = 0; c < kTileChunks; ++c) {
      while (!ptx::mbarrier_try_wait_parity(&full[stage][c], parity)) {
      }
      const int32_t end = chunk_end(of, c);
#pragma unroll 4
      for (int32_t v = from + thread; v < end; v += threads) {
        float h[K];
        elements(v, h);
        running.add(h);
      }
      from = end;
    }
    if (kAny && of.at < n) {
      const float one[1] = {single};
      running.add(one);
    }
    const auto cols = static_cast<float>(n);
    const RowFactors factors = factors_of<kNorm>(work, group.join<kNorm>(running.result(), cols), cols);
    if (work.statistics.dtype != 0 && block == 0 && thread == 0) store_statistics(work, of.p, of.i, factors);

    const int32_t first = of.head + begin * K;
    T *const out = start_of_result<T>(work.out, of.p, of.i), *const sum = start_of_result<T>(work.sum, of.p, of.i);
    const T *const gamma = start_of_weights<T>(work.gamma, of.p), *const beta = start_of_weights<T>(work.beta, of.p);
    const auto store = [&](auto has_gamma, auto has_beta) {
#pragma unroll kUnroll
      for (int32_t v = thread; v < of.mine; v += threads) {
        float h[K];
        elements(v, h);
        if (kAny && has_sum) store_vector<false, T, K>(sum + first + v * K, h);
        normalise<kNorm>(factors, h);
        if (has_gamma) multiply(h, load_weights<!kAny, T, K>(gamma, first + v * K, n));
        if (has_beta) add(h, load_weights<!kAny, T, K>(beta, first + v * K, n));
        store_vector<!kAny, T, K>(out + first + v * K, h);
      }
      if (!kAny || of.at >= n) return;
      if (has_sum) sum[of.at] = narrow<T>(single);
      float h = normalised<kNorm>(factors, single);
      if (has_gamma) h *= widen<float>(gamma[of.at]);
      if (has_beta) h += widen<float>(beta[of.at]);
      out[of.at] = narrow<T>(h);
    };
    with_weights<kNorm>(work, store);
    __syncthreads();  // all have read the row
    if (thread == 0 && total - row > stages * step) load(row + stages * step, stage);
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
    of = next;
    single = single_after;
  }
  cluster.sync();  // no block leaves while its slots may be read
#endif
}

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
