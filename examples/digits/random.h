/* A small generator, so that a seed gives the same run on every machine: splitmix64. */
#ifndef DIGITS_RANDOM_H
#define DIGITS_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
/* 0 to n - 1; the bias of the remainder is below n / 2^64. */
static inline int64_t random_below(uint64_t *state, int64_t n) { return (int64_t)(random_next(state) % (uint64_t)n); }
/* -1 to 1 */
static inline float random_symmetric(uint64_t *state) {
  return (float)(random_next(state) >> 40) / (float)(1 << 23) - 1.0f;
}
static inline void random_shuffle(uint64_t *state, int64_t *values, int64_t n) {
  for (int64_t i = n - 1; i > 0; i--) {
    const int64_t j = random_below(state, i + 1), kept = values[i];
    values[i] = values[j];
    values[j] = kept;
  }
}

#endif
