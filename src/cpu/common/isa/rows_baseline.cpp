/* Loads and stores of rows of any float type for any machine of the architecture, and the choice among all. */
#define GPUOPT_VECTOR_BYTES 16
#include "pick.h"
#include "rows_body.inc"

namespace gpuopt {
namespace cpu {
const RowsIsa rows_baseline = table();

const RowsIsa &rows_isa(int isa) { return GPUOPT_PICK(rows, isa); }
}  // namespace cpu
}  // namespace gpuopt
