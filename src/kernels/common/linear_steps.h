// A chain as steps, of which there are fewer than stages: what is linear and what bounds follow each other as one step,
//
//   x  ->  min(max(x * scale + shift, low), high)
//
// where scale or shift may be a vector. Multiplying after adding starts a new step, since folding it into the sum would
// lose digits where the sum cancels. Every kernel that folds stages matches its chains on this list.
#pragma once

#include <limits>

#include "common/index.cuh"
#include "common/stage_values.h"

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
inline bool has_transposed(const gpuopt_problem &problem) {
  bool any = problem.operand[GPUOPT_OPERAND_X].m.layout == GPUOPT_COL;
  for (int32_t s = 0; s < problem.stage_count; ++s)
    any = any || (is_matrix(problem.stage[s]) && problem.stage[s].a.m.layout == GPUOPT_COL);
  return any;
}

template <class C>
class StepList {
 public:
  explicit StepList(const View &x) { append(kEnd).operand = x; }

  void add(int32_t index, const gpuopt_problem_stage &stage) {
    index_ = index;
    const bool per_col = stage.form == GPUOPT_PER_COL, vector = per_col || stage.form == GPUOPT_PER_ROW;
    const bool is_number = stage.form == GPUOPT_SCALAR && stage.a.m.dtype == 0;
    const C v0 = static_cast<C>(stage.value[0]), v1 = static_cast<C>(stage.value[1]);
    const C sign = stage.kind == GPUOPT_STAGE_SUB ? C(-1) : C(1);
    const View operand = stage_view(stage);
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
          with(append(per_col ? kMultiplyPerCol : kMultiplyPerRow), v0, operand);
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
          with(last(), sign * v0, operand);
          last().op = per_col ? kAddPerCol : kAddPerRow;
          state_ = kShifted;
          return;
        }
        with(append(GPUOPT_STAGE_ADD), sign * v0, operand);
        return;
      case GPUOPT_STAGE_ADD_OUTER:
        with(append(stage.kind), v0, outer_view(stage));
        last().rows = operand;
        return;
      default:
        break;
    }
    with(append(stage.kind), v0, operand);
  }
  const ChainSteps<C> &finish(const View &out) {
    append(GPUOPT_STAGE_STORE).operand = out;
    append(kEnd);
    return steps_;
  }
  // The stage that step s began with.
  int32_t first_stage(int32_t s) const { return first_stage_[s]; }

 private:
  using Step = typename ChainSteps<C>::Step;
  enum { kClosed, kScaled, kShifted };  // the last step: takes nothing more, a shift and bounds, bounds

  Step &append(int32_t op) {
    constexpr C kInfinity = std::numeric_limits<C>::infinity();
    state_ = kClosed;
    first_stage_[steps_.count] = index_;
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
  int32_t first_stage_[kMostSteps] = {}, index_ = 0;
  int state_ = kClosed;
};

template <class C>
StepList<C> list_steps(const gpuopt_problem &problem) {
  StepList<C> list(matrix_view(problem.operand[GPUOPT_OPERAND_X]));
  for (int32_t s = 0; s < problem.stage_count; ++s) list.add(s, problem.stage[s]);
  return list;
}
template <class C>
ChainSteps<C> make_steps(const gpuopt_problem &problem) {
  return list_steps<C>(problem).finish(matrix_view(problem.operand[GPUOPT_OPERAND_OUT]));
}

}  // namespace gpuopt
