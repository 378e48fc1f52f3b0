// The least time that a device can take for a call: what its memory has to move and, of a product, what its units have to
// compute.
#pragma once
#include "gpuopt_call/call.h"

namespace gpuopt_call {

// TFLOP/s of gemm of this input and compute type on so many SMs at this clock, of the fastest units that compute it:
// fp32 on the FMA lanes, everything else on tensor cores, F32_TENSOR as three f16 products. 0: not known for this device.
double gemm_limit_tflops(int cc, int sm_count, double sm_mhz, int32_t type, int32_t compute);

struct Bound {
  double us = 0;         // 0: not known
  const char *by = "-";  // "memory" or "arithmetic"
};
// Of a call that the library takes. Where the peak of a product's type is not known, memory's.
Bound bound_of(Call *call, const gpuopt_device_facts &device);

}  // namespace gpuopt_call
