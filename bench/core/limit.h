// What a device's arithmetic units can do at most: the denominator of "of the unit's limit".
#pragma once
#include <cstdint>

#include "device.h"

namespace gpuopt_bench {

// TFLOP/s of gemm of this input and compute type at the device's highest SM clock, of the fastest units that compute it:
// fp32 on the FMA lanes, everything else on tensor cores, F32_TENSOR as three TF32 products. 0: not known for this device.
double gemm_limit_tflops(const DeviceInfo &device, int32_t type, int32_t compute);

}  // namespace gpuopt_bench
