// The call that `gpuopt bench` times, on memory of its own: once for each operand set.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "call_options.h"
#include "gpuopt_call/call.h"

namespace gpuopt_cli {

struct BenchOptions {
  CallOptions call;
  std::string device = "auto", kernel = "*";
  int64_t repeat = 0;  // 0: as many as fit in a second
  bool json = false;
};

struct BenchCall {
  gpuopt_call::Call call;
  double flops = 0;   // gemm; 0: memory-bound, counted in bytes
  int64_t bytes = 0;  // of all operands, each once
};

// Memory for count elements of a type, with random values in it, at a multiple of 256 bytes.
using BenchMemory = std::function<void *(gpuopt_dtype type, int64_t count)>;

// Throws CLI::ValidationError for words that are none.
std::unique_ptr<BenchCall> make_bench_call(const BenchOptions &options, const BenchMemory &memory);

}  // namespace gpuopt_cli
