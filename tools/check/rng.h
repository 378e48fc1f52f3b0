// A small seeded generator: the same seed gives the same problems on every machine and compiler.
#pragma once
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace gpuopt_check {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  // splitmix64
  uint64_t bits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return double(bits() >> 11) * 0x1p-53; }  // [0, 1)
  int64_t between(int64_t least, int64_t most) {               // both ends included
    return least + int64_t(bits() % uint64_t(most - least + 1));
  }
  bool chance(double probability) { return uniform() < probability; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[bits() % values.size()];
  }
  template <class Container>
  const typename Container::value_type &one_of(const Container &values) {
    return values[bits() % values.size()];
  }
  double normal() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  uint64_t state_;
};

// The seed of one problem out of the seed of a run: problems do not depend on how many came before them.
inline uint64_t problem_seed(uint64_t seed, uint64_t stream, uint64_t index) {
  Rng r(seed ^ (stream * 0x9e3779b97f4a7c15u) ^ (index * 0xd1b54a32d192ed03u));
  return r.bits();
}

}  // namespace gpuopt_check
