// wgmma_split.h's kernels.
//
// Idea and data movement: both operands are read twice and their parts written once, all of it coalesced, by single words, so
// that lines may begin anywhere. A block splits 32 lines by 128 of k, which lie in shared memory meanwhile whichever way they
// came. The second pass goes from the end to the beginning: what the first one read last may still be in L2. Largest numbers
// are compared as the integers that their bits are. Only what runs on sm_90 calls them: elsewhere they are empty.
#include "gemm/wgmma/wgmma_split.h"

#include <cuda_fp16.h>

#include "common/dependent_launch.cuh"
#include "common/index.cuh"
#include "gemm/wgmma/wgmma_instruction.cuh"
#include "gemm/wgmma/wgmma_results.h"

namespace gpuopt {

constexpr int kSplitThreads = 256, kSplitWarps = kSplitThreads / 32;
constexpr int kSplitLines = 32, kSplitDepth = 128;  // of a block that splits
constexpr int kSplitTopExponent = 14;
constexpr uint32_t kSplitLeastExponent = 17;  // biased: of a line's largest number
constexpr int kSplitLinesOfBlock = 1024;      // that are judged

struct WgmmaSplitTile {
  int64_t lines, depth;
  __host__ __device__ int64_t count(const WgmmaSplitOperand &o) const {
    return o.matrices * ceil_div(o.lines, lines) * ceil_div(o.k, depth);
  }
};
// Of a block that looks for the largest.
__host__ __device__ inline WgmmaSplitTile wgmma_largest_tile(const WgmmaSplitOperand &o) {
  return o.along_k ? WgmmaSplitTile{16, 1024} : WgmmaSplitTile{kSplitThreads, 64};
}

struct WgmmaSplitPlace {
  int64_t p, line, k;
  __device__ WgmmaSplitPlace(const WgmmaSplitOperand &o, WgmmaSplitTile size, int64_t tile) {
    const int64_t in_k = ceil_div(o.k, size.depth), in_lines = ceil_div(o.lines, size.lines);
    // Neighbours in memory go to neighbouring blocks.
    const int64_t row = o.along_k ? tile / in_k : tile / in_lines, col = tile - row * (o.along_k ? in_k : in_lines);
    const int64_t rows = o.along_k ? in_lines : in_k;
    p = row / rows;
    line = (o.along_k ? row - p * rows : col) * size.lines;
    k = (o.along_k ? col : row - p * rows) * size.depth;
  }
};

__device__ __forceinline__ uint32_t magnitude_bits(float x) { return __float_as_uint(x) & 0x7fffffffu; }

__global__ void __launch_bounds__(kSplitThreads) gemm_wgmma_largest_kernel(const __grid_constant__ WgmmaSplit split) {
#if __CUDA_ARCH__ == 900
  wait_for_stream();
  const int64_t tiles_a = wgmma_largest_tile(split.a).count(split.a);
  const bool is_a = blockIdx.x < tiles_a;
  const WgmmaSplitOperand &o = is_a ? split.a : split.b;
  const WgmmaSplitPlace at(o, wgmma_largest_tile(o), is_a ? blockIdx.x : blockIdx.x - tiles_a);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const float *const from = o.from + at.p * o.batch_step;
  uint32_t *const largest = o.largest + at.p * o.lines;
  if (o.along_k) {
#pragma unroll 1
    for (int64_t line = at.line + warp * 2; line < at.line + warp * 2 + 2 && line < o.lines; ++line) {
      const float *const of_line = from + line * o.ld;
      uint32_t most = 0;
#pragma unroll 16
      for (int i = 0; i < 32; ++i) {
        const int64_t k = at.k + i * 32 + lane;
        if (k < o.k) most = max(most, magnitude_bits(of_line[k]));
      }
      most = __reduce_max_sync(0xffffffffu, most);
      if (lane == 0) atomicMax(largest + line, most);
    }
  } else {
    const int64_t line = at.line + threadIdx.x;
    if (line >= o.lines) return;
    uint32_t most = 0;
#pragma unroll 16
    for (int i = 0; i < 64; ++i) {
      const int64_t k = at.k + i;
      if (k < o.k) most = max(most, magnitude_bits(from[k * o.ld + line]));
    }
    atomicMax(largest + line, most);
  }
#endif
}

__device__ __forceinline__ bool wgmma_scales(uint32_t largest) {
  return largest >> 23 >= kSplitLeastExponent && largest >> 23 < 255;
}

__global__ void __launch_bounds__(kSplitThreads) gemm_wgmma_split_kernel(const __grid_constant__ WgmmaSplit split) {
#if __CUDA_ARCH__ == 900
  __shared__ float shared[kSplitLines][kSplitDepth + 1];
  wait_for_stream();
  constexpr WgmmaSplitTile kTile = {kSplitLines, kSplitDepth};
  const int64_t tiles_a = kTile.count(split.a), tile = int64_t{gridDim.x} - 1 - blockIdx.x;
  const bool is_a = tile < tiles_a;
  const WgmmaSplitOperand &o = is_a ? split.a : split.b;
  const WgmmaSplitPlace at(o, kTile, is_a ? tile : tile - tiles_a);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const float *const from = o.from + at.p * o.batch_step;
  constexpr int kMine = kSplitLines * kSplitDepth / kSplitThreads, kOfLine = kSplitDepth / 32;
  float x[kMine];
#pragma unroll
  for (int i = 0; i < kMine; ++i) {
    const int64_t line = at.line + (o.along_k ? warp * (kMine / kOfLine) + i / kOfLine : lane);
    const int64_t k = at.k + (o.along_k ? i % kOfLine * 32 + lane : i * kSplitWarps + warp);
    x[i] = line < o.lines && k < o.k ? from[o.along_k ? line * o.ld + k : k * o.ld + line] : 0;
  }
#pragma unroll
  for (int i = 0; i < kMine; ++i) {
    if (o.along_k)
      shared[warp * (kMine / kOfLine) + i / kOfLine][i % kOfLine * 32 + lane] = x[i];
    else
      shared[lane][i * kSplitWarps + warp] = x[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSplitLines / kSplitWarps; ++i) {
    const int l = warp * (kSplitLines / kSplitWarps) + i;
    const int64_t line = at.line + l;
    if (line >= o.lines) return;
    const uint32_t largest = o.largest[at.p * o.lines + line], exponent = largest >> 23;
    const bool scales = wgmma_scales(largest);
    const float scale = scales ? wgmma_power_of_two(kSplitTopExponent + 127 - static_cast<int>(exponent)) : 0.0f;
    char *const to = o.to + at.p * o.to_batch_pitch + line * o.to_pitch;
    uint32_t counts = 0;
#pragma unroll
    for (int q = 0; q < kSplitDepth / 64; ++q) {
      const int first = q * 64 + lane * 2;
      __half high[2], low[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const float value = shared[l][first + e], scaled = value * scale;
        const uint32_t its = magnitude_bits(value) >> 23;
        counts += (value != 0 && its + kWgmmaSplitSmall < exponent ? 1u : 0u) |
                  (its + wgmma_split_level(0) >= exponent ? 1u << 10 : 0u) |
                  (its + wgmma_split_level(1) >= exponent ? 1u << 20 : 0u);
        high[e] = __float2half_rn(scaled);
        low[e] = __float2half_rn(scaled - __half2float(high[e]));
      }
      const int64_t k = at.k + first;
      if (k >= ceil_div(o.k, 32) * 32) continue;  // what is beyond k in the last 32 is zero
      char *const word = to + k / 32 * 128 + k % 32 * 2;
      *reinterpret_cast<__half2 *>(word) = __halves2half2(high[0], high[1]);
      *reinterpret_cast<__half2 *>(word + 64) = __halves2half2(low[0], low[1]);
    }
    counts = __reduce_add_sync(0xffffffffu, counts);
    if (lane == 0 && scales)
      atomicAdd(o.counts + at.p * o.lines + line, (counts & 1023) |
                                                      static_cast<unsigned long long>(counts >> 10 & 1023) << 21 |
                                                      static_cast<unsigned long long>(counts >> 20) << 42);
  }
#endif
}

#if __CUDA_ARCH__ == 900
__device__ __forceinline__ void wgmma_judge(const WgmmaSplitOperand &o, WgmmaLines &to) {
  const int64_t lines = o.matrices * o.lines;
  const int64_t begin = int64_t{blockIdx.x} * kSplitLinesOfBlock;
  WgmmaLines x = {};
  for (int64_t l = begin + threadIdx.x; l < begin + kSplitLinesOfBlock && l < lines; l += kSplitThreads) {
    const uint32_t largest = o.largest[l];
    const unsigned long long counts = o.counts[l];
    o.largest[l] = 0;
    o.counts[l] = 0;
    const bool scales = wgmma_scales(largest);
    o.exponents[l] = scales ? static_cast<int32_t>(largest >> 23) - 127 - kSplitTopExponent : 0;
    if (largest == 0) continue;
    if (!scales) {
      x.bad = 1;
      continue;
    }
    const uint32_t small = static_cast<uint32_t>(counts) & 0x1fffffu;
    x.small = max(x.small, small);
#pragma unroll
    for (int level = 0; level < 2; ++level) {
      const uint32_t lacks =
          static_cast<uint32_t>(o.k) - (static_cast<uint32_t>(counts >> (21 * (level + 1))) & 0x1fffffu);
      x.all[level] = max(x.all[level], lacks);
      if (small != 0) x.uneven[level] = max(x.uneven[level], lacks);
    }
  }
  const auto join = [](uint32_t &all, uint32_t mine) {
    mine = __reduce_max_sync(0xffffffffu, mine);
    if (threadIdx.x % 32 == 0 && mine != 0) atomicMax(&all, mine);
  };
  join(to.bad, x.bad);
  join(to.small, x.small);
#pragma unroll
  for (int level = 0; level < 2; ++level) {
    join(to.all[level], x.all[level]);
    join(to.uneven[level], x.uneven[level]);
  }
}
#endif

__global__ void __launch_bounds__(kSplitThreads) gemm_wgmma_judge_kernel(const __grid_constant__ WgmmaSplit split) {
#if __CUDA_ARCH__ == 900
  wait_for_stream();
  wgmma_judge(split.a, split.state->lines[0]);
  wgmma_judge(split.b, split.state->lines[1]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(&split.state->ticket, 1) != gridDim.x - 1) return;
  __threadfence();
  const WgmmaSplitOperand *const operands[2] = {&split.a, &split.b};
  WgmmaLines lines[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    volatile WgmmaLines &found = split.state->lines[i];
    lines[i] = {found.bad, found.small, {found.all[0], found.all[1]}, {found.uneven[0], found.uneven[1]}};
    split.state->lines[i] = {};
    if (operands[i]->matrices != 0)
      split.result->lines[i] = lines[i];
    else
      lines[i] = split.result->lines[i];
  }
  split.state->ticket = 0;
  split.result->path = wgmma_split_fits(lines[0], lines[1], split.a.k) ? kWgmmaByParts : kWgmmaStrict;
#endif
}

namespace {

constexpr char kName[] = "gemm_wgmma_split";

}  // namespace

gpuopt_status wgmma_split(const gpuopt_problem &problem, const gpuopt_launch *launch, const WgmmaSplit &split) {
  const WgmmaSplitTile tile = {kSplitLines, kSplitDepth};
  const auto run = [&](int64_t blocks, void (*kernel)(WgmmaSplit)) {
    return launch_kernel(early_launch(problem), launch, kName, dim3(static_cast<unsigned>(blocks)), dim3(kSplitThreads),
                         0, kernel, split);
  };
  gpuopt_status status = run(wgmma_largest_tile(split.a).count(split.a) + wgmma_largest_tile(split.b).count(split.b),
                             gemm_wgmma_largest_kernel);
  if (status == GPUOPT_OK) status = run(tile.count(split.a) + tile.count(split.b), gemm_wgmma_split_kernel);
  const int64_t lines_a = split.a.matrices * split.a.lines, lines_b = split.b.matrices * split.b.lines;
  return status != GPUOPT_OK
             ? status
             : run(ceil_div(lines_a > lines_b ? lines_a : lines_b, kSplitLinesOfBlock), gemm_wgmma_judge_kernel);
}
gpuopt_status load_wgmma_split(const gpuopt_launch *launch) {
  for (const auto kernel : {gemm_wgmma_largest_kernel, gemm_wgmma_split_kernel, gemm_wgmma_judge_kernel}) {
    const gpuopt_status status = load_kernel(launch, kName, kernel);
    if (status != GPUOPT_OK) return status;
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt
