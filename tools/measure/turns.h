// In which order contenders take their turns.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace gpuopt_measure {

// The indices of `count` contenders in another order each round, the same one for the same round: who ran just before, and what it
// left of heat, clocks and caches, must not always be the same contender, as it would be if they only began elsewhere.
inline std::vector<size_t> turns_of_round(size_t count, uint64_t round) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937_64 bits(round);
  for (size_t left = count; left > 1; --left) std::swap(order[left - 1], order[bits() % left]);
  return order;
}

}  // namespace gpuopt_measure
