// rows.cuh as the host knows it.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

constexpr int kMostRowVectors = 8;  // of a thread

// Rows of a group, one after the other: i, i + 2^classes_log2 and so on, which begin alike.
struct RowDeal {
  int32_t each, classes_log2;
};

// Whether a group may take several rows: where registers allow. Of fp32 there are half as many elements to shift: nothing
// is gained.
template <class T, int kNorm, int V, bool kAny>
constexpr bool kKeepsWeights = kAny && sizeof(T) == 2 && V == 2 &&
                               (kNorm == GPUOPT_NORM_LAYERNORM || kNorm == GPUOPT_NORM_RMSNORM);

}  // namespace gpuopt
