// The host side of the kernels that hold a row in registers: what they take, their instances, their cost.
#ifndef GPUOPT_KERNELS_NORM_ROW_LAUNCH_H
#define GPUOPT_KERNELS_NORM_ROW_LAUNCH_H

#include "common/descriptor.h"
#include "norm/row.cuh"

namespace gpuopt {

// Whether weights and the stages' operands are aligned, which the descriptor cannot ask for.
inline bool others_aligned(const gpuopt_problem &problem, gpuopt_reject *reject) {
  const auto aligned = [&](int operand, const gpuopt_operand &o, bool matrix) {
    int have = o.align < o.stride_align ? o.align : o.stride_align;
    if (matrix && o.ld_align < have) have = o.ld_align;
    if (o.m.dtype == 0 || have >= 16) return true;
    *reject = {GPUOPT_REJECT_ALIGN, operand, have, 16, nullptr};
    return false;
  };
  for (int i : {GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA}) {
    if (!aligned(i, problem.extra[i - 4], false)) return false;
  }
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    if (!aligned(GPUOPT_OPERAND_STAGE + s, problem.stage[s].a, problem.stage[s].form == GPUOPT_MATRIX)) return false;
  }
  return true;
}
inline bool all_aligned(const gpuopt_problem &problem) {
  gpuopt_reject ignored;
  bool aligned = problem.n * dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype) % 16 == 0;
  for (const gpuopt_operand &o : problem.operand) {
    if (o.m.dtype != 0) aligned = aligned && o.align >= 16 && o.ld_align >= 16 && o.stride_align >= 16;
  }
  return aligned && others_aligned(problem, &ignored);
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
          static_cast<float>(problem.eps),
          make_row_stages(problem)};
}

// The fastest mode for a problem whose rows are held by so many threads with V vectors each.
inline int row_mode(const gpuopt_problem &problem, int64_t threads, int vectors_each) {
  if (!all_aligned(problem)) return kRowAny;
  const bool plain = problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype == 0;
  return plain && row_vectors(problem) == threads * vectors_each ? kRowWhole : kRowAligned;
}

// f(T's tag, the norm, the mode: as constants).
template <class F>
gpuopt_status with_row_instance(const gpuopt_problem &problem, int mode, F &&f) {
  using cuda::std::integral_constant;
  const auto with_mode = [&](auto tag, auto norm) {
    switch (mode) {
      case kRowWhole:
        return f(tag, norm, integral_constant<int, kRowWhole>{});
      case kRowAligned:
        return f(tag, norm, integral_constant<int, kRowAligned>{});
      default:
        return f(tag, norm, integral_constant<int, kRowAny>{});
    }
  };
  const auto with_norm = [&](auto tag) {
    switch (problem.variant) {
      case GPUOPT_NORM_LAYERNORM:
        return with_mode(tag, integral_constant<int, GPUOPT_NORM_LAYERNORM>{});
      case GPUOPT_NORM_RMSNORM:
        return with_mode(tag, integral_constant<int, GPUOPT_NORM_RMSNORM>{});
      case GPUOPT_NORM_SOFTMAX:
        return with_mode(tag, integral_constant<int, GPUOPT_NORM_SOFTMAX>{});
      default:
        return with_mode(tag, integral_constant<int, GPUOPT_NORM_LOG_SOFTMAX>{});
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

// Whether the interpreter of row_stages.cuh takes the stages.
inline bool stages_fit(const gpuopt_problem &problem, gpuopt_reject *reject) {
  const int32_t stage = unfit_row_stage(problem, problem.operand[GPUOPT_OPERAND_X].m.dtype);
  if (stage < 0) return true;
  *reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + stage, 0, 0,
             "its operand is no vector along the row or row-major matrix of x's type"};
  return false;
}

inline constexpr gpuopt_signature kRowSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
};

// Without a residual and a sum, which 0 matches only where they are absent.
inline constexpr gpuopt_signature kRowSignaturesAlone[] = {
    {{GPUOPT_F32, 0, GPUOPT_F32, 0}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, 0, GPUOPT_F16, 0}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, 0, GPUOPT_BF16, 0}, GPUOPT_COMPUTE_F32},
};

// The descriptor but for its functions and resources.
constexpr gpuopt_kernel row_kernel(const char *name, const char *summary) {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_NORM, name, summary, kViewFeatures);
  k.variants = kAllNorms;
  for (uint8_t &layout : k.layouts) layout = GPUOPT_LAYOUT_ROW;
  set_signatures(k, kRowSignatures);
  return k;
}

// The same for rows whose matrices must be aligned to 16 bytes; n a multiple of so many elements.
constexpr gpuopt_kernel aligned_row_kernel(const char *name, const char *summary, int multiple) {
  gpuopt_kernel k = row_kernel(name, summary);
  k.multiple[1] = multiple;
  for (int operand = 0; operand < 4; ++operand) k.align[operand] = k.ld_align[operand] = 16;
  return k;
}

// Bytes at a share of the memory's rate, after the launch and one row's way through the chip.
inline double row_us(const gpuopt_problem &problem, double share, double latency_us) {
  const gpuopt_device_facts &device = *problem.device;
  if (device.sm_count <= 0 || device.memory_gbs <= 0) return 0;
  double matrices = 0;
  for (const gpuopt_operand &o : problem.operand) matrices += o.m.dtype != 0 ? 1 : 0;
  for (int32_t s = 0; s < problem.stage_count; ++s) matrices += problem.stage[s].form == GPUOPT_MATRIX ? 1 : 0;
  const double elements =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.batch);
  const double bytes = elements * matrices * dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  if (!all_aligned(problem)) share *= 0.8;
  return latency_us + bytes / (share * device.memory_gbs * 1e3);
}

#define GPUOPT_ROW_NORMS_(X, T, V, mode)                                                                        \
  X(T, GPUOPT_NORM_LAYERNORM, V, mode), X(T, GPUOPT_NORM_RMSNORM, V, mode), X(T, GPUOPT_NORM_SOFTMAX, V, mode), \
      X(T, GPUOPT_NORM_LOG_SOFTMAX, V, mode)
// The instances with V vectors a thread, for the resources table: X(T, norm, V, mode).
#define GPUOPT_ROW_INSTANCES_OF(X, V, mode)                                    \
  GPUOPT_ROW_NORMS_(X, float, V, mode), GPUOPT_ROW_NORMS_(X, __half, V, mode), \
      GPUOPT_ROW_NORMS_(X, __nv_bfloat16, V, mode)
#define GPUOPT_ROW_INSTANCES(X, V)                                                      \
  GPUOPT_ROW_INSTANCES_OF(X, V, kRowWhole), GPUOPT_ROW_INSTANCES_OF(X, V, kRowAligned), \
      GPUOPT_ROW_INSTANCES_OF(X, V, kRowAny)

}  // namespace gpuopt

#endif
