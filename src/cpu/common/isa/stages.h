/* Chains of element-wise stages on fp32 arrays that lie in the first-level cache, compiled once per instruction set. */
#pragma once

#include <stdint.h>

namespace gpuopt {
namespace cpu {

/* One stage on x[0 .. count). kind: GPUOPT_STAGE_*, but STORE and ADD_OUTER, which the caller resolves.
 * ADD, SUB, MUL: the operand is value[0] where a is NULL, else value[0] * a[i]. */
struct StageStep {
  int32_t kind;
  float value[2];
  const float *a;
};

struct StagesIsa {
  void (*run)(float *x, int64_t count, const StageStep *steps, int step_count);
};

extern const StagesIsa stages_baseline, stages_avx2, stages_avx512;
const StagesIsa &stages_isa(int isa); /* as in gpuopt_device_facts.cpu_isa */

}  // namespace cpu
}  // namespace gpuopt
