// Whether fp32 operands in two f16 parts (f32_split.h) give fp32's accuracy: plain arithmetic, for the kernel and for tests.
#pragma once

#include <cstdint>

namespace gpuopt {

constexpr int64_t kF32SplitMostK = (int64_t{1} << 21) - 1;  // counts of a line have 21 bits each
constexpr int f32_split_level(int level) { return level == 0 ? 6 : 12; }
constexpr int kF32SplitSmall = 16;

// What is true of all lines of an operand.
struct F32SplitFacts {
  uint32_t bad;        // not 0: a line that cannot be scaled
  uint32_t small;      // most small elements of a line
  uint32_t all[2];     // most elements of a line that are not within a level of its largest
  uint32_t uneven[2];  // the same, of lines that have small elements
};

// Whether all sums of k products keep fp32's accuracy.
constexpr bool f32_split_fits(const F32SplitFacts &a, const F32SplitFacts &b, int64_t k) {
  // What small elements add to the error is at most small * 2^-39 * 2 of the product of the largest of both lines; what
  // elements that are within a level in both lines add to the sum of absolute values at least (k - lacks) * 2^-levels of it: at
  // most 2^-25 of that.
  const int64_t small = int64_t{a.small} + b.small;
  const auto overlap = [&](const uint32_t(&x)[2], const uint32_t(&y)[2]) {
    for (int i = 0; i < 4; ++i) {
      const int64_t both = k - x[i / 2] - y[i % 2];
      if (both > 0 && small << (f32_split_level(i / 2) + f32_split_level(i % 2)) <= both << 13) return true;
    }
    return false;
  };
  return a.bad == 0 && b.bad == 0 && (a.small == 0 || overlap(a.uneven, b.all)) &&
         (b.small == 0 || overlap(b.uneven, a.all));
}

// What explain says of a kernel that multiplies parts.
inline constexpr char kF32SplitDataPaths[] =
    "on the device by f16 parts where a scan of A and B finds all sums accurate (each row of A and column of B finite "
    "and "
    "within 2^16 of its largest element, or with few elements below that: docs/f32-tensor.md), else by fp32 tiles of "
    "64 x 64";

}  // namespace gpuopt
