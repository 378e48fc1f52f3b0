// The ladder: every gemm kernel that can run, forced by name, teaching rungs too, on cubes of three sizes, in the types
// that its rungs are written for, against the best peer and the unit's limit.
#include "gemm_case.h"

namespace gpuopt_bench {
namespace {

constexpr int64_t kSizes[] = {1024, 4096, 8192};
constexpr GemmShape kTypes[] = {
    {0, 0, 0, GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32, "nn", true},
    {0, 0, 0, GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_TF32, "nn", true},
    {0, 0, 0, GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32_TENSOR, "nn", true},
    {0, 0, 0, GPUOPT_F16, GPUOPT_F16, GPUOPT_COMPUTE_F32, "nn", true},
    {0, 0, 0, GPUOPT_F16, GPUOPT_F32, GPUOPT_COMPUTE_F32, "nn", true},
    {0, 0, 0, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32, "nn", true},
    {0, 0, 0, GPUOPT_E4M3, GPUOPT_BF16, GPUOPT_COMPUTE_F8_FAST, "nt", true},
    {0, 0, 0, GPUOPT_I8, GPUOPT_I32, GPUOPT_COMPUTE_I32, "nt", true},
    {0, 0, 0, GPUOPT_F64, GPUOPT_F64, GPUOPT_COMPUTE_F64, "nn", true},
};

int64_t read_size(const std::string &text) { return read_shape(text, 1, 1, 0).extents[0]; }

}  // namespace

void check_ladder_shape(const std::string &text) { read_size(text); }

void run_ladder(Context &context) {
  std::vector<int64_t> sizes = asked_shapes(context.options, read_size);
  if (sizes.empty()) sizes.assign(std::begin(kSizes), std::end(kSizes));
  const bool all_kernels = context.options.all_kernels;
  context.options.all_kernels = true;
  for (GemmShape s : kTypes)
    for (const int64_t size : sizes) {
      s.m = s.n = s.k = size;
      run_plan(context, plan_gemm("ladder", s));
    }
  context.options.all_kernels = all_kernels;
}

}  // namespace gpuopt_bench
