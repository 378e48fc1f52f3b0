#include "two_step.h"

#include "problem.h"

namespace gpuopt {

bool split_gemm(const gpuopt_problem &p, TwoStep *out) {
  if (p.op != GPUOPT_OP_GEMM || p.stage_count == 0 || p.compute == GPUOPT_COMPUTE_I32) return false;
  if (p.operand[3].m.scale != nullptr) return false;
  // Kernels of the second step do not promise what the first one does.
  if (p.features & GPUOPT_FEATURE_BATCH_INVARIANT) return false;
  gpuopt_problem &first = out->first, &second = out->second;
  first = p;
  second = p;

  const int32_t type = p.compute == GPUOPT_COMPUTE_F64 ? GPUOPT_F64 : GPUOPT_F32;
  gpuopt_operand intermediate = {};
  intermediate.m = gpuopt_mat(nullptr, p.m, p.n, type);
  intermediate.m.ld = p.n;
  intermediate.m.batch_stride = p.batch > 1 ? p.m * p.n : 0;
  const auto size = static_cast<int64_t>(gpuopt_dtype_size(type));
  const auto low_bit = [](int64_t bytes) {
    return bytes == 0 || (bytes & -bytes) > 256 ? 256 : static_cast<int32_t>(bytes & -bytes);
  };
  intermediate.align = 256;
  intermediate.ld_align = p.m <= 1 ? 256 : low_bit(p.n * size);
  intermediate.stride_align = p.batch > 1 ? low_bit(p.m * p.n * size) : 256;
  intermediate.user_operand = GPUOPT_OPERAND_NONE;

  first.stage_count = 0;
  first.operand[3] = intermediate;
  second.op = GPUOPT_OP_FUSED_ACT;
  second.k = 0;
  second.relaid = (p.relaid >> GPUOPT_OPERAND_D & 1) << GPUOPT_OPERAND_OUT;
  for (gpuopt_operand &o : second.operand) o = {};
  second.operand[GPUOPT_OPERAND_X] = intermediate;
  second.operand[GPUOPT_OPERAND_OUT] = p.operand[3];
  second.compute = type == GPUOPT_F64 ? GPUOPT_COMPUTE_F64 : GPUOPT_COMPUTE_F32;
  second.alpha = second.beta = 0;
  second.alpha_ptr = second.beta_ptr = nullptr;

  if ((p.features & GPUOPT_FEATURE_BETA) && p.operand[2].m.dtype != type) {
    // beta * C becomes the chain's first stage.
    if (p.beta_ptr != nullptr || p.beta == 0 || p.operand[2].m.scale != nullptr || p.stage_count == GPUOPT_MAX_STAGES)
      return false;
    for (int32_t i = p.stage_count; i > 0; --i) second.stage[i] = second.stage[i - 1];
    second.stage[0] = {};
    second.stage[0].kind = GPUOPT_STAGE_ADD;
    second.stage[0].form = GPUOPT_MATRIX;
    second.stage[0].value[0] = p.beta;
    second.stage[0].a = p.operand[2];
    ++second.stage_count;
    first.operand[2] = {};
    first.beta = 0;
    first.features &= ~static_cast<uint32_t>(GPUOPT_FEATURE_BETA);
  }
  first.features = (first.features & ~static_cast<uint32_t>(GPUOPT_FEATURE_LARGE | GPUOPT_FEATURE_BROADCAST)) |
                   common_features(first);
  second.features = common_features(second);

  int64_t bytes = 0;
  if (__builtin_mul_overflow(p.m * p.n, p.batch > 0 ? p.batch : 0, &bytes) ||
      __builtin_mul_overflow(bytes, size, &bytes))
    return false;
  out->intermediate_bytes = (static_cast<size_t>(bytes) + 255) / 256 * 256;
  const size_t left = p.workspace_limit > out->intermediate_bytes ? p.workspace_limit - out->intermediate_bytes : 0;
  first.workspace_limit = second.workspace_limit = left;
  return out->intermediate_bytes <= p.workspace_limit;
}

void place_intermediate(TwoStep *steps, void *scratch) {
  steps->first.operand[3].m.data = scratch;
  steps->second.operand[GPUOPT_OPERAND_X].m.data = scratch;
}

}  // namespace gpuopt
