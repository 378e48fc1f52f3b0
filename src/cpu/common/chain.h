/* A chain of element-wise stages in double: the meaning of GPUOPT_STAGE_TABLE, written plainly. */
#ifndef GPUOPT_CPU_COMMON_CHAIN_H
#define GPUOPT_CPU_COMMON_CHAIN_H

#include <stdint.h>

#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {

/* Bits of every stage kind: what gpuopt_kernel.stage_kinds says of a kernel that calls apply_chain. */
constexpr uint64_t kAllStageKinds = 0
#define GPUOPT_X_(name, value, operands, scalars, what) | (uint64_t(1) << value)
    GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
    ;

/* One stage on the running value x at element (i, j) of matrix p. STORE writes its operand here and now. */
double apply_stage(const gpuopt_problem_stage &stage, double x, int64_t i, int64_t j, int64_t p);

/* The problem's whole chain, in the order given, without the final rounding. */
double apply_chain(const gpuopt_problem &problem, double x, int64_t i, int64_t j, int64_t p);

}  // namespace cpu
}  // namespace gpuopt
#endif
