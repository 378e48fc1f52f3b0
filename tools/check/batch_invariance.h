// GPUOPT_REQUIRE_BATCH_INVARIANT: a row's bits depend on that row's values alone (of a product also on B's), not on how many
// rows there are, where it lies among them, or how it is aligned.
#pragma once
#include <string>
#include <vector>

#include "gpuopt/kernel.h"
#include "session.h"

namespace gpuopt_check {

// Reduces matrices whole, or multiplies them, then some of their rows alone; a line for every pair of results that differ.
std::vector<std::string> check_batch_invariance(Session &session, const gpuopt_kernel &kernel, uint64_t seed);

}  // namespace gpuopt_check
