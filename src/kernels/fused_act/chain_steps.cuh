// x, the stages and out of a chain as one list of steps, and the loop that walks it: one decision a step for all that a
// thread holds, the same for all threads.
//
// Steps are fewer than stages: what is linear and what bounds follow each other as one step,
//
//   x  ->  min(max(x * scale + shift, low), high)
//
// where scale or shift may be a vector. Multiplying after adding starts a new step, since folding it into the sum would
// lose digits where the sum cancels.
//
// A reader says what a thread holds and where its operands lie: kValues elements, in runs of K neighbours. It reads a
// vector along a row as kColumnValues elements and one along the rows as kRowValues, elements that values share being
// read once. kMatrices: whether stages may have matrices; without them registers are fewer.
#ifndef GPUOPT_KERNELS_FUSED_ACT_CHAIN_STEPS_CUH
#define GPUOPT_KERNELS_FUSED_ACT_CHAIN_STEPS_CUH

#include <limits>

#include "common/launch.h"
#include "fused_act/dtype_words.cuh"
#include "fused_act/runs.cuh"
#include "fused_act/stages.cuh"

namespace gpuopt {

// Beside GPUOPT_STAGE_* of functions, and of stages with a matrix.
enum : int32_t {
  kEnd = 0,
  kLinear = GPUOPT_STAGE_COUNT_,  // scale and shift are numbers
  kAddPerCol,                     // shift is a vector
  kAddPerRow,
  kMultiplyPerCol,  // scale is
  kMultiplyPerRow,
};
constexpr int kMostSteps = GPUOPT_MAX_STAGES + 3;

template <class C>
struct ChainSteps {
  struct Step {
    int32_t op;
    C value;  // of LEAKY_RELU; the operand's factor
    C scale, shift, low, high;
    View operand;
    View rows;  // ADD_OUTER: the vector along the rows
  };
  int32_t count;
  Step step[kMostSteps];  // the first reads x, the last but one writes out
};

inline bool is_vector(const gpuopt_problem_stage &stage) {
  return stage.kind == GPUOPT_STAGE_ADD_OUTER || stage.form == GPUOPT_PER_ROW || stage.form == GPUOPT_PER_COL;
}
inline bool is_matrix(const gpuopt_problem_stage &stage) { return stage.a.m.dtype != 0 && !is_vector(stage); }
// Whether a matrix lies across out.
inline bool turns(const gpuopt_problem &problem) {
  bool any = problem.operand[GPUOPT_OPERAND_X].m.layout == GPUOPT_COL;
  for (int32_t s = 0; s < problem.stage_count; ++s)
    any = any || (is_matrix(problem.stage[s]) && problem.stage[s].a.m.layout == GPUOPT_COL);
  return any;
}

template <class C>
class StepList {
 public:
  explicit StepList(const View &x) { append(kEnd).operand = x; }

  void add(const typename Chain<C>::Stage &stage) {
    const bool per_col = stage.form == GPUOPT_PER_COL, vector = per_col || stage.form == GPUOPT_PER_ROW;
    const bool is_number = stage.form == GPUOPT_SCALAR && stage.a.dtype == 0;
    const C v0 = stage.value[0], v1 = stage.value[1], sign = stage.kind == GPUOPT_STAGE_SUB ? C(-1) : C(1);
    switch (stage.kind) {
      case GPUOPT_STAGE_RELU:
        return bound(C(0), std::numeric_limits<C>::infinity());
      case GPUOPT_STAGE_CLAMP:
        return bound(v0 == v0 ? v0 : -std::numeric_limits<C>::infinity(),
                     v1 == v1 ? v1 : std::numeric_limits<C>::infinity());
      case GPUOPT_STAGE_NEG:
        return multiply(C(-1));
      case GPUOPT_STAGE_MUL:
        if (is_number) return multiply(v0);
        if (vector) {
          with(append(per_col ? kMultiplyPerCol : kMultiplyPerRow), v0, stage.a);
          state_ = kScaled;
          return;
        }
        break;
      case GPUOPT_STAGE_ADD:
      case GPUOPT_STAGE_SUB:
        if (is_number) {
          if (state_ != kScaled) append(kLinear);
          last().shift = sign * v0;
          state_ = kShifted;
          return;
        }
        if (vector) {
          if (state_ != kScaled || last().op != kLinear) append(kLinear);
          with(last(), sign * v0, stage.a);
          last().op = per_col ? kAddPerCol : kAddPerRow;
          state_ = kShifted;
          return;
        }
        with(append(GPUOPT_STAGE_ADD), sign * v0, stage.a);
        return;
      case GPUOPT_STAGE_ADD_OUTER:
        with(append(stage.kind), v0, stage.b);
        last().rows = stage.a;
        return;
      default:
        break;
    }
    with(append(stage.kind), v0, stage.a);
  }
  ChainSteps<C> finish(const View &out) {
    append(GPUOPT_STAGE_STORE).operand = out;
    append(kEnd);
    return steps_;
  }

 private:
  using Step = typename ChainSteps<C>::Step;
  enum { kClosed, kScaled, kShifted };  // the last step: takes nothing more, a shift and bounds, bounds

  Step &append(int32_t op) {
    constexpr C kInfinity = std::numeric_limits<C>::infinity();
    state_ = kClosed;
    Step &step = steps_.step[steps_.count++];
    step = {op, C(1), C(1), C(-0.0), -kInfinity, kInfinity, {}, {}};  // -0 so that a zero keeps its sign
    return step;
  }
  Step &last() { return steps_.step[steps_.count - 1]; }
  static void with(Step &step, C value, const View &operand) {
    step.value = value;
    step.operand = operand;
  }
  void multiply(C factor) {
    append(kLinear).scale = factor;
    state_ = kScaled;
  }
  void bound(C low, C high) {
    if (state_ == kClosed) append(kLinear);
    last().low = low;
    last().high = high;
    state_ = kClosed;
  }

  ChainSteps<C> steps_ = {};
  int state_ = kClosed;
};

template <class C>
ChainSteps<C> make_steps(const gpuopt_problem &problem) {
  const Chain<C> chain = make_chain<C>(problem);
  StepList<C> list(matrix_view(problem.operand[GPUOPT_OPERAND_X]));
  for (int32_t s = 0; s < chain.count; ++s) list.add(chain.stage[s]);
  return list.finish(matrix_view(problem.operand[GPUOPT_OPERAND_OUT]));
}

// Value e takes scale[e / kEach % S] and shift[e / kEach % T].
template <int kEach, class C, int V, int S, int T>
__device__ __forceinline__ void apply_linear(const typename ChainSteps<C>::Step &step, const C (&scale)[S],
                                             const C (&shift)[T], C (&x)[V]) {
  const C low = step.low, high = step.high;
#pragma unroll
  for (int e = 0; e < V; ++e) x[e] = clamp_to(x[e] * scale[e / kEach % S] + shift[e / kEach % T], low, high);
}

// f(values) for 8 doubles of many at a time: functions of fp64 need registers, and all values side by side more than
// there are.
template <class C, int N, class F>
__device__ __forceinline__ void in_parts(C (&x)[N], F &&f) {
  static_assert(N % 8 == 0, "whole parts");
#pragma unroll 1
  for (int part = 0; part < N / 8; ++part) {  // the first 8, which then go behind the others
    C y[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) y[e] = x[e];
    f(y);
#pragma unroll
    for (int e = 0; e < N; ++e) x[e] = e + 8 < N ? x[(e + 8) % N] : y[(e + 8) % 8];
  }
}

#define GPUOPT_VALUES_(op, value)                                                                            \
  case op:                                                                                                   \
    if constexpr (sizeof(C) == 8 && kValues > 8) {                                                           \
      in_parts(x, [&](auto &values) { _Pragma("unroll") for (int e = 0; e < 8; ++e) values[e] = (value); }); \
    } else {                                                                                                 \
      C(&values)[kValues] = x;                                                                               \
      _Pragma("unroll") for (int e = 0; e < kValues; ++e) values[e] = (value);                               \
    }                                                                                                        \
    break;
#define GPUOPT_FUNCTION_(name) GPUOPT_VALUES_(GPUOPT_STAGE_##name, function_of<GPUOPT_STAGE_##name>(values[e]))

#define GPUOPT_WITH_MATRIX_(name, value)                          \
  case GPUOPT_STAGE_##name:                                       \
    _Pragma("unroll") for (int e = 0; e < N; ++e) x[e] = (value); \
    break;

// The values, with as many elements of a matrix.
template <class C, int N>
__device__ __forceinline__ void apply_with_matrix(int32_t op, C factor, const C (&a)[N], C (&x)[N]) {
  switch (op) {
    // clang-format off
    GPUOPT_WITH_MATRIX_(ADD, x[e] + factor * a[e])
    GPUOPT_WITH_MATRIX_(MUL, x[e] * (factor * a[e]))
    GPUOPT_WITH_MATRIX_(RELU_GRAD, a[e] > C(0) ? x[e] : C(0))
    GPUOPT_WITH_MATRIX_(GELU_GRAD, x[e] * function_of<GPUOPT_STAGE_GELU_GRAD>(a[e]))
    default:
    GPUOPT_WITH_MATRIX_(SILU_GRAD, x[e] * function_of<GPUOPT_STAGE_SILU_GRAD>(a[e]))
      // clang-format on
  }
}

// Whether a reader applies stages with a matrix itself, in parts, by apply_matrix().
template <class Reader>
constexpr bool kAppliesMatrices = false;

// kAhead: reads the number of the next step while the present one runs, for a register more.
template <bool kAhead = true, class C, class Reader>
__device__ __forceinline__ void run_steps(const ChainSteps<C> &steps, const Reader &reader) {
  constexpr int kValues = Reader::kValues, kColumnValues = Reader::kColumnValues, kRowValues = Reader::kRowValues;
  constexpr int kEach = kValues / kRowValues;
  C x[kValues];
  reader.read_matrix(steps.step[0].operand, x);
  int32_t op = steps.step[1].op;
#pragma unroll 1
  for (int32_t s = 1;; ++s) {
    const typename ChainSteps<C>::Step &step = steps.step[s];
    const int32_t next = kAhead ? steps.step[s + 1].op : 0;
    if (!kAhead) op = step.op;
    switch (op) {
      // clang-format off
      GPUOPT_FUNCTION_(GELU)
      GPUOPT_FUNCTION_(GELU_TANH)
      GPUOPT_FUNCTION_(SILU)
      GPUOPT_FUNCTION_(SIGMOID)
      GPUOPT_FUNCTION_(TANH)
      GPUOPT_FUNCTION_(EXP)
      GPUOPT_FUNCTION_(LOG)
      GPUOPT_FUNCTION_(SQRT)
      GPUOPT_FUNCTION_(SQUARE)
      GPUOPT_FUNCTION_(ABS)
      GPUOPT_FUNCTION_(RECIPROCAL)
      GPUOPT_FUNCTION_(STEP)
      GPUOPT_VALUES_(GPUOPT_STAGE_LEAKY_RELU, values[e] < C(0) ? step.value * values[e] : values[e])
      // clang-format on
      case GPUOPT_STAGE_ADD:
      case GPUOPT_STAGE_MUL:
      case GPUOPT_STAGE_RELU_GRAD:
      case GPUOPT_STAGE_GELU_GRAD:
      case GPUOPT_STAGE_SILU_GRAD:
        if constexpr (Reader::kMatrices) {
          if constexpr (kAppliesMatrices<Reader>) {
            reader.apply_matrix(op, step.value, step.operand, x);
          } else {
            C a[kValues];
            reader.read_matrix(step.operand, a);
            apply_with_matrix(op, step.value, a, x);
          }
        }
        break;
      case kLinear: {
        const C scale[1] = {step.scale}, shift[1] = {step.shift};
        apply_linear<1>(step, scale, shift, x);
        break;
      }
      case kAddPerCol:
      case kMultiplyPerCol: {
        C v[kColumnValues];
        reader.read_per_col(step.operand, v);
#pragma unroll
        for (int e = 0; e < kColumnValues; ++e) v[e] *= step.value;
        const C scale[1] = {step.scale}, shift[1] = {step.shift};
        if (op == kAddPerCol)
          apply_linear<1>(step, scale, v, x);
        else
          apply_linear<1>(step, v, shift, x);
        break;
      }
      case kAddPerRow:
      case kMultiplyPerRow: {
        C v[kRowValues];
        reader.read_per_row(step.operand, v);
#pragma unroll
        for (int e = 0; e < kRowValues; ++e) v[e] *= step.value;
        const C scale[1] = {step.scale}, shift[1] = {step.shift};
        if (op == kAddPerRow)
          apply_linear<kEach>(step, scale, v, x);
        else
          apply_linear<kEach>(step, v, shift, x);
        break;
      }
      case GPUOPT_STAGE_ADD_OUTER: {
        C v[kColumnValues], w[kRowValues];
        reader.read_per_row(step.rows, w);
        reader.read_per_col(step.operand, v);
#pragma unroll
        for (int e = 0; e < kRowValues; ++e) w[e] *= step.value;
#pragma unroll
        for (int e = 0; e < kValues; ++e) x[e] += v[e % kColumnValues] * w[e / kEach];
        break;
      }
      case GPUOPT_STAGE_STORE:
        reader.write_matrix(step.operand, x);
        break;
      default:
        return;
    }
    op = next;
  }
}
#undef GPUOPT_VALUES_
#undef GPUOPT_FUNCTION_
#undef GPUOPT_WITH_MATRIX_

}  // namespace gpuopt

#endif
