// The call that `gpuopt bench` times, built from the command line: once for each operand set.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"

namespace gpuopt_cli {

struct BenchOptions {
  int32_t op = 0;
  int64_t m = 0, n = 0, k = 0, rows = 0, cols = 0, batch = 1;
  std::string type = "f32", d_type, out_type, compute = "default", layout, reduce = "sum", axis = "row",
              norm = "layernorm";
  bool weights = false, residual = false;
  std::vector<std::string> stages;
  std::string device = "auto", kernel = "*";
  int64_t repeat = 0;  // 0: as many as fit in a second
  bool json = false;
};

struct BenchCall {
  gpuopt_gemm_args gemm = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_transpose_args transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_reduce_args reduce = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_fused_act_args fused_act = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_norm_args norm = GPUOPT_NORM_ARGS_INIT;
  std::vector<gpuopt_stage> stages;
  const void *args = nullptr;  // the one of the five that is meant
  double flops = 0;            // gemm; 0: memory-bound, counted in bytes
  int64_t bytes = 0;           // of all operands, each once
};

// Memory for count elements of a type, with random values in it.
using BenchMemory = std::function<void *(gpuopt_dtype type, int64_t count)>;

// Throws CLI::ValidationError for words that are none.
std::unique_ptr<BenchCall> make_bench_call(const BenchOptions &options, const BenchMemory &memory);
gpuopt_status run_bench_call(gpuopt_handle *handle, const BenchCall &call);

}  // namespace gpuopt_cli
