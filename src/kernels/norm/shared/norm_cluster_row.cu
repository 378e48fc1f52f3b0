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
// Blocks an SM that registers are to be enough for: its memory has room for three pieces of 64 KB.
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

// piece: vectors of the row that a block has; the last block may have fewer. The row is cut at x's vectors; the first block
// has the elements before them as well, the last block those behind, an element a thread.
template <class T, int kNorm, bool kAny, bool kAdds>
__global__ void __launch_bounds__(kClusterRowThreads, kTileBlocks<T>)
    norm_cluster_row_kernel(const __grid_constant__ RowWork<T> work, int32_t piece) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  namespace ptx = cuda::ptx;
  constexpr int K = 16 / sizeof(T), kUnroll = kAny && !kIsSoftmax<kNorm> ? 1 : 4;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ uint64_t full[kTileChunks];
  __shared__ Moments partials[2][kClusterRowThreads / 32], slot;
  ClusterGroup group{BlockGroup<kClusterRowThreads / 32>(partials), &slot};
  const auto cluster = cooperative_groups::this_cluster();
  const auto i = static_cast<int32_t>(blockIdx.y), p = static_cast<int32_t>(blockIdx.z), n = work.cols;
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const T *const x = start_of_row<T>(work.x, p, i), *const residual = start_of_row<T>(work.residual, p, i);
  const bool has_sum = kAdds && work.sum.dtype != 0;
  const int32_t head = kAny ? min((K - elements_before(x)) % K, n) : 0, vectors = (n - head) / K;
  const auto begin = static_cast<int32_t>(cluster.block_rank()) * piece;
  const int32_t mine = max(min(vectors - begin, piece), 0);
  int32_t at = n;  // of the element before or behind that this thread has
  if (kAny && cluster.block_rank() == 0 && thread < head) at = thread;
  if (kAny && cluster.block_rank() == cluster.num_blocks() - 1 && thread < n - head - vectors * K)
    at = head + vectors * K + thread;
  const bool brings =
      kAdds && elements_before(residual + head) == 0;  // a residual that begins otherwise is read where it is
  const int32_t chunk = (mine + kTileChunks - 1) / kTileChunks;
  const auto chunk_end = [&](int c) { return min((c + 1) * chunk, mine); };
  const T *const tile = reinterpret_cast<const T *>(memory), *const other = tile + piece * K;
  if (thread == 0) {
    for (uint64_t &barrier : full) ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    for (int c = 0; c < kTileChunks; ++c) {
      const int32_t from = c * chunk, count = max(chunk_end(c) - from, 0);
      const auto bytes = static_cast<uint32_t>(count * 16);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[c],
                                     brings ? 2 * bytes : bytes);
      if (bytes == 0) continue;
      const int32_t first = head + (begin + from) * K;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, memory + from * 16, x + first, bytes, &full[c]);
      if (brings)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, memory + (piece + from) * 16, residual + first, bytes,
                           &full[c]);
    }
  }
  float single[1] = {0};
  if (kAny && at < n) single[0] = widen<float>(x[at]) + (kAdds ? widen<float>(residual[at]) : 0.0f);
  __syncthreads();

  const auto elements = [&](int32_t v, float(&h)[K]) {
    widen_bits(load_bits<T, K>(tile + v * K), h);
    if (brings) add(h, load_bits<T, K>(other + v * K));
    if (kAdds && !brings) add(h, load_vector<false, T, K>(residual + head + (begin + v) * K));
  };
  RunningMoments<kNorm> running;
  for (int c = 0; c < kTileChunks; ++c) {
    while (!ptx::mbarrier_try_wait_parity(&full[c], 0)) {
    }
    const int32_t end = chunk_end(c);
#pragma unroll 4
    for (int32_t v = c * chunk + thread; v < end; v += threads) {
      float h[K];
      elements(v, h);
      running.add(h);
    }
  }
  if (kAny && at < n) running.add(single);
  const auto cols = static_cast<float>(n);
  const RowFactors row = factors_of<kNorm>(work, group.template join<kNorm, false>(running.result(), cols), cols);
  if (work.statistics.dtype != 0 && group.rank() == 0) store_statistics(work, p, i, row);

  const int32_t first = head + begin * K;
  T *const out = start_of_result<T>(work.out, p, i), *const sum = start_of_result<T>(work.sum, p, i);
  const T *const gamma = start_of_weights<T>(work.gamma, p), *const beta = start_of_weights<T>(work.beta, p);
  // Whether out's vectors begin where x's do, so that no vector has to find out for itself; a mean leaves no registers for that.
  constexpr bool kAsks = kAny && kNorm != GPUOPT_NORM_LAYERNORM;
  const bool alike =
      !kAny || (kAsks && elements_before(out + head) == 0 && (!has_sum || elements_before(sum + head) == 0));
  const auto store_all = [&](auto has_gamma, auto has_beta, auto whole) {
    constexpr bool kWhole = decltype(whole)::value;
#pragma unroll kUnroll
    for (int32_t v = thread; v < mine; v += threads) {
      float h[K];
      elements(v, h);
      if (has_sum) store_vector<kWhole, T, K>(sum + first + v * K, h);
      normalise<kNorm>(row, h);
      if (has_gamma) multiply(h, load_weights<!kAny, T, K>(gamma, first + v * K, n));
      if (has_beta) add(h, load_weights<!kAny, T, K>(beta, first + v * K, n));
      store_vector<kWhole, T, K>(out + first + v * K, h);
    }
  };
  const auto store = [&](auto has_gamma, auto has_beta) {
    if constexpr (!kAny || kAsks) {
      if (alike) store_all(has_gamma, has_beta, std::true_type());
    }
    if constexpr (kAny) {
      if (!alike) store_all(has_gamma, has_beta, std::false_type());
    }
    if (!kAny || at >= n) return;
    if (has_sum) sum[at] = narrow<T>(single[0]);
    float h = normalised<kNorm>(row, single[0]);
    if (has_gamma) h *= widen<float>(gamma[at]);
    if (has_beta) h += widen<float>(beta[at]);
    out[at] = narrow<T>(h);
  };
  with_weights<kNorm>(work, store);
  group.leave();
#endif
}

namespace {

constexpr char kName[] = "norm_cluster_row";
// A piece of 64 KB leaves room for two more on an SM; a cluster of more than eight blocks is hard to place, and yet better than
// pieces that leave room for none: then loads and stores of a multiprocessor take turns.
constexpr int64_t kGoodPiece = 64 * 1024, kPairedPiece = 108 * 1024, kMostPiece = 208 * 1024;
constexpr int kGoodBlocks = 8;
constexpr int64_t kLeastThreads = 256;  // of a block

int64_t tiles_of(const gpuopt_problem &problem) {  // in a block's memory
  return problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0 ? 2 : 1;
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
  widen(kMostBlocks, kPairedPiece);
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
    const dim3 grid(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(problem->m),
                    static_cast<unsigned>(problem->batch));
    return launch_kernel(cluster, launch, kName, grid, dim3(shape.threads), static_cast<size_t>(shape.bytes), kernel,
                         make_row_work<typename decltype(tag)::type>(*problem), static_cast<int32_t>(shape.piece));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!row_can_run(problem, kMostPiece / (16 * tiles_of(*problem)) * kMostBlocks, reject)) return 0;
  if (problem->m <= 65535 && problem->batch <= 65535) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->m > 65535 ? problem->m : problem->batch,
                65535, problem->m > 65535 ? "rows" : "batch");
}

// Blocks of an SM, by registers and threads, and by the memory of their pieces.
double resident_of(const gpuopt_problem &problem, const Shape &shape) {
  const bool softmax = problem.variant == GPUOPT_NORM_SOFTMAX || problem.variant == GPUOPT_NORM_LOG_SOFTMAX;
  const double blocks = blocks_of_sm(*problem.device, shape.threads, softmax ? 32 : 40);
  const auto fit = static_cast<double>(blocks_by_memory(shape.bytes));
  return fit < blocks ? fit : blocks;
}

// All blocks of a cluster are on multiprocessors of one group of 16 or so, of which it fills a whole number of times.
double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_shared_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.tile_launch_us;
  const Shape shape = shape_of(*problem);
  const RowFacts f = row_facts(*problem);
  const double by_elements = f.single_loads > 0 ? 1 : 0;  // rows are cut at x's vectors, and out's begin otherwise
  const double resident = resident_of(*problem, shape), blocks = f.rows * shape.blocks / device.sm_count;
  constexpr double kGroup = 16.5;
  const double groups = std::floor(device.sm_count / kGroup), of_group = std::floor(kGroup * resident / shape.blocks);
  const double waves = waves_of(f.rows, groups * (of_group < 1 ? 1.0 : of_group));
  const double vectors = static_cast<double>(shape.piece) / static_cast<double>(shape.threads);
  const double instructions = row_instructions(f, vectors, all_aligned(*problem), false) +
                              by_elements * vectors * f.elements * figures.tile_single_instructions;
  const double share = shape.blocks / static_cast<double>(kMostBlocks), warps = shape.threads / 32.0;
  const double launch_us = figures.tile_launch_us + blocks * figures.tile_place_us;
  const double row_us = figures.tile_start_us + figures.tile_cluster_us * share + figures.tile_weight_us * f.weights +
                        (figures.tile_vector_us + figures.tile_weight_vector_us * f.weights) * vectors +
                        instructions * figures.tile_clocks / device.clock_mhz;
  // An element a lane, 16 bytes apart: half a line of memory in 16 pieces.
  const double singles_us = by_elements * fullest(blocks, resident) * warps * vectors * f.elements *
                            figures.tile_single_clocks / device.clock_mhz;
  return launch_us + in_waves_us(moving_us(device, f.read_bytes + f.written_bytes), waves, row_us,
                                 issuing_us(device, fullest(blocks, resident) * warps * instructions) + singles_us);
}

#define GPUOPT_ENTRY_(T, norm, any, adds) \
  {kClusterRowThreads, kGoodPiece, reinterpret_cast<const void *>(norm_cluster_row_kernel<T, norm, any, adds>)},
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, false, false)  //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, true, false)   //
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, true, true)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of up to 3 MB held by a cluster of blocks");
  k.version = 2;
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
