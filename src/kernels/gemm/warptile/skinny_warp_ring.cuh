// Warps that share nothing, for products of few rows or columns: see gemm_warptile_skinny_warp_ring.cu.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/last_to_come.cuh"
#include "gemm/warptile/skinny_lines.h"
#include "gemm/warptile/warptile_async.cuh"
#include "gemm/warptile/warptile_work.cuh"

namespace gpuopt {

// Lines of either operand and steps of k of a warp's stage; stages of its ring. Lines of the small operand lie 80 bytes
// apart, for the sake of those that are written across; lines of the sums 4 floats further than they are long.
struct Skinny {
  static constexpr int kFew = 16, kMany = 128, kSteps = 16, kStages = 3;
  static constexpr int kWarps = 8, kThreads = 32 * kWarps, kDepth = kSteps * kWarps;
  static constexpr int kFewPitch = kSteps * 4 + 16, kManyPitch = kSteps * 4, kBytesOfMany = kMany * kManyPitch;
  static constexpr int kStageBytes = kBytesOfMany + kFew * kFewPitch, kRingBytes = kStages * kStageBytes;
  static constexpr int kSmem = kWarps * kRingBytes;
  static constexpr int kSumPitch = kMany + 4, kPacks = kFew * (kMany / 4) / kThreads;
  static_assert(kFew * kSumPitch * 4 <= kRingBytes, "a warp's sums take the place of its ring");
};

struct SkinnyWarpRing {
  WarptileWork work;  // tiles_m: groups of lines of the small operand, tiles_n: of the large one
  SkinnyLines few, many;
  int64_t k;
  bool few_are_rows;  // of D
  PlainOutput<float> out;
  float *parts;
  uint32_t *tickets;
};

// The large operand's way into a warp's ring. Along k, [line][k]: 16-byte chunk q of a line lies at q ^ (line / 2 % 4),
// so that eight lanes that read one of neighbouring lines meet eight banks. Else [k][line].
template <bool kAlongK, int kBytes>
class SkinnyManyCopy {
 public:
  // from: the first step of k of this warp, line 0 of the tile, of which lines_left exist.
  __device__ __forceinline__ SkinnyManyCopy(const SkinnyLines &o, const float *from, int lines_left)
      : lines_left_(lines_left), line_step_(o.line_step), k_step_(o.k_step) {
    const int lane = threadIdx.x % 32;
    if constexpr (kBytes == 16) {
      line_ = kAlongK ? lane / 4 : lane * 4;
      k_ = kAlongK ? lane % 4 * 4 : 0;
      place_ =
          static_cast<uint32_t>(kAlongK ? line_ * Skinny::kManyPitch + ((lane % 4) ^ (line_ / 2 % 4)) * 16 : lane * 16);
      from += line_ * o.line_step + k_ * o.k_step;
    }
    from_ = reinterpret_cast<const char *>(from);
  }
  // k_left: steps of k that exist of this stage, maybe none.
  __device__ __forceinline__ void issue(uint32_t to, int k_left) {
    if constexpr (kBytes == 16) {
      constexpr int kStep = kAlongK ? 8 : 1;  // lines, or steps of k
      const int64_t step = (kAlongK ? line_step_ * 8 : k_step_) * 4;
      const bool there = kAlongK ? k_ < k_left : line_ < lines_left_;
      const int left = there ? kAlongK ? lines_left_ - line_ : k_left : 0;
      const char *from = from_;
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        copy_async<16>(
            to + place_ + static_cast<uint32_t>(i * kStep * (kAlongK ? Skinny::kManyPitch : Skinny::kMany * 4)), from,
            i * kStep < left);
        from += step;
      }
    } else {
      const int lane = threadIdx.x % 32;
#pragma unroll 2
      for (int i = 0; i < Skinny::kMany * Skinny::kSteps / 32; ++i) {
        const int line = kAlongK ? i * 2 + lane / 16 : i % 4 * 32 + lane, k = kAlongK ? lane % 16 : i / 4;
        const int place = kAlongK ? line * Skinny::kManyPitch + ((k / 4) ^ (line / 2 % 4)) * 16 + k % 4 * 4
                                  : (k * Skinny::kMany + line) * 4;
        copy_async<4>(to + static_cast<uint32_t>(place), from_ + (line * line_step_ + k * k_step_) * 4,
                      line < lines_left_ && k < k_left);
      }
    }
    from_ += k_step_ * (Skinny::kDepth * 4);
  }

 private:
  const char *from_;
  int line_, k_, lines_left_;
  uint32_t place_;
  int64_t line_step_, k_step_;
};

// The small operand's way, always as [line][k]: by 16 bytes along k, or any layout by 4.
template <int kBytes>
class SkinnyFewCopy {
 public:
  __device__ __forceinline__ SkinnyFewCopy(const SkinnyLines &o, const float *from, int lines_left)
      : across_(kBytes == 4 && o.k_step != 1) {
    const int lane = threadIdx.x % 32;
    int line = kBytes == 16 ? lane / 4 : lane / 16;
    k_ = kBytes == 16 ? lane % 4 * 4 : lane % 16;
    if (across_) line = lane % 16, k_ = lane / 16;
    lines_left_ = lines_left - line;
    place_ = static_cast<uint32_t>(line * Skinny::kFewPitch + k_ * 4);
    place_step_ = static_cast<uint32_t>(across_ ? kStep * 4 : kStep * Skinny::kFewPitch);
    step_ = (across_ ? o.k_step : o.line_step) * (kStep * 4);
    tile_step_ = o.k_step * (Skinny::kDepth * 4);
    from_ = reinterpret_cast<const char *>(from + line * o.line_step + k_ * o.k_step);
  }
  __device__ __forceinline__ void issue(uint32_t to, int k_left) {
    const int of_k = k_left - k_, left = across_ ? lines_left_ > 0 ? of_k : 0 : of_k > 0 ? lines_left_ : 0;
    const char *from = from_;
    to += place_;
#pragma unroll
    for (int i = 0; i < 16 / kStep; ++i) {
      copy_async<kBytes>(to, from, i * kStep < left);
      from += step_;
      to += place_step_;
    }
    from_ += tile_step_;
  }

 private:
  static constexpr int kStep = kBytes == 16 ? 8 : 2;  // lines, or across steps of k, from one copy to the next
  const char *from_;
  bool across_;
  int k_, lines_left_;
  uint32_t place_, place_step_;
  int64_t step_, tile_step_;
};

// sums += four steps of k; quad: of the stage.
template <bool kAlongK>
__device__ __forceinline__ void multiply_skinny(const char *stage, int quad, float (&sums)[Skinny::kFew][4]) {
  const int lane = threadIdx.x % 32;
  float w[4][4];  // along k: [line][k], else [k][line]
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int place =
        kAlongK ? ((lane * Skinny::kManyPitch + lane / 2 % 4 * 16) ^ (quad * 16)) + i * 32 * Skinny::kManyPitch
                : ((quad * 4 + i) * Skinny::kMany + lane * 4) * 4;
    const float4 v = *reinterpret_cast<const float4 *>(stage + place);
    w[i][0] = v.x, w[i][1] = v.y, w[i][2] = v.z, w[i][3] = v.w;
  }
#pragma unroll
  for (int r = 0; r < Skinny::kFew; ++r) {
    const float4 v =
        *reinterpret_cast<const float4 *>(stage + Skinny::kBytesOfMany + r * Skinny::kFewPitch + quad * 16);
    const float a[4] = {v.x, v.y, v.z, v.w};
    // Registers come from two banks, by parity. Along x, sums lie with neighbours exchanged (the order in which they
    // are stored), so that sum and element are of different ones; along k, steps of both parities take turns.
#pragma unroll
    for (int e = 0; e < 4; ++e) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int k = kAlongK ? e ^ (c & 1) ^ 1 : e;
        sums[r][c] += a[k] * (kAlongK ? w[c][k] : w[k][c]);
      }
    }
  }
}

// kBytesFew, kBytesMany: of the copies.
template <bool kAlongK, int kBytesFew, int kBytesMany>
__global__ void __launch_bounds__(Skinny::kThreads, 1)
    gemm_warptile_skinny_warp_ring_kernel([[maybe_unused]] const __grid_constant__ SkinnyWarpRing g) {
#if __CUDA_ARCH__ >= 900
  constexpr int kPacks = Skinny::kPacks, kStages = Skinny::kStages, kFew = Skinny::kFew, kMany = Skinny::kMany;
  extern __shared__ float4 skinny_shared[];
  char *const shared = reinterpret_cast<char *>(skinny_shared);
  wait_for_stream();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  char *const ring = shared + warp * Skinny::kRingBytes;
  const uint32_t ring_address = static_cast<uint32_t>(__cvta_generic_to_shared(ring));

  const uint64_t k_tiles = g.work.k_tiles, end = g.work.first_unit(blockIdx.x + 1);
  for (uint64_t unit = g.work.first_unit(blockIdx.x); unit < end;) {
    const uint32_t index = static_cast<uint32_t>(unit / k_tiles);
    const uint64_t tile_unit = index * k_tiles;
    const uint32_t first = static_cast<uint32_t>(unit - tile_unit);  // units of this tile: [first, first + count)
    const int count = static_cast<int>(min(end - unit, k_tiles - first));
    unit += static_cast<uint32_t>(count);
    const WarptileWork::Tile tile = g.work.tile(index);
    const int64_t first_few = int64_t{tile.row} * kFew, first_many = int64_t{tile.col} * kMany;
    const int64_t first_k = int64_t{first} * Skinny::kDepth + warp * Skinny::kSteps;

    const auto corner = [&](const SkinnyLines &o, int64_t line) {
      return o.data + tile.p * o.batch_step + line * o.line_step + first_k * o.k_step;
    };
    SkinnyFewCopy<kBytesFew> copy_few(g.few, corner(g.few, first_few),
                                      static_cast<int>(min(g.few.lines - first_few, int64_t{kFew})));
    SkinnyManyCopy<kAlongK, kBytesMany> copy_many(g.many, corner(g.many, first_many),
                                                  static_cast<int>(min(g.many.lines - first_many, int64_t{kMany})));
    int to_issue = count, k_left = static_cast<int>(min(g.k - first_k, int64_t{count} * Skinny::kDepth));
    uint32_t write = 0;
    const auto issue = [&] {
      if (to_issue > 0) {
        copy_many.issue(ring_address + write, k_left);
        copy_few.issue(ring_address + write + Skinny::kBytesOfMany, k_left);
      }
      __pipeline_commit();
      --to_issue;
      k_left -= Skinny::kDepth;
      write = write + Skinny::kStageBytes == Skinny::kRingBytes ? 0 : write + Skinny::kStageBytes;
    };

    float sums[kFew][4] = {};
#pragma unroll 1
    for (int s = 0; s < kStages - 1; ++s) issue();
    uint32_t read = 0;
#pragma unroll 1
    for (int t = 0; t < count; ++t) {
      __pipeline_wait_prior(kStages - 2);
      __syncwarp();  // the stage is there for all lanes, and all have read what the next copies write over
      issue();
#pragma unroll
      for (int quad = 0; quad < Skinny::kSteps / 4; ++quad) multiply_skinny<kAlongK>(ring + read, quad, sums);
      read = read + Skinny::kStageBytes == Skinny::kRingBytes ? 0 : read + Skinny::kStageBytes;
    }
    __syncwarp();  // the ring is done with

    // Lane l has columns l, l + 32 ... of the tile along k, else 4 l ... 4 l + 3, which are written exchanged.
    float *const mine = reinterpret_cast<float *>(ring);
#pragma unroll
    for (int r = 0; r < kFew; ++r) {
      float *const row = mine + r * Skinny::kSumPitch;
      if constexpr (kAlongK) {
#pragma unroll
        for (int c = 0; c < 4; ++c) row[c * 32 + lane] = sums[r][c];
      } else {
        *reinterpret_cast<float4 *>(row + lane * 4) = make_float4(sums[r][1], sums[r][0], sums[r][3], sums[r][2]);
      }
    }
    __syncthreads();

    // Pack j of the tile is four neighbouring columns of a row of sums, numbered so that D is written along its rows.
    const auto row_of = [&](int j) { return g.few_are_rows ? j / (kMany / 4) : j % kFew; };
    const auto col_of = [&](int j) { return (g.few_are_rows ? j % (kMany / 4) : j / kFew) * 4; };
    float total[kPacks][4] = {};
    const auto add = [&](int i, const float4 &v) {
      total[i][0] += v.x, total[i][1] += v.y, total[i][2] += v.z, total[i][3] += v.w;
    };
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int j = static_cast<int>(threadIdx.x) + i * Skinny::kThreads;
      const char *const from = shared + (row_of(j) * Skinny::kSumPitch + col_of(j)) * 4;
#pragma unroll
      for (int w = 0; w < Skinny::kWarps; ++w) add(i, *reinterpret_cast<const float4 *>(from + w * Skinny::kRingBytes));
    }
    __syncthreads();  // the rings may be written again

    if (static_cast<uint64_t>(count) < k_tiles) {  // a part of the tile: the last to come adds all
      constexpr int64_t kSlot = kFew * (kMany / 4);
      float4 *const parts = reinterpret_cast<float4 *>(g.parts) + threadIdx.x;
      float4 *const part = parts + g.work.slot(blockIdx.x, tile_unit) * kSlot;
#pragma unroll
      for (int i = 0; i < kPacks; ++i) {
        __stcg(part + i * Skinny::kThreads, make_float4(total[i][0], total[i][1], total[i][2], total[i][3]));
      }
      const uint32_t from = g.work.block_of(tile_unit), to = g.work.block_of(tile_unit + k_tiles - 1);
      if (!is_last_to_come(g.tickets + index, to - from + 1)) continue;
#pragma unroll
      for (int i = 0; i < kPacks; ++i) total[i][0] = total[i][1] = total[i][2] = total[i][3] = 0;
#pragma unroll 4
      for (uint32_t block = from; block <= to; ++block) {
        const float4 *const other = parts + g.work.slot(block, tile_unit) * kSlot;
#pragma unroll
        for (int i = 0; i < kPacks; ++i) add(i, __ldcg(other + i * Skinny::kThreads));
      }
    }

    const PlainOutput<float>::Scalars scalars = g.out.scalars();
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int j = static_cast<int>(threadIdx.x) + i * Skinny::kThreads;
      const int64_t few = first_few + row_of(j), many = first_many + col_of(j);
      float x[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) x[e] = total[i][kAlongK ? e : e ^ 1];
      if (few >= g.few.lines) continue;
      if (g.few_are_rows) {
        g.out.store_quad(scalars, tile.p, few, many, g.many.lines, x);
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (many + e < g.many.lines) g.out.store(scalars, tile.p, many + e, few, x[e]);
        }
      }
    }
  }
#endif
}

}  // namespace gpuopt
