// What tests of products on a GPU share: bf16 operands, whether a kernel takes a call, and whether two results are alike.
#pragma once
#include <cmath>
#include <cstring>

#include "gpu_support.h"

namespace gpuopt_test {

// bf16 bits, cut off: any value will do.
inline std::vector<uint16_t> bf16_values(size_t n, uint32_t seed) {
  std::vector<uint16_t> v(n);
  const std::vector<float> x = normal_values(n, seed);
  for (size_t i = 0; i < n; ++i) {
    uint32_t bits;
    std::memcpy(&bits, &x[i], sizeof bits);
    v[i] = static_cast<uint16_t>(bits >> 16);
  }
  return v;
}

// The bf16 numbers that lie in the places of fp32 ones, two in each.
inline std::vector<float> of_bf16_pairs(const std::vector<float> &words) {
  std::vector<float> values(words.size() * 2);
  for (size_t i = 0; i < words.size(); ++i) {
    uint32_t pair;
    std::memcpy(&pair, &words[i], sizeof pair);
    const uint32_t bits[2] = {pair << 16, pair & 0xffff0000u};
    std::memcpy(&values[2 * i], bits, sizeof bits);
  }
  return values;
}

// args: one of the args structs.
template <class Args>
bool can_run(const Gpu &g, const Args &args, const char *kernel) {
  Candidates seen;
  gpuopt_explain(g.handle, &args, nullptr, Candidates::add, &seen);
  const Candidate *c = seen.find(kernel);
  return c && c->verdict != GPUOPT_VERDICT_REJECTED;
}

inline void check_alike(const std::vector<float> &one, const std::vector<float> &other, float within = 1e-3f) {
  REQUIRE(one.size() == other.size());
  for (size_t i = 0; i < one.size(); ++i)
    if (!(std::fabs(one[i] - other[i]) <= within * (1 + std::fabs(other[i]))))
      FAIL("element " << i << ": " << one[i] << " and " << other[i]);
}

}  // namespace gpuopt_test
