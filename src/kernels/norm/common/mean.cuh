// A mean in two numbers. Far from 0, one number of the type is too coarse: in fp32 the mean of a row of 1e8 +- 4 lies
// between two numbers that are as far apart as the elements are. So sums are of distances from an element of the row, the
// origin: those are exact where elements are near each other, and their sum does not overflow where all are large.
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

}  // namespace gpuopt
