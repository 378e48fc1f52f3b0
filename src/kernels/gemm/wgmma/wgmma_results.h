// Where the results of a wgmma kernel go, and what is done to them on the way.
#pragma once

#include <cstdint>

#include "gemm/common/f32_split_scaling.h"
#include "gemm/wgmma/wgmma_block_scales.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

// What a kernel does to sums in registers before it stores them (wgmma_chain.h):
//
//   x = alpha * sum  ->  bounded(x * scale + shift)  ->  act
//
// with a matrix, C or of a stage, added before all of it, or added or multiplied after; scale or shift may be a vector along
// the rows.
struct WgmmaChain {
  float value, scale, shift, low, high;  // value: the vector's factor
  bool bounded, scales;                  // the vector is a scale
  int32_t act;                           // GPUOPT_STAGE_*; 0: none
  int32_t vector_dtype, matrix_dtype;    // 0: none
  const void *vector, *matrix;
  int64_t vector_batch, matrix_pitch, matrix_batch;
  int32_t matrix_op;  // GPUOPT_STAGE_ADD or MUL
  bool matrix_first, matrix_is_c;
  float factor;  // the matrix's; of C it is beta
};

// Whether c comes through the ring (wgmma_fold.cuh).
struct WgmmaFolded {
  int32_t dtype;  // 0: it does not
  bool is_c;      // then not read where beta is 0; else a residual, beta its factor
  bool batched;   // false: one matrix for all
};

struct WgmmaStore {
  void *d;
  const void *c;  // NULL: not read
  int64_t d_pitch, c_pitch, d_batch, c_batch;
  float alpha, beta;
  const float *alpha_ptr, *beta_ptr, *scale_a, *scale_b;
  double exact_alpha;  // of integers' sums
  const double *exact_alpha_ptr;
  int32_t dtype;  // of d and c
  int32_t n;      // columns of d in this launch
  bool by_panels;
  bool plain;         // sums times alpha go by panels, and that is all
  bool chained;       // then D has no more than the chain's results: C is not read again
  bool leaves_first;  // D is larger than L2, whose lines of operands are to stay before its own
  WgmmaChain chain;
  WgmmaFolded fold;
  F32SplitScaling scaling;
  WgmmaBlockScales blocks;

  struct Scalars {
    float alpha, beta;
  };
  __device__ __forceinline__ Scalars scalars() const {
    Scalars s = {alpha, beta};
    if (alpha_ptr != nullptr) s.alpha = *alpha_ptr;
    if (beta_ptr != nullptr) s.beta = *beta_ptr;
    if (scale_a != nullptr) s.alpha *= *scale_a;
    if (scale_b != nullptr) s.alpha *= *scale_b;
    return s;
  }
};

}  // namespace gpuopt
