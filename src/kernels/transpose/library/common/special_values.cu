#include "common/divider.cuh"
#include "transpose/library/common/special_values.h"

#include "common/dtypes.cuh"
#include "common/launch.h"
#include "transpose/common/words.cuh"

namespace gpuopt {

constexpr int kSpecialThreads = 256;

// The walk of transpose_naive, which writes only what has the least or the greatest exponent.
template <int kBytes>
__global__ void __launch_bounds__(kSpecialThreads)
    transpose_special_values_kernel(View src, View dst, int64_t total, Divider per_matrix, Divider per_row) {
  constexpr Word<kBytes> kExponent =
      kBytes == 4 ? static_cast<Word<kBytes>>(0x7f800000u) : static_cast<Word<kBytes>>(0x7ff0000000000000ull);
  const int64_t element = int64_t{blockIdx.x} * kSpecialThreads + threadIdx.x;
  if (element >= total) return;
  int64_t in_matrix, j;
  const int64_t p = per_matrix.divide(element, in_matrix);
  const int64_t i = per_row.divide(in_matrix, j);
  const Word<kBytes> value = static_cast<const Word<kBytes> *>(src.data)[src.offset(p, i, j)];
  if ((value & kExponent) == kExponent || (value & kExponent) == 0)
    static_cast<Word<kBytes> *>(dst.data)[dst.offset(p, j, i)] = value;
}

gpuopt_status load_special_values(const gpuopt_problem &problem, const gpuopt_launch *launch) {
  return dtype_bytes(problem.operand[GPUOPT_OPERAND_SRC].m.dtype) == 8
             ? load_kernel(launch, "transpose_special_values", transpose_special_values_kernel<8>)
             : load_kernel(launch, "transpose_special_values", transpose_special_values_kernel<4>);
}

gpuopt_status restore_special_values(const gpuopt_problem &problem, const gpuopt_launch *launch) {
  const int64_t per_matrix = problem.m * problem.n, total = problem.batch * per_matrix;
  const dim3 grid(static_cast<unsigned>(ceil_div(total, kSpecialThreads)));
  const Divider matrices(per_matrix, total), rows(problem.n, per_matrix);
  return launch_kernel(launch, "transpose_special_values", grid, dim3(kSpecialThreads), 0,
                       dtype_bytes(problem.operand[GPUOPT_OPERAND_SRC].m.dtype) == 8
                           ? transpose_special_values_kernel<8>
                           : transpose_special_values_kernel<4>,
                       matrix_view(problem.operand[GPUOPT_OPERAND_SRC]),
                       matrix_view(problem.operand[GPUOPT_OPERAND_DST]), total, matrices, rows);
}

}  // namespace gpuopt
