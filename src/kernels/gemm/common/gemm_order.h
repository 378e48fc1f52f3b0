// GPUOPT_FEATURE_BATCH_INVARIANT: in which order a device sums, so that every kernel that it may choose gives a row the same
// bits.
//
// Kernels that promise it sum along the whole of k in one place and in ascending order, whatever their tiles: those without
// tensor cores (a chain) one multiply-add after the other in the type of the sums; wgmma one instruction after the other of
// 32 bytes of k, of fp8 with sums moved to fp32 after each 128. The two differ in their bits, and how long a kernel takes
// depends on the number of rows; so for every type and compute type a device keeps to one of them, even where only the other
// is there. Integers are the same in any.
#pragma once

#include "common/descriptor.h"

namespace gpuopt {

// Whether the device sums by wgmma.
inline bool gemm_order_is_wgmma(const gpuopt_problem &problem) {
  const int32_t type = problem.operand[GPUOPT_OPERAND_A].m.dtype;
  return problem.device->cc == 90 && problem.k > 0 &&
         (type == GPUOPT_F16 || type == GPUOPT_BF16 || type == GPUOPT_E4M3 || type == GPUOPT_E5M2 ||
          (type == GPUOPT_F32 && problem.compute == GPUOPT_COMPUTE_TF32));
}

inline bool is_batch_invariant(const gpuopt_problem &problem) {
  return (problem.features & GPUOPT_FEATURE_BATCH_INVARIANT) != 0;
}

// For can_run() of kernels that sum as a chain.
inline int gemm_chain_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!is_batch_invariant(*problem) || !gemm_order_is_wgmma(*problem)) return 1;
  return refuse(reject, GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_NONE, 0, 1,
                "for BATCH_INVARIANT this device sums these types by wgmma, in another order");
}

}  // namespace gpuopt
