// x, the stages and out of a chain as one list of steps: each reads at most one operand, so code that reads exists once.
#ifndef GPUOPT_KERNELS_FUSED_ACT_CHAIN_STEPS_CUH
#define GPUOPT_KERNELS_FUSED_ACT_CHAIN_STEPS_CUH

#include "common/launch.h"
#include "fused_act/runs.cuh"
#include "fused_act/stages.cuh"

namespace gpuopt {

constexpr int32_t kLoad = 0;  // beside GPUOPT_STAGE_*: x becomes the operand
enum : int32_t { kNothing, kMatrix, kPerRow, kPerCol };
constexpr int kMostSteps = GPUOPT_MAX_STAGES + 2;

template <class C>
struct ChainSteps {
  struct Step {
    int32_t kind;
    int32_t reads;  // kNothing ...
    C v0, v1;
    View operand;
    View rows;  // ADD_OUTER: the vector along the rows
  };
  int32_t ahead;  // the step whose matrix, of x's type, is loaded together with x; 0: none
  int32_t count;
  Step step[kMostSteps];
};

inline bool is_vector(const gpuopt_problem_stage &stage) {
  return stage.kind == GPUOPT_STAGE_ADD_OUTER || stage.form == GPUOPT_PER_ROW || stage.form == GPUOPT_PER_COL;
}
inline bool is_matrix(const gpuopt_problem_stage &stage) { return stage.a.m.dtype != 0 && !is_vector(stage); }

template <class C>
ChainSteps<C> make_steps(const gpuopt_problem &problem) {
  const Chain<C> chain = make_chain<C>(problem);
  const View x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  ChainSteps<C> steps = {};
  steps.step[0] = {kLoad, kMatrix, C(0), C(0), x, {}};
  steps.count = 1;
  for (int32_t s = 0; s < chain.count; ++s) {
    const typename Chain<C>::Stage &stage = chain.stage[s];
    const bool outer = stage.kind == GPUOPT_STAGE_ADD_OUTER, store = stage.kind == GPUOPT_STAGE_STORE;
    const bool matrix = is_matrix(problem.stage[s]);
    if (matrix && !store && steps.ahead == 0 && stage.a.dtype == x.dtype) steps.ahead = steps.count;
    const int32_t reads = outer || stage.form == GPUOPT_PER_COL ? kPerCol
                          : stage.form == GPUOPT_PER_ROW        ? kPerRow
                          : matrix && !store                    ? kMatrix
                                                                : kNothing;
    steps.step[steps.count++] = {
        stage.kind, reads, stage.value[0], stage.value[1], outer ? stage.b : stage.a, outer ? stage.a : View{}};
  }
  steps.step[steps.count++] = {
      GPUOPT_STAGE_STORE, kNothing, C(0), C(0), matrix_view(problem.operand[GPUOPT_OPERAND_OUT]), {}};
  return steps;
}

}  // namespace gpuopt

#endif
