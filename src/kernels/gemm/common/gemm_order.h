// GPUOPT_FEATURE_BATCH_INVARIANT: in which order a device sums, so that every kernel that it may choose gives a row the same
// bits.
//
// Kernels that promise it sum along the whole of k in one place and in ascending order, whatever their tiles: those without
// tensor cores (a chain) one multiply-add after the other in the type of the sums; wgmma one instruction after the other of
// 32 bytes of k, of fp8 with sums moved to fp32 after each 128; fp64 tensor cores (dmma) four of k after the other. They
// differ in their bits, and how long a kernel takes depends on the number of rows; so for every type and compute type a
// device keeps to one of them, even where only another is there. Integers are the same in any.
#pragma once

#include "common/descriptor.h"

namespace gpuopt {

inline bool is_batch_invariant(const gpuopt_problem &problem) {
  return (problem.features & GPUOPT_FEATURE_BATCH_INVARIANT) != 0;
}

enum class GemmOrder { chain, wgmma, dmma };

inline GemmOrder gemm_order(const gpuopt_problem &problem) {
  const int32_t type = problem.operand[GPUOPT_OPERAND_A].m.dtype, cc = problem.device->cc;
  if (problem.compute == GPUOPT_COMPUTE_F64) return cc >= 80 ? GemmOrder::dmma : GemmOrder::chain;
  const bool is_wgmma = type == GPUOPT_F16 || type == GPUOPT_BF16 || type == GPUOPT_E4M3 || type == GPUOPT_E5M2 ||
                        (type == GPUOPT_F32 && problem.compute == GPUOPT_COMPUTE_TF32);
  return cc == 90 && problem.k > 0 && is_wgmma ? GemmOrder::wgmma : GemmOrder::chain;
}

// For can_run() of kernels that sum in this order.
template <GemmOrder kOrder>
int gemm_order_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!is_batch_invariant(*problem)) return 1;
  const GemmOrder order = gemm_order(*problem);
  if (order == kOrder) return 1;
  const char *const what = order == GemmOrder::wgmma ? "BATCH_INVARIANT: this device sums these types by wgmma alone"
                           : order == GemmOrder::dmma
                               ? "BATCH_INVARIANT: this device sums these types by fp64 tensor cores alone"
                               : "BATCH_INVARIANT: this device sums these types by multiply-adds alone";
  return refuse(reject, GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_NONE, 0, 1, what);
}

}  // namespace gpuopt
