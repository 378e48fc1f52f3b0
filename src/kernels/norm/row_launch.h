// The host side of the kernels that hold a row in registers: what they take, their instances, their cost.
#ifndef GPUOPT_KERNELS_NORM_ROW_LAUNCH_H
#define GPUOPT_KERNELS_NORM_ROW_LAUNCH_H

#include "norm/row.cuh"

namespace gpuopt {

inline bool all_aligned(const gpuopt_problem &problem) {
  const int bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  bool aligned = problem.n * bytes % 16 == 0;
  for (const gpuopt_operand &o : problem.operand) {
    if (o.m.dtype != 0) aligned = aligned && o.align >= 16 && o.ld_align >= 16 && o.stride_align >= 16;
  }
  for (int i : {GPUOPT_OPERAND_GAMMA - 4, GPUOPT_OPERAND_BETA - 4}) {
    const gpuopt_operand &o = problem.extra[i];
    if (o.m.dtype != 0) aligned = aligned && o.align >= 16 && o.stride_align >= 16;
  }
  return aligned;
}

// Vectors of 16 bytes that cover a row wherever it begins.
inline int64_t row_vectors(const gpuopt_problem &problem) {
  const int elements = 16 / dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  return ceil_div(problem.n + (all_aligned(problem) ? 0 : elements - 1), elements);
}

inline bool is_f32(const gpuopt_problem &problem) { return problem.operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_F32; }

template <class T>
RowWork<T> make_row_work(const gpuopt_problem &problem) {
  const gpuopt_operand *o = problem.operand, *e = problem.extra;
  return {matrix_view(o[GPUOPT_OPERAND_X]),
          matrix_view(o[GPUOPT_OPERAND_RESIDUAL]),
          matrix_view(o[GPUOPT_OPERAND_OUT]),
          matrix_view(o[GPUOPT_OPERAND_SUM]),
          matrix_view(e[GPUOPT_OPERAND_GAMMA - 4]),
          matrix_view(e[GPUOPT_OPERAND_BETA - 4]),
          matrix_view(e[GPUOPT_OPERAND_STATISTICS - 4]),
          static_cast<int32_t>(problem.m),
          static_cast<int32_t>(problem.n),
          static_cast<int32_t>(problem.batch),
          static_cast<float>(problem.eps)};
}

// f(T's tag, the norm, aligned: as constants).
template <class F>
gpuopt_status with_row_instance(const gpuopt_problem &problem, F &&f) {
  using cuda::std::bool_constant;
  using cuda::std::integral_constant;
  const auto with_alignment = [&](auto tag, auto norm) {
    return all_aligned(problem) ? f(tag, norm, bool_constant<true>{}) : f(tag, norm, bool_constant<false>{});
  };
  const auto with_norm = [&](auto tag) {
    switch (problem.variant) {
      case GPUOPT_NORM_LAYERNORM:
        return with_alignment(tag, integral_constant<int, GPUOPT_NORM_LAYERNORM>{});
      case GPUOPT_NORM_RMSNORM:
        return with_alignment(tag, integral_constant<int, GPUOPT_NORM_RMSNORM>{});
      case GPUOPT_NORM_SOFTMAX:
        return with_alignment(tag, integral_constant<int, GPUOPT_NORM_SOFTMAX>{});
      default:
        return with_alignment(tag, integral_constant<int, GPUOPT_NORM_LOG_SOFTMAX>{});
    }
  };
  if (problem.operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_F16) return with_norm(Type<__half>{});
  if (problem.operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_BF16) return with_norm(Type<__nv_bfloat16>{});
  return with_norm(Type<float>{});
}

// most: vectors of 16 bytes that a row may have. The descriptor says types and layouts.
inline int row_can_run(const gpuopt_problem *problem, int64_t least, int64_t most, gpuopt_reject *reject) {
  for (int i : {GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA}) {
    const gpuopt_operand &o = problem->extra[i - 4];
    if (o.m.dtype == 0) continue;
    if (o.m.dtype != problem->operand[GPUOPT_OPERAND_X].m.dtype) {
      *reject = {GPUOPT_REJECT_DTYPE, i, o.m.dtype, problem->operand[GPUOPT_OPERAND_X].m.dtype, "weights of x's type"};
      return 0;
    }
    if (o.m.ld != 1) {
      *reject = {GPUOPT_REJECT_LAYOUT, i, o.m.layout, 0, "its elements are not neighbours"};
      return 0;
    }
  }
  const auto limit = [reject](int64_t have, int64_t need, const char *what) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, have, need, what};
    return 0;
  };
  constexpr int64_t kMostRows = int64_t{1} << 27;
  if (problem->n == 0 || problem->m == 0 || problem->batch == 0) return 1;
  const int64_t vectors = row_vectors(*problem);
  if (vectors > most) return limit(vectors, most, "16-byte vectors of a row");
  if (vectors < least) return limit(vectors, least, "16-byte vectors of a row");
  if (problem->m > kMostRows / problem->batch) return limit(problem->m, kMostRows / problem->batch, "rows");
  return 1;
}

inline constexpr gpuopt_signature kRowSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
};

// The descriptor but for its functions and resources.
constexpr gpuopt_kernel row_kernel(const char *name, const char *summary) {
  gpuopt_kernel k = {};
  k.struct_size = sizeof k;
  k.name = name;
  k.summary = summary;
  k.op = GPUOPT_OP_NORM;
  k.version = 1;
  k.understands = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_LARGE;
  k.variants = ((1u << GPUOPT_NORM_COUNT_) - 1) & ~1u;
  k.cc_min = 75;
  for (uint8_t &layout : k.layouts) layout = GPUOPT_LAYOUT_ROW;
  k.signatures = kRowSignatures;
  k.signature_count = sizeof(kRowSignatures) / sizeof(kRowSignatures[0]);
  return k;
}

// Bytes at a share of the memory's rate, after the launch and one row's way through the chip.
inline double row_us(const gpuopt_problem &problem, double share, double latency_us) {
  const gpuopt_device_facts &device = *problem.device;
  if (device.sm_count <= 0 || device.memory_gbs <= 0) return 0;
  double matrices = 0;
  for (const gpuopt_operand &o : problem.operand) matrices += o.m.dtype != 0 ? 1 : 0;
  const double elements =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.batch);
  const double bytes = elements * matrices * dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  if (!all_aligned(problem)) share *= 0.8;
  return latency_us + bytes / (share * device.memory_gbs * 1e3);
}

#define GPUOPT_ROW_ALIGNED_(X, T, V, norm) X(T, norm, V, true), X(T, norm, V, false)
#define GPUOPT_ROW_NORMS_(X, T, V)                                                                        \
  GPUOPT_ROW_ALIGNED_(X, T, V, GPUOPT_NORM_LAYERNORM), GPUOPT_ROW_ALIGNED_(X, T, V, GPUOPT_NORM_RMSNORM), \
      GPUOPT_ROW_ALIGNED_(X, T, V, GPUOPT_NORM_SOFTMAX), GPUOPT_ROW_ALIGNED_(X, T, V, GPUOPT_NORM_LOG_SOFTMAX)
// The instances with V vectors a thread, for the resources table: X(T, norm, V, aligned).
#define GPUOPT_ROW_INSTANCES(X, V) \
  GPUOPT_ROW_NORMS_(X, float, V), GPUOPT_ROW_NORMS_(X, __half, V), GPUOPT_ROW_NORMS_(X, __nv_bfloat16, V)

}  // namespace gpuopt

#endif
