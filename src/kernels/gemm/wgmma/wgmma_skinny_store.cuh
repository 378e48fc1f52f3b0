// How the sums of a tile of few rows or columns leave for D: by vectors, wherever its lines begin.
//
// Idea and data movement. Sums go to shared memory, which the ring needs no more, one line of D after another, each shifted by as
// much as that line of D lies beyond 16 bytes. What is a vector there is one of D: a thread takes whole ones, of any line,
// reads C's elements of four of them before it adds the first, and elements one by one at the ends of lines alone.
#pragma once

#include "common/bits.cuh"
#include "common/unaligned.cuh"
#include "gemm/common/add_c.cuh"
#include "gemm/wgmma/wgmma_results.h"
#include "gemm/wgmma/wgmma_skinny_tile.cuh"

namespace gpuopt {

template <class Tile>
class WgmmaSkinnyOut {
 public:
  using Sum = typename Tile::Sum;

  // p: the matrix; row: of the many; tile: of wgmma_skinny_stored_bytes().
  __device__ __forceinline__ WgmmaSkinnyOut(const WgmmaStore &store, int32_t p, int32_t row, int32_t col, int32_t many,
                                            int32_t few, bool few_are_rows, int32_t rank, int32_t log, char *tile)
      : store_(store),
        tile_(reinterpret_cast<Sum *>(tile)),
        many_(many - row),
        few_(few - col),
        rank_(rank),
        log_(log),
        few_are_rows_(few_are_rows),
        pitch_(wgmma_skinny_pitch(few_are_rows ? Tile::kM : Tile::kN)) {
    const int64_t line = few_are_rows ? col : row, in_line = few_are_rows ? row : col;
    d_ = p * store.d_batch + line * store.d_pitch + in_line;
    c_ = p * store.c_batch + line * store.c_pitch + in_line;
    const bool is_short = !kExact && store.dtype != GPUOPT_F32;
    past_mask_ = is_short ? 7 : 3;
    past_ =
        static_cast<uint32_t>(reinterpret_cast<uintptr_t>(store.d) >> (is_short ? 1 : 2)) + static_cast<uint32_t>(d_);
  }

  // By a warp, in the beginning: asks L2 for what it will add, this block's share of the tile. A factor that is read when the
  // kernel runs may be zero, and C then not there.
  __device__ __forceinline__ void prefetch_c(int lane) const {
    if (store_.c == nullptr || store_.beta_ptr != nullptr) return;
    const int size = past_mask_ == 7 ? 2 : 4, step = 128 / size;
    const int lines = few_are_rows_ ? min(few_, Tile::kN) : min(many_, Tile::kM);
    const int length = few_are_rows_ ? min(many_, Tile::kM) : min(few_, Tile::kN),
              steps = (length + step - 1) / step + 1;
    for (int o = rank_ * 32 + lane; o < lines * steps; o += 32 << log_) {
      const int line = o / steps, in_line = min((o - line * steps) * step, length - 1);
      prefetch(static_cast<const char *>(store_.c) + (c_ + line * store_.c_pitch + in_line) * size);
    }
  }
  // Around the put() of all threads.
  __device__ __forceinline__ void begin() const { barrier_sync(kStoreBarrier, Tile::kMathThreads); }
  __device__ __forceinline__ void put(int thread, int quad, const Sum (&x)[4]) const {
    const auto [r, c] = wgmma_quad_place(thread, quad, Tile::kN);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = r + e / 2 * 8, j = c + e % 2;
      *(few_are_rows_ ? at(j, i) : at(i, j)) = x[e];
    }
  }
  __device__ __forceinline__ void end() const {
    begin();
    if constexpr (kExact) {
      store_as<int32_t>();
    } else {
      if (store_.dtype == GPUOPT_F32) return store_as<float>();
      // Of 16-bit operands D has their type, of fp8 ones either.
      if constexpr (sizeof(typename Tile::A) == 2) {
        store_as<typename Tile::A>();
      } else {
        if (store_.dtype == GPUOPT_F16)
          store_as<__half>();
        else
          store_as<__nv_bfloat16>();
      }
    }
  }

 private:
  static constexpr bool kExact = cuda::std::is_same_v<Sum, int32_t>;
  static constexpr int kLogBlocks = Tile::kBlocks - 1, kLogColumns = wgmma_log2(Tile::kN);
  static constexpr int kBatch = 4;  // vectors of C under way

  // Elements that a line of D lies beyond 16 bytes.
  __device__ __forceinline__ int past(int line) const {
    return static_cast<int>((past_ + static_cast<uint32_t>(line) * static_cast<uint32_t>(store_.d_pitch)) & past_mask_);
  }
  __device__ __forceinline__ Sum *at(int line, int in_line) const {
    return tile_ + line * pitch_ + past(line) + in_line;
  }

  template <class T>
  __device__ __forceinline__ Bits<T, 16 / sizeof(T)> load_c(const WgmmaSkinnyRun &run) const {
    constexpr int kVector = 16 / sizeof(T);
    const T *const line = static_cast<const T *>(store_.c) + c_ + run.line * store_.c_pitch;
    if (run.is_whole(kVector) && is_aligned<T, kVector>(line + run.at(0)))
      return load_bits<T, kVector>(line + run.at(0));
    Bits<T, kVector> bits = {};
#pragma unroll
    for (int e = 0; e < kVector; ++e) {
      if (run.has(e)) set_element(bits, e, line[run.at(e)]);
    }
    return bits;
  }

  template <class T>
  __device__ __forceinline__ void put_run(const WgmmaSkinnyRun &run, const WgmmaStore::Scalars &s, bool reads_c,
                                          const Bits<T, 16 / sizeof(T)> &c) const {
    constexpr int kVector = 16 / sizeof(T);
    const bool whole = run.is_whole(kVector);
    Sum x[kVector];
    if (whole) {
#pragma unroll
      for (int e = 0; e < kVector; e += 4) {
        const auto four = *reinterpret_cast<const Pack<Sum, 4> *>(at(run.line, run.at(0) + e));
#pragma unroll
        for (int f = 0; f < 4; ++f) x[e + f] = four.v[f];
      }
    } else {
#pragma unroll
      for (int e = 0; e < kVector; ++e) x[e] = *at(run.line, run.at(e));
    }
    if constexpr (!kExact) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) x[e] *= s.alpha;
      if (reads_c) {
        float addend[kVector];
        widen_bits(c, addend);
#pragma unroll
        for (int e = 0; e < kVector; ++e) x[e] = add_c(x[e], s.beta, addend[e]);
      }
    }
    Bits<T, kVector> bits;
    if constexpr (kExact)
      memcpy(&bits, x, sizeof bits);
    else
      bits = narrow_bits<T>(x);
    T *const line = static_cast<T *>(store_.d) + d_ + run.line * store_.d_pitch;
    if (whole) return store_whole(line + run.at(0), bits);
#pragma unroll
    for (int e = 0; e < kVector; ++e) {
      if (run.has(e)) line[run.at(e)] = element_of(bits, e);
    }
  }

  template <class T>
  __device__ __forceinline__ void store_as() const {
    constexpr int kVector = 16 / sizeof(T);
    const WgmmaSkinnyRuns runs = {{rank_, log_}, kLogBlocks,           kLogColumns,  many_,
                                  few_,          kVector == 8 ? 3 : 2, few_are_rows_};
    const int all = runs.count();
    const WgmmaStore::Scalars s = store_.scalars();
    const bool reads_c = !kExact && store_.c != nullptr && s.beta != 0;
#pragma unroll 1
    for (int first = static_cast<int>(threadIdx.x); first < all; first += kBatch * Tile::kMathThreads) {
      WgmmaSkinnyRun run[kBatch];
      Bits<T, kVector> c[kBatch] = {};
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int number = first + i * Tile::kMathThreads;
        run[i] = runs.run(number, past(runs.line(number)));
        if (reads_c) c[i] = load_c<T>(run[i]);
      }
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        if (run[i].existing > 0) put_run<T>(run[i], s, reads_c, c[i]);
      }
    }
  }

  const WgmmaStore &store_;
  Sum *tile_;
  int64_t d_, c_;  // where the tile begins
  int32_t many_, few_, rank_, log_;
  bool few_are_rows_;
  int pitch_;
  uint32_t past_, past_mask_;
};

}  // namespace gpuopt
