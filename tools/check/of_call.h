// A call as a problem that the oracle knows the truth of, on memory of its own.
#pragma once
#include <cstdint>
#include <string>

#include "gpuopt_call/call.h"
#include "problem.h"

namespace gpuopt_check {

enum class Data { normal, uniform, zeros };

// Bytes of the image that problem_of() would make, guard bands included; INT64_MAX where 64 bits do not hold them.
int64_t image_bytes(gpuopt_call::Call call);

// Operands lie as the call says - leading dimensions, alignments, what they share - with guard bands around each block. Inputs
// have values of the distribution (normal: mean 0, deviation 1, integers 100; uniform: -1 to 1, integers -100 to 100; elements
// of 16 bytes: any bits), outputs are poisoned. Scales are 1, alpha and beta by pointer are 1. The call is one that the library
// takes.
Problem problem_of(gpuopt_call::Call call, Data data, uint64_t seed);

// The operand of that name, "a" or "stages[0].a"; nullptr: the problem has none.
Tensor *find_tensor(Problem *problem, const std::string &name);
const Tensor *find_tensor(const Problem &problem, const std::string &name);

}  // namespace gpuopt_check
