// fp32 numbers to their parts, and what is counted of them (f32_split.h), four at a time: a dozen instructions for each,
// since two operands have many.
#pragma once

#include <cuda_fp16.h>

#include "common/last_to_come.cuh"
#include "gemm/common/f32_split.h"
#include "gemm/common/f32_split_scaling.cuh"

namespace gpuopt {

#if __CUDA_ARCH__ >= 800

constexpr int kSplitTopExponent = 14;
constexpr uint32_t kSplitLeastExponent = 17;  // biased: of a line's largest number

__device__ __forceinline__ bool f32_split_scales(uint32_t largest) {
  return largest >> 23 >= kSplitLeastExponent && largest >> 23 < 255;
}
__device__ __forceinline__ float f32_split_scale(uint32_t largest) {
  return f32_split_scales(largest) ? f32_power_of_two(kSplitTopExponent + 127 - static_cast<int>(largest >> 23)) : 0.0f;
}
__device__ __forceinline__ int32_t f32_split_exponent(uint32_t largest) {
  return f32_split_scales(largest) ? static_cast<int32_t>(largest >> 23) - 127 - kSplitTopExponent : 0;
}

// NaN is larger than all numbers, as its bits are.
__device__ __forceinline__ float f32_split_larger(float most, float x) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(most), "f"(fabsf(x)));
  return larger;
}
__device__ __forceinline__ float f32_split_larger(float most, float4 x) {
  return f32_split_larger(f32_split_larger(f32_split_larger(f32_split_larger(most, x.x), x.y), x.z), x.w);
}

// Four elements.
template <bool kVectors>
__device__ __forceinline__ float4 f32_split_load(const float *from) {
  if constexpr (kVectors)
    return *reinterpret_cast<const float4 *>(from);
  else
    return {from[0], from[1], from[2], from[3]};
}
// Of which `left` exist; the others are zero.
__device__ __forceinline__ float4 f32_split_load_some(const float *from, int left) {
  return {left > 0 ? from[0] : 0, left > 1 ? from[1] : 0, left > 2 ? from[2] : 0, left > 3 ? from[3] : 0};
}

struct F32SplitCounts {
  uint32_t small, within[2];
};

__device__ __forceinline__ __half2 f16_both(uint32_t bits) {
  const uint32_t both = bits << 16 | bits;
  return reinterpret_cast<const __half2 &>(both);
}
constexpr uint32_t f16_power_of_two(int exponent) { return static_cast<uint32_t>(exponent + 15) << 10; }

// Counts some quads of a line by their high parts, all of which are below 2^15: two at a time, as f16 numbers that are 0 or 1.
class F32SplitCounter {
 public:
  __device__ __forceinline__ void add(__half2 high) {
    const __half2 magnitude = __habs2(high);
    // What is before a power of two is 2^-11 of it less: 2048 times the fraction, less 2047, is 1 and more, or 0 and less.
#pragma unroll
    for (int level = 0; level < 2; ++level) {
      const int factor = 11 - (kSplitTopExponent - f32_split_level(level));
      constexpr uint32_t kMinus2047 = 0xe7ff;
      within_[level] =
          __hadd2(within_[level], __hfma2_sat(magnitude, f16_both(f16_power_of_two(factor)), f16_both(kMinus2047)));
    }
    least_ = __hmin2(least_, magnitude);
  }
  // Of those quads.
  template <int kQuads>
  __device__ __forceinline__ void end(const float4 (&x)[kQuads], float scale, F32SplitCounts &counts) const {
    constexpr uint32_t kLeast = f16_power_of_two(kSplitTopExponent - kF32SplitSmall);
#pragma unroll
    for (int level = 0; level < 2; ++level)
      counts.within[level] += static_cast<uint32_t>(__low2float(within_[level]) + __high2float(within_[level]));
    if (__hbge2(least_, f16_both(kLeast))) return;
    // Rare but for zeros, which are exact.
    const auto count = [&](float value) {
      const __half high = __habs(__float2half_rn(value * scale));
      counts.small += value != 0 && __half_as_ushort(high) < kLeast ? 1 : 0;
    };
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      count(x[q].x);
      count(x[q].y);
      count(x[q].z);
      count(x[q].w);
    }
  }

 private:
  __half2 within_[2] = {f16_both(0), f16_both(0)}, least_ = f16_both(0x7bff);
};

// Where in a line's parts the high one of element k lies, in bytes. The low one is 64 behind it.
__device__ __forceinline__ uint32_t f32_split_offset(uint32_t k) { return k / 32 * 128 + k % 32 * 2; }

// The parts of four elements.
__device__ __forceinline__ void f32_split_store(char *to, float4 x, float scale, F32SplitCounter &counter) {
  const auto bits = [](__half2 pair) { return reinterpret_cast<const uint32_t &>(pair); };
  const float scaled[4] = {x.x * scale, x.y * scale, x.z * scale, x.w * scale};
  uint32_t high[2], low[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const __half2 pair = __floats2half2_rn(scaled[2 * i], scaled[2 * i + 1]);
    const float2 taken = __half22float2(pair);
    high[i] = bits(pair);
    low[i] = bits(__floats2half2_rn(scaled[2 * i] - taken.x, scaled[2 * i + 1] - taken.y));
    counter.add(pair);
  }
  *reinterpret_cast<uint2 *>(to) = {high[0], high[1]};
  *reinterpret_cast<uint2 *>(to + 64) = {low[0], low[1]};
}

// What a line adds to what is true of all.
__device__ __forceinline__ F32SplitFacts f32_split_line(uint32_t largest, int64_t k, F32SplitCounts counts) {
  if (largest == 0) return {};
  if (!f32_split_scales(largest)) return {1, 0, {0, 0}, {0, 0}};
  const uint32_t lacks[2] = {static_cast<uint32_t>(k) - counts.within[0], static_cast<uint32_t>(k) - counts.within[1]};
  const bool uneven = counts.small != 0;
  return {0, counts.small, {lacks[0], lacks[1]}, {uneven ? lacks[0] : 0, uneven ? lacks[1] : 0}};
}
__device__ __forceinline__ void f32_split_join(F32SplitFacts &all, const F32SplitFacts &mine) {
  const auto join = [](uint32_t &to, uint32_t x) {
    if (x != 0) atomicMax(&to, x);
  };
  join(all.bad, mine.bad);
  join(all.small, mine.small);
#pragma unroll
  for (int level = 0; level < 2; ++level) {
    join(all.all[level], mine.all[level]);
    join(all.uneven[level], mine.uneven[level]);
  }
}

// By a thread of each of so many blocks, when all that its block found has been joined: the last one answers.
__device__ __forceinline__ void f32_split_answer(const F32Split &split, uint32_t blocks) {
  hand_over();
  if (atomicAdd(&split.state->ticket, 1) != blocks - 1) return;
  hand_over();
  const F32SplitOperand *const operands[2] = {&split.a, &split.b};
  F32SplitFacts lines[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const volatile F32SplitFacts &found = split.state->lines[i];
    lines[i] = {found.bad, found.small, {found.all[0], found.all[1]}, {found.uneven[0], found.uneven[1]}};
    split.state->lines[i] = {};
    if (operands[i]->matrices != 0)
      split.result->lines[i] = lines[i];
    else
      lines[i] = split.result->lines[i];
  }
  split.state->ticket = 0;
  split.result->path = f32_split_fits(lines[0], lines[1], split.a.k) ? kF32SplitByParts : kF32SplitStrict;
}

#endif

}  // namespace gpuopt
