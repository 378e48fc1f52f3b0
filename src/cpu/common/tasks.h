/* Cutting a problem into tasks for threads. */
#pragma once

#include "isa/host_facts.h"

namespace gpuopt {
namespace cpu {

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static inline int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

/* Of those there are, as many as it is worth to wake for that much work, in shares that repay a thread. */
static inline int threads_for(const gpuopt_problem &problem, double shares) {
  const int all = host_facts(problem).threads;
  return 1 + shares < all ? int(1 + shares) : all;
}

}  // namespace cpu
}  // namespace gpuopt
