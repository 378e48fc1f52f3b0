// A mean in two numbers. Far from 0, one number of the type is too coarse: in fp32 the mean of a row of 1e8 +- 4 lies
// between two numbers that are as far apart as the elements are. So sums are of distances from an element, the origin:
// those are exact where elements are near each other, and their sum does not overflow where all are large.
#pragma once

namespace gpuopt {

// high: the mean as one number; high + low is it.
template <class C>
struct SplitMean {
  C high, low;
};

// origin + distance: the rounded sum, and what rounding took from it (Knuth's two-sum).
template <class C>
__device__ __forceinline__ SplitMean<C> split_mean(C origin, C distance) {
  const C high = origin + distance, moved = high - origin;
  return {high, (origin - (high - moved)) + (distance - moved)};
}

// An origin: of three elements the middle one, so that an outlier is not what all others are far from.
template <class C>
__device__ __forceinline__ C middle_of(C a, C b, C c) {
  return fmax(fmin(a, b), fmin(fmax(a, b), c));
}
template <class C, int K>
__device__ __forceinline__ C origin_of(const C (&h)[K]) {
  if constexpr (K >= 3)
    return middle_of(h[0], h[1], h[2]);
  else
    return h[0];
}

}  // namespace gpuopt
