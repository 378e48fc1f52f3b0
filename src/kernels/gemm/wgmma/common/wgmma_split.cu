// wgmma_split.h's kernel.
//
// Idea and data movement: what a line is scaled by is known when all of it has been read, so 32 lines go to a cluster, of which
// each block reads a part of k, keeps as much of it as shared memory holds, exchanges the largest numbers with the others, and
// writes the parts: both operands are read once (what is not kept twice, where k is beyond 4096) and written once. All
// of it is coalesced, by single words, so that lines may begin anywhere, and passes through shared memory whichever way it
// lies. Largest numbers are compared as the integers that their bits are. The cluster that ends last has the answer.
// Only what runs on sm_90 calls it: elsewhere it is empty.
#include <cooperative_groups.h>

#include "common/dependent_launch.cuh"
#include "common/index.cuh"
#include "gemm/wgmma/wgmma_instruction.cuh"
#include "gemm/wgmma/wgmma_results.h"
#include "gemm/wgmma/wgmma_split.h"

namespace gpuopt {

constexpr int kSplitThreads = 256;
constexpr int kSplitLines = 32, kSplitDepth = 128;  // of a chunk, which a block has in registers at a time
constexpr int kSplitHeld = 4;        // chunks in shared memory; three blocks of a multiprocessor find room
constexpr int kSplitMostBlocks = 8;  // of a cluster

using SplitChunk = float[kSplitLines][kSplitDepth + 1];
constexpr int kSplitShared = kSplitHeld * static_cast<int>(sizeof(SplitChunk));

__host__ __device__ inline int64_t wgmma_split_clusters(const WgmmaSplitOperand &o) {
  return o.matrices * ceil_div(o.lines, kSplitLines);
}

#if __CUDA_ARCH__ == 900

constexpr int kSplitWarps = kSplitThreads / 32;
constexpr int kSplitTopExponent = 14;
constexpr uint32_t kSplitLeastExponent = 17;  // biased: of a line's largest number
constexpr int kSplitMine = kSplitLines * kSplitDepth / kSplitThreads, kSplitOfLine = kSplitDepth / 32;

__device__ __forceinline__ uint32_t magnitude_bits(float x) { return __float_as_uint(x) & 0x7fffffffu; }
__device__ __forceinline__ bool wgmma_scales(uint32_t largest) {
  return largest >> 23 >= kSplitLeastExponent && largest >> 23 < 255;
}

// Of a chunk a thread's elements: kSplitOfLine of each of four lines of its warp, or of one line.
struct WgmmaSplitThread {
  int lane, warp;
  __device__ __forceinline__ int line(bool along_k, int i) const {
    return along_k ? warp * 4 + i / kSplitOfLine : lane;
  }
  __device__ __forceinline__ int k(bool along_k, int i) const {
    return along_k ? i % kSplitOfLine * 32 + lane : i * kSplitWarps + warp;
  }
};

__device__ __forceinline__ void wgmma_split_load(const WgmmaSplitOperand &o, WgmmaSplitThread thread, const float *from,
                                                 int64_t line, int64_t k, float (&x)[kSplitMine]) {
#pragma unroll
  for (int i = 0; i < kSplitMine; ++i) {
    const int64_t l = line + thread.line(o.along_k, i), at = k + thread.k(o.along_k, i);
    x[i] = l < o.lines && at < o.k ? from[o.along_k ? l * o.ld + at : at * o.ld + l] : 0;
  }
}
__device__ __forceinline__ void wgmma_split_keep(const WgmmaSplitOperand &o, WgmmaSplitThread thread,
                                                 const float (&x)[kSplitMine], SplitChunk &chunk) {
#pragma unroll
  for (int i = 0; i < kSplitMine; ++i) chunk[thread.line(o.along_k, i)][thread.k(o.along_k, i)] = x[i];
}
__device__ __forceinline__ void wgmma_split_largest(const WgmmaSplitOperand &o, WgmmaSplitThread thread,
                                                    const float (&x)[kSplitMine], uint32_t *largest) {
#pragma unroll
  for (int first = 0; first < kSplitMine; first += kSplitOfLine) {
    uint32_t most = 0;
#pragma unroll
    for (int i = first; i < first + kSplitOfLine; ++i) most = max(most, magnitude_bits(x[i]));
    if (o.along_k) most = __reduce_max_sync(0xffffffffu, most);
    if (!o.along_k || thread.lane == 0) atomicMax(largest + thread.line(o.along_k, first), most);
  }
}

// The parts of a line of a chunk, two neighbours a thread and turn; counts of 10 bits: small ones, and those within each level.
__device__ __forceinline__ uint32_t wgmma_split_line(const float *x, uint32_t largest, int lane, char *to, int64_t k,
                                                     int64_t end) {
  const uint32_t exponent = largest >> 23;
  const float scale =
      wgmma_scales(largest) ? wgmma_power_of_two(kSplitTopExponent + 127 - static_cast<int>(exponent)) : 0.0f;
  uint32_t counts = 0;
#pragma unroll
  for (int q = 0; q < kSplitDepth / 64; ++q) {
    const int first = q * 64 + lane * 2;
    __half high[2], low[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const float value = x[first + e], scaled = value * scale;
      const uint32_t its = magnitude_bits(value) >> 23;
      counts += (value != 0 && its + kWgmmaSplitSmall < exponent ? 1u : 0u) |
                (its + wgmma_split_level(0) >= exponent ? 1u << 10 : 0u) |
                (its + wgmma_split_level(1) >= exponent ? 1u << 20 : 0u);
      high[e] = __float2half_rn(scaled);
      low[e] = __float2half_rn(scaled - __half2float(high[e]));
    }
    if (k + first >= end) continue;
    char *const word = to + (k + first) / 32 * 128 + (k + first) % 32 * 2;
    *reinterpret_cast<__half2 *>(word) = __halves2half2(high[0], high[1]);
    *reinterpret_cast<__half2 *>(word + 64) = __halves2half2(low[0], low[1]);
  }
  return __reduce_add_sync(0xffffffffu, counts);
}

struct WgmmaSplitCounts {
  uint32_t small, within[2];
};
// What is true of 32 lines, by a warp, joins what is true of all.
__device__ __forceinline__ void wgmma_split_join(WgmmaLines &all, int64_t k, uint32_t largest,
                                                 WgmmaSplitCounts counts) {
  const auto join = [](uint32_t &to, uint32_t mine) {
    mine = __reduce_max_sync(0xffffffffu, mine);
    if (threadIdx.x == 0 && mine != 0) atomicMax(&to, mine);
  };
  const bool scales = wgmma_scales(largest);
  join(all.bad, largest != 0 && !scales ? 1 : 0);
  join(all.small, scales ? counts.small : 0);
#pragma unroll
  for (int level = 0; level < 2; ++level) {
    const uint32_t lacks = scales ? static_cast<uint32_t>(k) - counts.within[level] : 0;
    join(all.all[level], lacks);
    join(all.uneven[level], counts.small != 0 ? lacks : 0);
  }
}

// By the last thread that comes here.
__device__ __forceinline__ void wgmma_split_answer(const WgmmaSplit &split) {
  const WgmmaSplitOperand *const operands[2] = {&split.a, &split.b};
  WgmmaLines lines[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const volatile WgmmaLines &found = split.state->lines[i];
    lines[i] = {found.bad, found.small, {found.all[0], found.all[1]}, {found.uneven[0], found.uneven[1]}};
    split.state->lines[i] = {};
    if (operands[i]->matrices != 0)
      split.result->lines[i] = lines[i];
    else
      lines[i] = split.result->lines[i];
  }
  split.state->ticket = 0;
  split.result->path = wgmma_split_fits(lines[0], lines[1], split.a.k) ? kWgmmaByParts : kWgmmaStrict;
}

#endif

__global__ void __launch_bounds__(kSplitThreads, 3) gemm_wgmma_split_kernel(const __grid_constant__ WgmmaSplit split) {
#if __CUDA_ARCH__ == 900
  namespace cg = cooperative_groups;
  extern __shared__ float wgmma_split_shared[];
  SplitChunk *const held = reinterpret_cast<SplitChunk *>(wgmma_split_shared);
  __shared__ uint32_t largest_here[kSplitLines], largest[kSplitLines];
  __shared__ WgmmaSplitCounts counts[kSplitLines];
  wait_for_stream();
  const cg::cluster_group cluster = cg::this_cluster();
  const uint32_t blocks = cluster.num_blocks(), rank = cluster.block_rank();
  const int64_t index = blockIdx.x / blocks, of_a = wgmma_split_clusters(split.a);
  const WgmmaSplitOperand &o = index < of_a ? split.a : split.b;
  const int64_t in_lines = ceil_div(o.lines, kSplitLines), tile = index < of_a ? index : index - of_a;
  const int64_t p = tile / in_lines, line = (tile - p * in_lines) * kSplitLines;
  const int64_t chunks_each = ceil_div(ceil_div(o.k, kSplitDepth), blocks), begin = rank * chunks_each * kSplitDepth;
  const int64_t end = min(begin + chunks_each * kSplitDepth, ceil_div(o.k, 32) * 32);  // what is beyond k is zero
  const WgmmaSplitThread thread = {static_cast<int>(threadIdx.x) % 32, static_cast<int>(threadIdx.x) / 32};
  const float *const from = o.from + p * o.batch_step;

  if (threadIdx.x < kSplitLines) {
    largest_here[threadIdx.x] = 0;
    counts[threadIdx.x] = {};
  }
  __syncthreads();
  int kept = 0;
  for (int64_t k = begin; k < end; k += kSplitDepth) {
    float x[kSplitMine];
    wgmma_split_load(o, thread, from, line, k, x);
    wgmma_split_largest(o, thread, x, largest_here);
    if (kept < kSplitHeld) wgmma_split_keep(o, thread, x, held[kept++]);
  }
  cluster.sync();
  if (threadIdx.x < kSplitLines) {
    uint32_t most = 0;
    for (uint32_t r = 0; r < blocks; ++r) most = max(most, cluster.map_shared_rank(largest_here, r)[threadIdx.x]);
    largest[threadIdx.x] = most;
  }
  __syncthreads();

  int slot = 0;
  for (int64_t k = begin; k < end; k += kSplitDepth, ++slot) {
    SplitChunk &chunk = held[slot % kSplitHeld];
    if (slot >= kSplitHeld) {
      float x[kSplitMine];
      wgmma_split_load(o, thread, from, line, k, x);
      __syncthreads();
      wgmma_split_keep(o, thread, x, chunk);
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kSplitLines / kSplitWarps; ++i) {
      const int l = thread.warp * (kSplitLines / kSplitWarps) + i;
      if (line + l >= o.lines) break;
      char *const to = o.to + p * o.to_batch_pitch + (line + l) * o.to_pitch;
      const uint32_t of_line = wgmma_split_line(chunk[l], largest[l], thread.lane, to, k, end);
      if (thread.lane == 0) {
        counts[l].small += of_line & 1023;
        counts[l].within[0] += of_line >> 10 & 1023;
        counts[l].within[1] += of_line >> 20;
      }
    }
  }
  cluster.sync();
  if (rank == 0 && threadIdx.x < kSplitLines) {
    WgmmaSplitCounts all = {};
    for (uint32_t r = 0; r < blocks; ++r) {
      const WgmmaSplitCounts theirs = cluster.map_shared_rank(counts, r)[threadIdx.x];
      all = {all.small + theirs.small, {all.within[0] + theirs.within[0], all.within[1] + theirs.within[1]}};
    }
    const uint32_t most = largest[threadIdx.x];
    if (line + threadIdx.x < o.lines)
      o.exponents[p * o.lines + line + threadIdx.x] =
          wgmma_scales(most) ? static_cast<int32_t>(most >> 23) - 127 - kSplitTopExponent : 0;
    wgmma_split_join(split.state->lines[index < of_a ? 0 : 1], o.k, most, all);
    if (threadIdx.x == 0) {
      __threadfence();
      if (atomicAdd(&split.state->ticket, 1) == of_a + wgmma_split_clusters(split.b) - 1) {
        __threadfence();
        wgmma_split_answer(split);
      }
    }
  }
  cluster.sync();  // what the first block reads stays until then
#endif
}

namespace {

constexpr char kName[] = "gemm_wgmma_split";

}  // namespace

gpuopt_status wgmma_split(const gpuopt_problem &problem, const gpuopt_launch *launch, const WgmmaSplit &split) {
  int32_t blocks = 1;
  while (blocks < kSplitMostBlocks && problem.k > int64_t{kSplitDepth} * 2 * blocks) blocks *= 2;
  LaunchAttributes attributes = early_launch(problem);
  attributes.cluster = blocks;
  const int64_t clusters = wgmma_split_clusters(split.a) + wgmma_split_clusters(split.b);
  return launch_kernel(attributes, launch, kName, dim3(static_cast<unsigned>(clusters * blocks)), dim3(kSplitThreads),
                       kSplitShared, gemm_wgmma_split_kernel, split);
}
gpuopt_status load_wgmma_split(const gpuopt_launch *launch) {
  return load_kernel(launch, kName, gemm_wgmma_split_kernel, kSplitShared);
}

}  // namespace gpuopt
