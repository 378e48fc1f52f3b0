/* From gpuopt_device_facts.cpu_isa to the code compiled for it. */
#include "gemm.h"
#include "reduce.h"
#include "rows.h"
#include "stages.h"
#include "transpose.h"

#if defined(__x86_64__)
#define GPUOPT_PICK(name, isa) ((isa) >= 2 ? name##_avx512 : (isa) == 1 ? name##_avx2 : name##_baseline)
#else
#define GPUOPT_PICK(name, isa) ((void)(isa), name##_baseline)
#endif

namespace gpuopt {
namespace cpu {

template <>
const GemmIsa<float> &gemm_isa<float>(int isa) {
  return GPUOPT_PICK(gemm_f32, isa);
}
template <>
const GemmIsa<double> &gemm_isa<double>(int isa) {
  return GPUOPT_PICK(gemm_f64, isa);
}
const ReduceIsa &reduce_isa(int isa) { return GPUOPT_PICK(reduce, isa); }
const RowsIsa &rows_isa(int isa) { return GPUOPT_PICK(rows, isa); }
const StagesIsa &stages_isa(int isa) { return GPUOPT_PICK(stages, isa); }
const TransposeIsa &transpose_isa(int isa) { return GPUOPT_PICK(transpose, isa); }

}  // namespace cpu
}  // namespace gpuopt
