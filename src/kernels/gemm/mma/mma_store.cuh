// The end of an mma.sync kernel: four neighbouring sums of a row to D, or to scratch memory as they are.
//
// Stored here are the plain results: alpha * sum + beta * C with C of D's type, D of 32 or 16 bits; of exact sums those
// without C, D int32, fp32 or of 8 bits. All else goes as plain sums to scratch for common/gemm_finish.h.
#pragma once

#include "gemm/common/exact_result.cuh"

namespace gpuopt {

struct MmaStore {
  void *d;
  const void *c;             // NULL: not read
  int64_t d_pitch, c_pitch;  // elements
  int64_t d_batch, c_batch;
  int64_t slice;  // from one part of k to the next; 0 where parts are added up before
  float alpha, beta;
  const float *alpha_ptr, *beta_ptr, *scale_a, *scale_b;
  double exact_alpha;  // of integers' sums
  const double *exact_alpha_ptr;
  bool by_pointer;  // any of alpha_ptr to scale_b
  int32_t dtype;    // of d
  bool packs;       // runs of four of D (and C) are aligned

  // alpha and beta, read once.
  struct Scalars {
    float alpha, beta;
  };
  __device__ __forceinline__ Scalars scalars() const {
    Scalars s = {alpha, beta};
    if (!by_pointer) return s;
    if (alpha_ptr != nullptr) s.alpha = *alpha_ptr;
    if (beta_ptr != nullptr) s.beta = *beta_ptr;
    if (scale_a != nullptr) s.alpha *= *scale_a;
    if (scale_b != nullptr) s.alpha *= *scale_b;
    return s;
  }

  // Where a tile's results go: element (0, 0) of the tile of matrix p and part of k.
  struct Origin {
    int64_t d, c;
    int32_t rows, cols;  // of the tile that exist
  };
  __device__ __forceinline__ Origin origin(int64_t p, int64_t part, int64_t row, int64_t col, int32_t m,
                                           int32_t n) const {
    return {part * slice + p * d_batch + row * d_pitch + col, p * c_batch + row * c_pitch + col,
            m - static_cast<int32_t>(row), n - static_cast<int32_t>(col)};
  }

  template <class T, class Sum>
  __device__ __forceinline__ void whole(int64_t to, const Sum (&x)[4]) const {
    Pack<T, 4> run;
#pragma unroll
    for (int e = 0; e < 4; ++e) run.v[e] = narrow<T>(x[e]);
    *reinterpret_cast<Pack<T, 4> *>(static_cast<T *>(d) + to) = run;
  }
  template <class T, class Sum>
  __device__ __forceinline__ void any(const Scalars &s, int64_t to, int64_t from, int32_t count, Sum (&x)[4]) const {
    if constexpr (std::is_same_v<Sum, float>) {
      if (c != nullptr && s.beta != 0) {
        const T *in = static_cast<const T *>(c) + from;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (e < count) x[e] += s.beta * widen<float>(in[e]);
        }
      }
    }
    if (packs && count >= 4) return whole<T>(to, x);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (e < count) static_cast<T *>(d)[to + e] = narrow<T>(x[e]);
    }
  }

  // Whether a tile of so many rows and columns can be stored by simple().
  __device__ __forceinline__ bool is_simple(const Origin &at, int32_t rows, int32_t cols) const {
    return packs && c == nullptr && at.rows >= rows && at.cols >= cols;
  }
  template <class Sum>
  __device__ __forceinline__ void simple(const Scalars &s, const Origin &at, int32_t i, int32_t j, Sum (&x)[4]) const {
    const int64_t to = at.d + i * d_pitch + j;
    if constexpr (std::is_same_v<Sum, int32_t>) {
      exact_words(dtype, exact_factor(*this), x);
      dtype == GPUOPT_I8 ? whole<int8_t>(to, x) : whole<int32_t>(to, x);
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) x[e] *= s.alpha;
      if (dtype == GPUOPT_F32) return whole<float>(to, x);
      if (dtype == GPUOPT_F16) return whole<__half>(to, x);
      whole<__nv_bfloat16>(to, x);
    }
  }

  // Sums (i, j) ... (i, j + 3) of the tile, as far as they exist.
  template <class Sum>
  __device__ __forceinline__ void run(const Scalars &s, const Origin &at, int32_t i, int32_t j, Sum (&x)[4]) const {
    const int32_t count = at.cols - j;
    if (i >= at.rows || count <= 0) return;
    const int64_t to = at.d + i * d_pitch + j;
    if constexpr (std::is_same_v<Sum, int32_t>) {
      exact_words(dtype, exact_factor(*this), x);
      dtype == GPUOPT_I8 ? any<int8_t>(s, to, 0, count, x) : any<int32_t>(s, to, 0, count, x);
    } else {
      if (packs && c == nullptr && count >= 4) return simple(s, at, i, j, x);
#pragma unroll
      for (int e = 0; e < 4; ++e) x[e] *= s.alpha;
      const int64_t from = at.c + i * c_pitch + j;
      if (dtype == GPUOPT_F32) return any<float>(s, to, from, count, x);
      if (dtype == GPUOPT_F16) return any<__half>(s, to, from, count, x);
      any<__nv_bfloat16>(s, to, from, count, x);
    }
  }
};

}  // namespace gpuopt
