// The read ceiling: the faster of CUB's sum and our own kernel that only reads. "Percent of read" is against it.
#pragma once
#include <memory>
#include <vector>

#include "timing.h"

namespace gpuopt_bench {

// Contenders that read `bytes` of operand `src` of the sets once: CUB's sum of them as f32, and our own shapes.
std::vector<Contender> read_contenders(Session &session, const OperandSets &sets, size_t src, size_t bytes);

}  // namespace gpuopt_bench
