/* Loads and stores of rows of any float type for AVX-512 F, BW, DQ and VL. */
#if defined(__x86_64__) && defined(__AVX512F__)
#define GPUOPT_VECTOR_BYTES 64
#include "rows_body.inc"

namespace gpuopt {
namespace cpu {
const RowsIsa rows_avx512 = table();
}  // namespace cpu
}  // namespace gpuopt
#endif
