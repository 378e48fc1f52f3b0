// Problems that people have, for the golden files of choices: model layers, and what a linear algebra library is asked.
// golden_gemm.h, golden_memory.h and golden_rows.h list them; test_goldens.cpp asks which kernel each device takes.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "dispatch.h"

namespace gpuopt_test {

constexpr int32_t kF32 = GPUOPT_F32, kF64 = GPUOPT_F64, kF16 = GPUOPT_F16, kBf16 = GPUOPT_BF16, kE4m3 = GPUOPT_E4M3,
                  kE5m2 = GPUOPT_E5M2, kI8 = GPUOPT_I8, kU8 = GPUOPT_U8, kI32 = GPUOPT_I32, kB128 = GPUOPT_B128;

struct GoldenProblem {
  gpuopt::AnyArgs args = {};
  std::vector<gpuopt_stage> stages;
  int32_t align = 0;  // of every pointer, in bytes; 0: as allocated

  // The args, with the stages.
  gpuopt::AnyArgs &call() {
    const auto take = [this](auto &of_op) {
      of_op.stages = stages.empty() ? nullptr : stages.data();
      of_op.stage_count = static_cast<int32_t>(stages.size());
    };
    if (args.head.op == GPUOPT_OP_GEMM) take(args.gemm);
    if (args.head.op == GPUOPT_OP_FUSED_ACT) take(args.fused_act);
    if (args.head.op == GPUOPT_OP_NORM) take(args.norm);
    if (args.head.op == GPUOPT_OP_GEMM_GROUPED) take(args.gemm_grouped);
    return args;
  }
  gpuopt_explain_options assumptions() const {
    gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
    for (int32_t &of_pointer : o.align) of_pointer = align;
    return o;
  }
};
using GoldenProblems = std::deque<GoldenProblem>;  // problems stay where they are: their args may refer to them

inline gpuopt_matrix golden_matrix(int64_t rows, int64_t cols, int32_t dtype, bool column = false) {
  gpuopt_matrix m = gpuopt_mat(nullptr, rows, cols, dtype);
  m.layout = column ? GPUOPT_COL : GPUOPT_ROW;
  return m;
}

inline gpuopt_stage per_col(int32_t kind, int64_t cols, int32_t dtype) {
  return gpuopt_act_with(kind, GPUOPT_PER_COL, golden_matrix(1, cols, dtype));
}
inline gpuopt_stage per_row(int32_t kind, int64_t rows, int32_t dtype) {
  return gpuopt_act_with(kind, GPUOPT_PER_ROW, golden_matrix(rows, 1, dtype));
}
inline gpuopt_stage with_matrix(int32_t kind, int64_t rows, int64_t cols, int32_t dtype) {
  return gpuopt_act_with(kind, GPUOPT_MATRIX, golden_matrix(rows, cols, dtype));
}
// STORE and the gradients take a matrix as they are.
inline gpuopt_stage of_matrix(int32_t kind, int64_t rows, int64_t cols, int32_t dtype) {
  gpuopt_stage s = gpuopt_act(kind, 0, 0);
  s.a = golden_matrix(rows, cols, dtype);
  return s;
}
inline gpuopt_stage act(int32_t kind) { return gpuopt_act(kind, 0, 0); }

// Every pointer on the size of its element and no more, as in the middle of a larger buffer.
inline void unaligned(GoldenProblem &p, int32_t dtype) { p.align = static_cast<int32_t>(gpuopt_dtype_size(dtype)); }

GoldenProblems golden_gemms();
GoldenProblems golden_transposes();
GoldenProblems golden_reduces();
GoldenProblems golden_fused_acts();
GoldenProblems golden_norms();
GoldenProblems golden_gemm_groupeds();

}  // namespace gpuopt_test
