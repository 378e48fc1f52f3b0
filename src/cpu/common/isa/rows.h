/* Rows of f32, f16, bf16 and f64 elements to and from fp32, compiled once per instruction set. */
#pragma once

#include <stdint.h>

namespace gpuopt {
namespace cpu {

struct RowsIsa {
  /* dtype: GPUOPT_F32, F16, BF16 or F64 (rounded to fp32). */
  void (*load)(float *dst, const void *src, int32_t dtype, int64_t count);
  /* dtype: GPUOPT_F32, F16 or BF16, to nearest even, NaN stays NaN; F64 exactly. */
  void (*store)(void *dst, const float *src, int32_t dtype, int64_t count);
  /* f32 past the caches, for outputs that no cache can hold; the other types as store does. A thread ends a run of
   * them with stream_end, before anyone else may read. */
  void (*stream)(void *dst, const float *src, int32_t dtype, int64_t count);
  void (*stream_end)();
};

extern const RowsIsa rows_baseline, rows_avx2, rows_avx512;
const RowsIsa &rows_isa(int isa); /* as in gpuopt_device_facts.cpu_isa */

}  // namespace cpu
}  // namespace gpuopt
