#include "gpuopt_call/bound.h"

#include "gpuopt_call/work.h"

namespace gpuopt_call {
namespace {

// Flops (a fused multiply-add is two) of one SM in one clock, dense.
struct Rates {
  int cc;
  double f32, f64, tf32, half, byte;  // half: f16 and bf16; byte: fp8 and i8
};
constexpr Rates kRates[] = {
    {80, 128, 128, 1024, 2048, 4096},  // A100: 19.5, 19.5, 156, 312, 624 TFLOP/s with 108 SMs at 1.41 GHz
    {90, 256, 256, 2048, 4096, 8192},  // H100 SXM: 66.9, 66.9, 494.7, 989.4, 1979 with 132 at 1.83 to 1.98 GHz
};

}  // namespace

double gemm_limit_tflops(int cc, int sm_count, double sm_mhz, int32_t type, int32_t compute) {
  for (const Rates &r : kRates) {
    if (r.cc != cc) continue;
    double flops = 0;
    switch (type) {
      case GPUOPT_F32:
        flops = compute == GPUOPT_COMPUTE_TF32 ? r.tf32 : compute == GPUOPT_COMPUTE_F32_TENSOR ? r.half / 3 : r.f32;
        break;
      case GPUOPT_F64:
        flops = r.f64;
        break;
      default:
        flops = gpuopt_dtype_size(type) == 2 ? r.half : gpuopt_dtype_size(type) == 1 ? r.byte : 0;
        break;
    }
    return flops * sm_count * sm_mhz * 1e-6;
  }
  return 0;
}

Bound bound_of(Call *call, const gpuopt_device_facts &device) {
  Bound bound;
  if (device.memory_gbs <= 0) return bound;
  bound = {static_cast<double>(touched_bytes(call)) / (device.memory_gbs * 1e3), "memory"};
  const bool grouped = call->op() == GPUOPT_OP_GEMM_GROUPED;
  if (call->op() != GPUOPT_OP_GEMM && !grouped) return bound;
  const double tflops = gemm_limit_tflops(device.cc, device.sm_count, device.clock_mhz,
                                          grouped ? call->gemm_grouped.a.dtype : call->gemm.a.dtype,
                                          grouped ? call->gemm_grouped.compute : call->gemm.compute);
  if (tflops <= 0) return bound;
  const double us = flops_of(*call) / (tflops * 1e6);
  return us > bound.us ? Bound{us, "arithmetic"} : bound;
}

}  // namespace gpuopt_call
