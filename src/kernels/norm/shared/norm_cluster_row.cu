// norm_cluster_row: a cluster of two to sixteen blocks holds a row; for rows of 8 KB to 3 MB (sm_90).
//
// Idea and data movement: each block takes a piece of the row. Where all is aligned bulk copies bring the piece to shared
// memory in a few chunks: statistics are made of each as it arrives, and elements are read a second time when the whole
// row's are known. No thread holds more than a vector, so 16-bit and short fp32 rows leave room for other clusters'
// pieces, whose loads are under way while one joins its statistics. Otherwise it keeps it in registers (row.cuh), up to 16 x 512 threads of 32
// elements. Each block leaves its statistics in its shared memory; after a barrier of the cluster all read those of all
// through distributed shared memory and join them in the same order. So a row of 262,144 elements is still read once.
//
// Needs: sm_90; x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major; no stages.
// Any alignment; what is not aligned, or has a residual, up to 262,144 columns.
// Prediction: read once and written once; far behind a copy's rate, as a row waits for the slowest of its blocks and all
// clusters read all weights, from the second-level cache. Faster than a block a row where rows are few.

#include <cooperative_groups.h>

#include <cuda/ptx>

#include "norm/common/row.cuh"
#include "norm/common/row_launch.h"
#include "norm/common/running_moments.cuh"
#include "norm/shared/figures.h"

namespace gpuopt {

constexpr int kClusterRowThreads = 512;
constexpr int kMostBlocks = 16;
template <class T>
constexpr int kClusterVectors = sizeof(T) == 4 ? 8 : 4;
// Blocks an SM that registers are to be enough for: of a piece in registers, where two fit without spills; of a piece in
// shared memory, which has room for three of 64 KB.
template <class T, int kNorm>
constexpr int kRegisterBlocks = sizeof(T) == 2 && kNorm == GPUOPT_NORM_LAYERNORM ? 2 : 1;
template <class T>
constexpr int kTileBlocks = blocks_at_once<kClusterRowThreads>(sizeof(T) == 4 ? 1 : 3);

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
[[maybe_unused]] constexpr int kTileChunks = 4;

// The blocks of a cluster, on top of a block's own join. A kernel joins once.
struct ClusterGroup {
  BlockGroup<kClusterRowThreads / 32> block;
  Moments *slot;  // of this block
  __device__ __forceinline__ int rank() const {
    return static_cast<int>(cooperative_groups::this_cluster().block_rank() * blockDim.x + threadIdx.x);
  }
  __device__ __forceinline__ int size() const {
    return static_cast<int>(cooperative_groups::this_cluster().num_blocks() * blockDim.x);
  }
  template <int kNorm, bool kSame>
  __device__ __forceinline__ Moments join(Moments m, float n) {
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned blocks = cluster.num_blocks();
    m = block.join<kNorm, kSame>(m, kNorm == GPUOPT_NORM_LAYERNORM ? count_of_block(m.count) : n);
    if (threadIdx.x == 0) *slot = m;
    cluster.sync();
    const unsigned of = threadIdx.x % kMostBlocks;
    const Moments theirs = of < blocks ? *cluster.map_shared_rank(slot, of) : no_moments<kNorm>();
    cluster.barrier_arrive();
    return join_lanes<kNorm, kMostBlocks>(theirs, n);
  }
  // No block leaves while its slot may be read.
  __device__ __forceinline__ void leave() const { cooperative_groups::this_cluster().barrier_wait(); }
  __device__ __forceinline__ float count_of_block(float count) const {
    __shared__ float counts[kClusterRowThreads / 32];
    count = count_of_warp(count);
    if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = count;
    __syncthreads();
    const unsigned warp = threadIdx.x % 32;
    return count_of_warp(warp < blockDim.x / 32 ? counts[warp] : 0.0f);
  }
};
#endif

template <class T, int kNorm>
__global__ void __launch_bounds__(kClusterRowThreads, kRegisterBlocks<T, kNorm>)
    norm_cluster_row_kernel(const __grid_constant__ RowWork<T> work) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ Moments partials[2][kClusterRowThreads / 32], slot;
  ClusterGroup group{BlockGroup<kClusterRowThreads / 32>(partials), &slot};
  const auto row = static_cast<int32_t>(blockIdx.y);
  const auto p = static_cast<int32_t>(blockIdx.z);
  norm_row<T, kNorm, kClusterVectors<T>, kRowAny, false>(work, group, start_of_row<T>(work.x, p, row),
                                                         start_of_row<T>(work.residual, p, row), p, row, true);
  group.leave();
#endif
}

// piece: vectors of the row that a block has; the last block may have fewer.
template <class T, int kNorm>
__global__ void __launch_bounds__(kClusterRowThreads, kTileBlocks<T>)
    norm_cluster_tile_kernel(const __grid_constant__ RowWork<T> work, int32_t piece) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  namespace ptx = cuda::ptx;
  constexpr int K = 16 / sizeof(T);
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ uint64_t full[kTileChunks];
  __shared__ Moments partials[2][kClusterRowThreads / 32], slot;
  ClusterGroup group{BlockGroup<kClusterRowThreads / 32>(partials), &slot};
  const auto i = static_cast<int32_t>(blockIdx.y), p = static_cast<int32_t>(blockIdx.z);
  const int32_t begin = static_cast<int32_t>(cooperative_groups::this_cluster().block_rank()) * piece;
  const int32_t left = work.cols / K - begin, mine = left < 0 ? 0 : left < piece ? left : piece;  // vectors
  const int32_t chunk = (mine + kTileChunks - 1) / kTileChunks;
  const auto chunk_end = [&](int c) { return (c + 1) * chunk < mine ? (c + 1) * chunk : mine; };
  if (threadIdx.x == 0) {
    for (uint64_t &barrier : full) ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    const T *const x = start_of_row<T>(work.x, p, i) + begin * K;
    for (int c = 0; c < kTileChunks; ++c) {
      const int32_t from = c * chunk, vectors = chunk_end(c) - from;
      const auto bytes = static_cast<uint32_t>(vectors > 0 ? vectors * 16 : 0);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[c], bytes);
      if (bytes > 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, memory + from * 16, x + from * K, bytes, &full[c]);
    }
  }
  __syncthreads();

  const T *const tile = reinterpret_cast<const T *>(memory);
  const auto threads = static_cast<int32_t>(blockDim.x);
  RunningMoments<kNorm> running;
  for (int c = 0; c < kTileChunks; ++c) {
    while (!ptx::mbarrier_try_wait_parity(&full[c], 0)) {
    }
    const int32_t end = chunk_end(c);
#pragma unroll 4
    for (int32_t v = c * chunk + static_cast<int32_t>(threadIdx.x); v < end; v += threads) {
      float h[K];
      widen_bits(load_bits<T, K>(tile + v * K), h);
      running.add(h);
    }
  }
  const auto n = static_cast<float>(work.cols);
  const RowFactors row = factors_of<kNorm>(work, group.template join<kNorm, false>(running.result(), n), n);
  if (work.statistics.dtype != 0 && group.rank() == 0) store_statistics(work, p, i, row);

  T *const out = start_of_result<T>(work.out, p, i) + begin * K;
  const T *const gamma = start_of_weights<T>(work.gamma, p) + begin * K;
  const T *const beta = start_of_weights<T>(work.beta, p) + begin * K;
  const auto store = [&](auto has_gamma, auto has_beta) {
#pragma unroll 4
    for (auto v = static_cast<int32_t>(threadIdx.x); v < mine; v += threads) {
      float h[K];
      widen_bits(load_bits<T, K>(tile + v * K), h);
      normalise<kNorm>(row, h);
      if (has_gamma) multiply(h, load_bits<T, K>(gamma + v * K));
      if (has_beta) add(h, load_bits<T, K>(beta + v * K));
      store_bits(out + v * K, narrow_bits<T>(h));
    }
  };
  with_weights<kNorm>(work, store);
  group.leave();
#endif
}

namespace {

constexpr char kName[] = "norm_cluster_row";
// A piece of 64 KB leaves room for two more on an SM; a cluster of more than eight blocks is hard to place.
constexpr int64_t kGoodPiece = 64 * 1024, kMostPiece = 208 * 1024;
constexpr int kGoodBlocks = 8;

int vectors_of(const gpuopt_problem &problem) {
  return is_f32(problem) ? kClusterVectors<float> : kClusterVectors<__half>;
}

struct Shape {
  bool tile;
  int blocks;
  unsigned threads;
  int64_t piece;  // vectors
};
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t vectors = row_vectors(problem);
  Shape shape = {};
  shape.tile = all_aligned(problem) && problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype == 0;
  shape.blocks = 2;
  const auto piece_fits = [&](int64_t bytes) { return ceil_div(vectors, shape.blocks) * 16 <= bytes; };
  if (shape.tile) {
    while (shape.blocks < kGoodBlocks && !piece_fits(kGoodPiece)) shape.blocks *= 2;
    while (shape.blocks < kMostBlocks && !piece_fits(kMostPiece)) shape.blocks *= 2;
  } else {
    while (shape.blocks < kMostBlocks && int64_t{shape.blocks} * kClusterRowThreads * vectors_of(problem) < vectors)
      shape.blocks *= 2;
  }
  shape.piece = ceil_div(vectors, shape.blocks);
  const int64_t each = shape.tile ? 4 : vectors_of(problem);
  const int64_t threads = whole_warps(shape.piece, each);
  shape.threads = static_cast<unsigned>(threads < kClusterRowThreads ? threads : kClusterRowThreads);
  return shape;
}

// f(T's tag, the norm) of either kernel.
template <class F>
gpuopt_status with_types(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, kRowAny, [&](auto tag, auto norm, auto) { return f(tag, norm); });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const bool tile = shape_of(*problem).tile;
  return with_types(*problem, [&](auto tag, auto norm) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    const gpuopt_status status = tile ? load_kernel(launch, kName, norm_cluster_tile_kernel<T, kNorm>, kMostPiece)
                                      : load_kernel(launch, kName, norm_cluster_row_kernel<T, kNorm>);
    if (status != GPUOPT_OK) return status;
    // More than 8 blocks a cluster are not portable, but Hopper and later datacenter chips have 16.
    const void *const entry = tile ? reinterpret_cast<const void *>(norm_cluster_tile_kernel<T, kNorm>)
                                   : reinterpret_cast<const void *>(norm_cluster_row_kernel<T, kNorm>);
    return cuda_status(launch, kName,
                       set_function_attribute(entry, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_types(*problem, [&](auto tag, auto norm) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    const LaunchAttributes cluster = {false, shape.blocks};
    const dim3 grid(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(problem->m),
                    static_cast<unsigned>(problem->batch));
    const RowWork<T> work = make_row_work<T>(*problem);
    if (!shape.tile)
      return launch_kernel(cluster, launch, kName, grid, dim3(shape.threads), 0, norm_cluster_row_kernel<T, kNorm>,
                           work);
    return launch_kernel(cluster, launch, kName, grid, dim3(shape.threads), static_cast<size_t>(shape.piece) * 16,
                         norm_cluster_tile_kernel<T, kNorm>, work, static_cast<int32_t>(shape.piece));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int64_t most = shape_of(*problem).tile ? kMostPiece / 16 * kMostBlocks
                                               : int64_t{kMostBlocks} * kClusterRowThreads * vectors_of(*problem);
  if (!row_can_run(problem, most, reject)) return 0;
  if (problem->m <= 65535 && problem->batch <= 65535) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->m > 65535 ? problem->m : problem->batch,
                65535, problem->m > 65535 ? "rows" : "batch");
}

// Blocks of an SM, by registers and threads, and by the memory of their pieces.
double resident_of(const gpuopt_problem &problem, const Shape &shape) {
  const bool softmax = problem.variant == GPUOPT_NORM_SOFTMAX, log = problem.variant == GPUOPT_NORM_LOG_SOFTMAX;
  if (!shape.tile) {
    const bool fits = is_f32(problem) ? softmax : !log;  // into 64 registers
    return blocks_of_sm(*problem.device, shape.threads, fits ? 64 : 72);
  }
  const double blocks = blocks_of_sm(*problem.device, shape.threads, is_f32(problem) || softmax || log ? 32 : 40);
  constexpr int64_t kShared = 227 * 1024, kBeside = 1700;
  const auto fit = static_cast<double>(kShared / (shape.piece * 16 + kBeside));
  return fit < 1 ? 1 : fit < blocks ? fit : blocks;
}

// All blocks of a cluster are on multiprocessors of one group of 16 or so, of which it fills a whole number of times.
double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_shared_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.cluster_launch_us;
  const Shape shape = shape_of(*problem);
  const RowFacts f = row_facts(*problem);
  const double resident = resident_of(*problem, shape), blocks = f.rows * shape.blocks / device.sm_count;
  constexpr double kGroup = 16.5;
  const double groups = std::floor(device.sm_count / kGroup), of_group = std::floor(kGroup * resident / shape.blocks);
  const double waves = waves_of(f.rows, groups * (of_group < 1 ? 1.0 : of_group));
  const double vectors = static_cast<double>(shape.piece) / static_cast<double>(shape.threads);
  const double instructions = row_instructions(f, vectors, all_aligned(*problem), false);
  const double share = shape.blocks / static_cast<double>(kMostBlocks), warps = shape.threads / 32.0;
  double row_us = 0, launch_us = 0;
  if (shape.tile) {
    launch_us = figures.tile_launch_us + blocks * figures.tile_place_us;
    row_us = figures.tile_start_us + figures.tile_cluster_us * share + figures.tile_weight_us * f.weights +
             (figures.tile_vector_us + figures.tile_weight_vector_us * f.weights) * vectors +
             instructions * figures.tile_clocks / device.clock_mhz;
  } else {
    launch_us = figures.cluster_launch_us + blocks * figures.cluster_place_us;
    row_us = figures.cluster_start_us + figures.cluster_cluster_us * share + figures.cluster_weight_us * f.weights +
             figures.cluster_residual_us * f.residual +
             (figures.cluster_vector_us + figures.cluster_residual_vector_us * f.residual +
              figures.cluster_weight_vector_us * f.weights) *
                 vectors +
             instructions * figures.cluster_clocks / device.clock_mhz;
  }
  return launch_us + in_waves_us(moving_us(device, f.read_bytes + f.written_bytes), waves, row_us,
                                 issuing_us(device, fullest(blocks, resident) * warps * instructions));
}

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  {kClusterRowThreads, 0, reinterpret_cast<const void *>(norm_cluster_row_kernel<T, norm>)},
#define GPUOPT_TILE_(T, norm, V, mode) \
  {kClusterRowThreads, kGoodPiece, reinterpret_cast<const void *>(norm_cluster_tile_kernel<T, norm>)},
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 0, kRowAny)  //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_TILE_, 0, kRowAligned)};
#undef GPUOPT_ENTRY_
#undef GPUOPT_TILE_

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
