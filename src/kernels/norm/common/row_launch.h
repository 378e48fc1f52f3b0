// The host side of the kernels on rows: what they take, their instances.
#pragma once

#include "common/descriptor.h"
#include "common/dtypes.cuh"
#include "common/launch.h"
#include "common/with_constant.h"
#include "norm/common/row_cost.h"
#include "norm/common/row_work.h"

namespace gpuopt {

inline bool is_aligned(int operand, const gpuopt_operand &o, bool matrix, gpuopt_reject *reject) {
  int have = o.align < o.stride_align ? o.align : o.stride_align;
  if (matrix && o.ld_align < have) have = o.ld_align;
  if (o.m.dtype == 0 || have >= 16) return true;
  return refuse(reject, GPUOPT_REJECT_ALIGN, operand, have, 16, nullptr);
}
// Whether weights and the stages' operands are aligned, which the descriptor cannot ask for.
inline bool others_aligned(const gpuopt_problem &problem, gpuopt_reject *reject) {
  for (int i : {GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA}) {
    if (!is_aligned(i, problem.extra[i - 4], false, reject)) return false;
  }
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const bool matrix = problem.stage[s].form == GPUOPT_MATRIX;
    if (!is_aligned(GPUOPT_OPERAND_STAGE + s, problem.stage[s].a, matrix, reject)) return false;
  }
  return true;
}
// Elements of a vector of 16 bytes.
inline int vector_elements(const gpuopt_problem &problem) {
  return 16 / dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
}

// Whether rows begin and end at 16 bytes, and so do these.
inline bool all_aligned(const gpuopt_problem &problem, gpuopt_reject *reject) {
  const int elements = vector_elements(problem);
  if (problem.n % elements != 0)
    return refuse(reject, GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, problem.n, elements, "n");
  for (int operand = 0; operand < 4; ++operand) {
    if (!is_aligned(operand, problem.operand[operand], true, reject)) return false;
  }
  return others_aligned(problem, reject);
}
inline bool all_aligned(const gpuopt_problem &problem) {
  gpuopt_reject ignored;
  return all_aligned(problem, &ignored);
}

// Vectors of 16 bytes that cover a row wherever it begins.
inline int64_t row_vectors(const gpuopt_problem &problem) {
  const int elements = vector_elements(problem);
  return ceil_div(problem.n + (all_aligned(problem) ? 0 : elements - 1), elements);
}

// Threads that hold so many vectors, `each` a thread, in whole warps.
inline int64_t whole_warps(int64_t vectors, int64_t each) { return ceil_div(ceil_div(vectors, each), 32) * 32; }

inline bool is_f32(const gpuopt_problem &problem) { return problem.operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_F32; }

inline bool is_layer_norm(const gpuopt_problem &problem) { return problem.variant == GPUOPT_NORM_LAYERNORM; }

inline int row_mode(const gpuopt_problem &problem) { return all_aligned(problem) ? kRowAligned : kRowAny; }

// f(the tag of T, which all matrices have).
template <class F>
gpuopt_status with_row_type(const gpuopt_problem &problem, F &&f) {
  return with_one_of<__half, __nv_bfloat16, float>(problem.operand[GPUOPT_OPERAND_X].m.dtype, f);
}
// f(T's tag, the norm, the mode: as constants).
template <class F>
gpuopt_status with_row_instance(const gpuopt_problem &problem, int mode, F &&f) {
  return with_row_type(problem, [&](auto tag) {
    const auto with_mode = [&](auto norm) {
      return with_constant<kRowAligned, kRowAny>(mode, [&](auto known) { return f(tag, norm, known); });
    };
    return with_constant<GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM, GPUOPT_NORM_SOFTMAX, GPUOPT_NORM_LOG_SOFTMAX>(
        problem.variant, with_mode);
  });
}

// What prepare() and launch() hand to a kernel's with_kernel(): f(T's tag, the kernel, blocks, threads, what it takes after
// the work).
inline auto row_loader(const gpuopt_launch *launch, const char *name, size_t dynamic_smem = 0) {
  return [=](auto, auto kernel, auto &&...) { return load_kernel(launch, name, kernel, dynamic_smem); };
}
inline auto row_launcher(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name,
                         size_t dynamic_smem = 0) {
  return [&problem, launch, name, dynamic_smem](auto tag, auto kernel, int64_t blocks, int64_t threads,
                                                const auto &...more) {
    return launch_kernel(launch, name, static_cast<unsigned>(blocks), static_cast<unsigned>(threads), dynamic_smem,
                         kernel, make_row_work<typename decltype(tag)::type>(problem), more...);
  };
}

// most: vectors of 16 bytes that a row may have; wide: weights may also be both in fp32. The descriptor says types and
// layouts.
inline int row_can_run(const gpuopt_problem *problem, int64_t most, gpuopt_reject *reject, bool wide = false) {
  const int32_t first = problem->extra[GPUOPT_OPERAND_GAMMA - 4].m.dtype;
  for (int i : {GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA}) {
    const gpuopt_operand &o = problem->extra[i - 4];
    if (o.m.dtype == 0) continue;
    const bool is_wide = wide && o.m.dtype == GPUOPT_F32 && (first == 0 || first == GPUOPT_F32);
    if (!is_wide && (o.m.dtype != problem->operand[GPUOPT_OPERAND_X].m.dtype || (wide && first == GPUOPT_F32)))
      return refuse(reject, GPUOPT_REJECT_DTYPE, i, o.m.dtype, problem->operand[GPUOPT_OPERAND_X].m.dtype,
                    "weights of x's type");
    if (o.m.ld != 1) return refuse(reject, GPUOPT_REJECT_LAYOUT, i, o.m.layout, 0, "its elements are not neighbours");
  }
  const auto limit = [reject](int64_t have, int64_t need, const char *what) {
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, have, need, what);
  };
  constexpr int64_t kMostRows = int64_t{1} << 27;
  if (problem->n == 0 || problem->m == 0 || problem->batch == 0) return 1;
  const int64_t vectors = row_vectors(*problem);
  if (vectors > most) return limit(vectors, most, "16-byte vectors of a row");
  if (problem->m > kMostRows / problem->batch) return limit(problem->m, kMostRows / problem->batch, "rows");
  return 1;
}

// f(T's tag, the norm as a constant), of the norms that come with weights.
template <class F>
gpuopt_status with_weighted_instance(const gpuopt_problem &problem, F &&f) {
  return with_row_type(problem, [&](auto tag) {
    return with_constant<GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM>(problem.variant,
                                                                     [&](auto norm) { return f(tag, norm); });
  });
}

// Whether the interpreter of row_stages.cuh takes the stages.
inline bool stages_fit(const gpuopt_problem &problem, gpuopt_reject *reject) {
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    if (s < kMostRowStages && (kRowStageKinds >> problem.stage[s].kind & 1) != 0) continue;
    return refuse(reject, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + s, 0, 0,
                  "more stages than are interpreted, or another kind");
  }
  const int32_t stage = unfit_row_stage(problem, problem.operand[GPUOPT_OPERAND_X].m.dtype);
  if (stage < 0) return true;
  return refuse(reject, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + stage, 0, 0,
                "its operand is no vector along the row or row-major matrix of x's type");
}

inline constexpr gpuopt_signature kRowSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
};
// The same and, without a residual, out in e4m3.
inline constexpr gpuopt_signature kRowSignaturesNarrow[] = {
    kRowSignatures[0],
    kRowSignatures[1],
    kRowSignatures[2],
    {{GPUOPT_F32, 0, GPUOPT_E4M3, 0}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, 0, GPUOPT_E4M3, 0}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, 0, GPUOPT_E4M3, 0}, GPUOPT_COMPUTE_F32},
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

}  // namespace gpuopt
