/* Loads and stores of rows of any float type for any machine of the architecture. */
#define GPUOPT_VECTOR_BYTES 16
#include "rows_body.inc"

namespace gpuopt {
namespace cpu {
const RowsIsa rows_baseline = table();
}  // namespace cpu
}  // namespace gpuopt
