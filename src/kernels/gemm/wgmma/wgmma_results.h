// Where the results of a wgmma kernel go, and what is done to them on the way.
#pragma once

#include <cstdint>

namespace gpuopt {

struct WgmmaStore {
  void *d;
  const void *c;  // NULL: not read
  int64_t d_pitch, c_pitch, d_batch, c_batch;
  float alpha, beta;
  const float *alpha_ptr, *beta_ptr, *scale_a, *scale_b;
  int32_t dtype;  // of d and c
  bool by_panels;

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
