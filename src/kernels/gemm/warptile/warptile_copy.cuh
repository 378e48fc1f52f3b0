// One operand's way from global to shared memory in the warptile kernels: tiles of kDepth steps of k by kExtent rows
// of A (or columns of B), kept in shared memory as [k][x] whatever the operand's layout, so that a fragment is a
// float4 along x.
//
//   kBytes 4   any layout, any alignment. Eight steps of k by threads / 8 of x a pass. Where k is contiguous, a warp
//              copies 8 steps of k of 4 rows (whole 32-byte sectors); the pitch of kExtent + 4 floats spreads them
//              over all 32 banks, so the transposition costs nothing. Where x is contiguous, lanes run along x.
//   kBytes 16  x contiguous, lines and base on 16 bytes, whole lines readable up to a multiple of 4.
//
// From sm_80 on, copies are asynchronous (cp.async); below, they wait in registers between issue() and settle(). x
// beyond the operand is an element of it again, or zero: what it makes is never stored. k beyond the end is written
// as zeros.
#pragma once

#include "gemm/warptile/warptile_async.cuh"

namespace gpuopt {

template <int kBytes>
struct StagedWord {
  using type = float;
};
template <>
struct StagedWord<16> {
  using type = float4;
};

// A tile's copies are issued in up to kMostParts parts, in their order. Those that are not asynchronous take turns in
// the same registers. kEndless: copies go on behind the last tile, with zeros, so that the loop around them needs no
// branch, and what they need runs along from tile to tile.
template <int kExtent, int kDepth, int kThreads, int kBytes, int kMostParts, bool kEndless_>
class TileCopy {
  // 4 bytes: a pass is 8 steps of k by kAcross of x. 16 bytes: kRows steps of k by the whole extent.
  static constexpr int kAcross = kThreads / 8, kRow = kExtent / 4, kRows = kThreads / kRow;
  static constexpr int kAlongX = kBytes == 16 || kAcross > kExtent ? 1 : kExtent / kAcross;
  static constexpr int kGroupDepth = kBytes == 4 ? 8 : kRows < kDepth ? kRows : kDepth;
  static constexpr int kGroups = kDepth / kGroupDepth;
  static constexpr int kCopies = kGroups * kAlongX;

 public:
  static constexpr int kParts = GPUOPT_WARPTILE_STAGED || kMostParts < kCopies ? kMostParts : kCopies;
  static constexpr int kPitch = kExtent + 4;
  static constexpr int kFloats = kDepth * kPitch;
  static constexpr bool kEndless = kEndless_;
  static constexpr bool kByExtent = kBytes == 16;  // a thread's place depends on nothing else

  // base: element (x = 0, k = 0) of the tile's strip; left: x that exist from there on, at least 1; k: steps of k.
  __device__ __forceinline__ void begin(const float *base, int64_t ld, bool along_k, int32_t left, int32_t k) {
    const int thread = threadIdx.x;
    if constexpr (kBytes == 4) {
      const int lane = thread % 32, warp = thread / 32;
      int x;
      if (along_k) {
        k_ = lane % 8;
        x = warp * 4 + lane / 8;
      } else if constexpr (kAcross >= 32) {
        k_ = warp % 8;
        x = warp / 8 * 32 + lane;
      } else {
        k_ = warp + kThreads / 32 * (lane / kAcross);
        x = lane % kAcross;
      }
      active_ = kAcross <= kExtent || x < kExtent;
      along_k_ = along_k;
      x_left_ = left >= kExtent ? kExtent : left - x;
      shared_ = static_cast<uint32_t>(k_ * kPitch + x) * 4;
      const int64_t k_step = along_k ? 1 : ld;
      from_ = reinterpret_cast<const char *>(base + k_ * k_step + (along_k ? 0 : x));
#pragma unroll
      for (int c = 0; c < kAlongX; ++c) {
        offset_[c] = static_cast<uint32_t>(min(x + c * kAcross, left - 1)) * static_cast<uint32_t>(ld * 4);
      }
      group_step_ = k_step * 8 * 4;
      tile_step_ = k_step * kDepth * 4;
    } else {
      const int x = thread % kRow * 4;
      k_ = thread / kRow;
      active_ = kRows <= kDepth || k_ < kDepth;
      shared_ = static_cast<uint32_t>(k_ * kPitch + x) * 4;
      from_ = reinterpret_cast<const char *>(base + k_ * ld + min(x, (left + 3) / 4 * 4 - 4));
      group_step_ = ld * kGroupDepth * 4;
      tile_step_ = ld * kDepth * 4;
    }
    k_left_ = k - k_;
  }

  // ring: the shared address of the operand's first stage.
  __device__ __forceinline__ void place(uint32_t ring) { ring_ = keep_in_register(ring + shared_); }

  // Endless: the next tile goes to `stage`, an offset from the first one.
  __device__ __forceinline__ void enter(uint32_t stage) { to_ = keep_in_register(ring_ + stage); }
  // The same where the other operand's copies lie alike, `distance` before these.
  __device__ __forceinline__ void enter(const TileCopy &other, uint32_t distance) { to_ = other.to_ + distance; }

  // Part `part` of kParts of the copies of the current tile, of which k_left steps of k exist, to `stage`; both count
  // only where copies are not endless.
  __device__ __forceinline__ void issue(uint32_t stage, int k_left, int part) {
    if (!active_) return;
    if (kBytes == 16) {
      issue_part<false, false>(stage, k_left, part);
    } else if (along_k_) {
      issue_part<true, false>(stage, k_left, part);
    } else if (x_left_ == kExtent) {
      issue_part<false, false>(stage, k_left, part);
    } else {
      issue_part<false, true>(stage, k_left, part);
    }
  }

  // Below sm_80: what issue() of this part has read goes to shared memory.
  __device__ __forceinline__ void settle([[maybe_unused]] char *stage, [[maybe_unused]] int part) const {
#if GPUOPT_WARPTILE_STAGED
    if (!active_) return;
#pragma unroll
    for (int copy = part * kPart; copy < (part + 1) * kPart && copy < kCopies; ++copy) {
      *reinterpret_cast<Word *>(stage + shared_ + shared_offset(copy % kGroups, copy / kGroups)) = word_[copy % kPart];
    }
#endif
  }

  // After every part of a tile: on to the next one.
  __device__ __forceinline__ void advance() {
    if (!kEndless || kBytes == 4) from_ += tile_step_;
    k_left_ -= kDepth;
  }

 private:
  template <bool kAlongK, bool kEdge>
  __device__ __forceinline__ void issue_part(uint32_t stage, int k_left, int part) {
#pragma unroll
    for (int copy = part * kPart; copy < (part + 1) * kPart && copy < kCopies; ++copy) {
      const int g = copy % kGroups, c = copy / kGroups;
      bool valid = kEndless ? g * kGroupDepth < k_left_ : k_ + g * kGroupDepth < k_left;
      const char *from;
      if (kBytes == 16) {
        from = kEndless ? from_ : from_ + g * group_step_;
      } else if (kAlongK) {
        from = from_ + offset_[c] + g * 32;
      } else {
        from = from_ + g * group_step_ + c * kAcross * 4;
        if (kEdge) valid = valid && c * kAcross < x_left_;
      }
#if GPUOPT_WARPTILE_STAGED
      word_[copy % kPart] = valid ? *reinterpret_cast<const Word *>(from) : Word{};
#else
      copy_async<kBytes>((kEndless ? to_ : ring_ + stage) + shared_offset(g, c), from, valid);
#endif
      if (kEndless && kBytes == 16) from_ = keep_in_register(from_ + group_step_);
    }
  }

  using Word = typename StagedWord<kBytes>::type;
  static constexpr int kPart = (kCopies + kParts - 1) / kParts;
  static_assert(kDepth % 8 == 0 && kExtent % 4 == 0 && kThreads % kRow == 0, "whole passes");

  static constexpr uint32_t shared_offset(int g, int c) {
    return static_cast<uint32_t>(g * kGroupDepth * kPitch + c * kAcross) * 4;
  }

  const char *from_;
  int64_t group_step_, tile_step_;
  uint32_t offset_[kAlongX];
  uint32_t shared_, ring_, to_;
  int k_, k_left_;  // this thread's first k in a tile; steps of k from there on, none or less behind the last tile
  int x_left_;      // how far right of this thread's first x the operand ends, or kExtent
  bool active_, along_k_;
#if GPUOPT_WARPTILE_STAGED
  Word word_[kPart];
#endif
};

}  // namespace gpuopt
