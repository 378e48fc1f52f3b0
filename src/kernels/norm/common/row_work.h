// A norm's operands, and the stages after it, as the kernels on rows take them.
#pragma once

#include "common/stage_values.h"
#include "norm/common/norm_views.h"

namespace gpuopt {

// Stages that are interpreted: activations; ADD, SUB, MUL with a number, a vector along the row, a matrix of its type.
constexpr int kMostRowStages = 4;

struct RowStages {
  struct Stage {
    int32_t kind;
    float v0, v1;
    View operand;  // dtype 0: none
  };
  int32_t count;
  Stage stage[kMostRowStages];
};

constexpr uint64_t kRowStageKinds = stage_bits(
    GPUOPT_STAGE_RELU, GPUOPT_STAGE_LEAKY_RELU, GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH, GPUOPT_STAGE_SILU,
    GPUOPT_STAGE_SIGMOID, GPUOPT_STAGE_TANH, GPUOPT_STAGE_CLAMP, GPUOPT_STAGE_ADD, GPUOPT_STAGE_SUB, GPUOPT_STAGE_MUL);

inline RowStages make_row_stages(const gpuopt_problem &problem) {
  RowStages stages = {};
  stages.count =
      problem.stage_count < kMostRowStages ? problem.stage_count : kMostRowStages;  // the descriptor refuses more
  for (int32_t s = 0; s < stages.count; ++s) {
    const gpuopt_problem_stage &from = problem.stage[s];
    const bool subtracts = from.kind == GPUOPT_STAGE_SUB;
    const auto v0 = static_cast<float>(from.value[0]), v1 = static_cast<float>(from.value[1]);
    stages.stage[s] = {subtracts ? GPUOPT_STAGE_ADD : from.kind, subtracts ? -v0 : v0, v1, stage_view(from)};
  }
  return stages;
}

// The first stage whose operand is neither a vector along the row nor a row-major matrix of this type; -1: none.
inline int32_t unfit_row_stage(const gpuopt_problem &problem, int32_t dtype) {
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    if (stage.a.m.dtype == 0) continue;
    const bool vector = stage.form == GPUOPT_PER_COL && stage.a.m.ld == 1;
    const bool matrix = stage.form == GPUOPT_MATRIX && stage.a.m.layout == GPUOPT_ROW;
    if (stage.a.m.dtype != dtype || !(vector || matrix)) return s;
  }
  return -1;
}

// A linear chain (common/linear_act.h) of numbers.
constexpr int32_t kNoRowAct = 0;

struct RowLinear {
  struct Step {
    bool exists, bounded;
    float scale, shift, low, high;
  };
  Step before, after;
  int32_t act;  // GPUOPT_STAGE_* or kNoRowAct
};
struct NoChain {};

// What a kernel's instance may rely on.
enum : int {
  kRowAligned,  // vectors begin at 16 bytes, and so does what follows the row
  kRowAny,
};
constexpr int kLeastGroup = 16;  // threads of a row in kRowAny

template <class T>
struct RowWork : NormViews {
  int32_t rows, cols, batch;
  float eps;
  uint32_t early_blocks;  // of an early launch, those that run at once (early_rows.cuh); 0: launched as usual
  RowStages stages;

  // Row number `row` of all matrices is row i of the matrix that this returns.
  __device__ __forceinline__ int32_t place(int32_t row, int32_t &i) const {
    const int32_t p = batch > 1 ? row / rows : 0;
    i = row - p * rows;
    return p;
  }
};

template <class T>
RowWork<T> make_row_work(const gpuopt_problem &problem) {
  return {norm_views(problem),
          static_cast<int32_t>(problem.m),
          static_cast<int32_t>(problem.n),
          static_cast<int32_t>(problem.batch),
          static_cast<float>(problem.eps),
          0,
          make_row_stages(problem)};
}

// The instances of each type and norm: X(T, norm, ...), one after the other.
#define GPUOPT_ROW_NORMS_(X, T, ...)       \
  X(T, GPUOPT_NORM_LAYERNORM, __VA_ARGS__) \
  X(T, GPUOPT_NORM_RMSNORM, __VA_ARGS__)   \
  X(T, GPUOPT_NORM_SOFTMAX, __VA_ARGS__) X(T, GPUOPT_NORM_LOG_SOFTMAX, __VA_ARGS__)
#define GPUOPT_ROW_INSTANCES_OF(X, ...)    \
  GPUOPT_ROW_NORMS_(X, float, __VA_ARGS__) \
  GPUOPT_ROW_NORMS_(X, __half, __VA_ARGS__) GPUOPT_ROW_NORMS_(X, __nv_bfloat16, __VA_ARGS__)
// Those before a linear chain.
#define GPUOPT_LINEAR_INSTANCES(X, ...)         \
  X(float, GPUOPT_NORM_LAYERNORM, __VA_ARGS__)  \
  X(float, GPUOPT_NORM_RMSNORM, __VA_ARGS__)    \
  X(__half, GPUOPT_NORM_LAYERNORM, __VA_ARGS__) \
  X(__half, GPUOPT_NORM_RMSNORM, __VA_ARGS__)   \
  X(__nv_bfloat16, GPUOPT_NORM_LAYERNORM, __VA_ARGS__) X(__nv_bfloat16, GPUOPT_NORM_RMSNORM, __VA_ARGS__)

}  // namespace gpuopt
