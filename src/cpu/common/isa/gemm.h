/* The inner loops of gemm_cpu_blocked, compiled once per instruction set. */
#pragma once

#include <stdint.h>

namespace gpuopt {
namespace cpu {

/* D[m x n] = alpha * A * B (+ beta * C) (+ D), one panel of B: n <= panel_columns.
 * a: element (i, k) at i * lda + k. b: row k at k * ldb, readable up to n rounded up to whole vectors. d, c: rows. */
template <class T>
struct GemmPanel {
  int64_t m, n, k;
  const T *a;
  int64_t lda;
  const T *b;
  int64_t ldb;
  T *d;
  int64_t ldd;
  const T *c; /* NULL: no C */
  int64_t ldc;
  T alpha, beta;
  bool accumulate; /* add to what D holds */
};

template <class T>
struct GemmIsa {
  int tile_rows, panel_columns, lanes;
  int k_block; /* rows of B whose panel stays in the second-level cache */
  void (*panel)(const GemmPanel<T> &panel);
  /* y[i] = sum over k of rows[i * ld + k] * x[k], i < count */
  void (*dot_rows)(const T *rows, int64_t ld, const T *x, int64_t count, int64_t k, T *y);
  /* y[j] = sum over k of x[k] * rows[k * ld + j], j < count */
  void (*combine_rows)(const T *rows, int64_t ld, const T *x, int64_t count, int64_t k, T *y);
};

extern const GemmIsa<float> gemm_f32_baseline, gemm_f32_avx2, gemm_f32_avx512;
extern const GemmIsa<double> gemm_f64_baseline, gemm_f64_avx2, gemm_f64_avx512;

/* isa as in gpuopt_device_facts.cpu_isa. */
template <class T>
const GemmIsa<T> &gemm_isa(int isa);

}  // namespace cpu
}  // namespace gpuopt
