// The call that is timed, on memory of its own: once for each operand set.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "gpuopt_call/call.h"

namespace gpuopt_cli {

struct BenchCall {
  gpuopt_call::Call call;
  double flops = 0;   // gemm; 0: memory-bound, counted in bytes
  int64_t bytes = 0;  // of all operands, each once
};

// Memory for count elements of a type, with values in it, at a multiple of 256 bytes.
using BenchMemory = std::function<void *(gpuopt_dtype type, int64_t count)>;

// Throws CLI::ValidationError for operands beyond 2^40 bytes. The call is one that the library takes.
std::unique_ptr<BenchCall> make_bench_call(const gpuopt_call::Call &call, const BenchMemory &memory);

}  // namespace gpuopt_cli
