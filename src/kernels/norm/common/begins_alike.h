// Which operands' rows begin within 16 bytes where x's do.
#pragma once

#include "common/dtypes.cuh"
#include "norm/common/row_launch.h"

namespace gpuopt {

// Whether the operand's vectors begin where x's do in every row. Of bases only a power of two is known that divides them: both
// whole accesses, or both half of one behind.
inline bool begins_alike(const gpuopt_problem &problem, int operand, gpuopt_reject *reject) {
  const gpuopt_operand &o = problem.operand[operand], &x = problem.operand[GPUOPT_OPERAND_X];
  const int32_t elements = 16 / dtype_bytes(x.m.dtype);
  const int32_t access = elements * dtype_bytes(o.m.dtype);
  const bool whole = x.align >= 16 && o.align >= access;
  if (!whole && (x.align != 8 || o.align != 8 || access != 16))
    return refuse(reject, GPUOPT_REJECT_ALIGN, operand, o.align < x.align ? o.align : x.align, access,
                  "its rows begin otherwise than x's");
  const int64_t ld = o.m.ld - x.m.ld, stride = o.m.batch_stride - x.m.batch_stride;
  if (problem.batch > 1 && stride % elements != 0)
    return refuse(reject, GPUOPT_REJECT_ALIGN, operand, stride, elements, "batch stride less x's");
  if (ld % elements == 0) return true;
  return refuse(reject, GPUOPT_REJECT_LD_MULTIPLE, operand, ld, elements, "ld less x's");
}

}  // namespace gpuopt
