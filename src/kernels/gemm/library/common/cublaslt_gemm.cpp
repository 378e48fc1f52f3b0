#include "gemm/library/common/cublaslt_gemm.h"

namespace gpuopt {

size_t cublaslt_scratch(const gpuopt_problem &problem) {
  constexpr size_t kMiB = size_t{1} << 20;
  const size_t wanted = problem.device->cc >= 90 ? 64 * kMiB : 32 * kMiB;
  return (wanted < problem.workspace_limit ? wanted : problem.workspace_limit) & ~size_t{255};
}

}  // namespace gpuopt

#if defined(GPUOPT_CUBLAS_OFF)

#include "common/cublas/cublas_loader.h"

namespace gpuopt {

gpuopt_status cublaslt_prepare(const gpuopt_problem &, const gpuopt_launch &launch, const CublasLtEpilogue &) {
  cublaslt_load(launch.error, launch.error_bytes);
  return GPUOPT_NOT_SUPPORTED;
}

gpuopt_status cublaslt_run(const gpuopt_problem &problem, const gpuopt_launch &launch,
                           const CublasLtEpilogue &epilogue) {
  return cublaslt_prepare(problem, launch, epilogue);
}

gpuopt_status cublaslt_algorithms(const gpuopt_problem &problem, const gpuopt_launch &launch,
                                  const CublasLtEpilogue &epilogue, char *) {
  return cublaslt_prepare(problem, launch, epilogue);
}

}  // namespace gpuopt

#else

#include <cuda_fp16.h>

#include <cmath>

#include "gemm/library/common/cublaslt_algorithm.h"
#include "gemm/library/common/cublaslt_plan.h"

namespace gpuopt {

namespace {

constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B, kC = GPUOPT_OPERAND_C, kD = GPUOPT_OPERAND_D;

gpuopt_status refuse(const gpuopt_problem &p, const gpuopt_launch &launch, const CublasLtPlan &plan) {
  const auto number = [](int64_t value) { return static_cast<long long>(value); };
  const gpuopt_matrix &a = p.operand[kA].m, &b = p.operand[kB].m, &d = p.operand[kD].m;
  const auto layout = [](const gpuopt_matrix &m) { return m.layout == GPUOPT_ROW ? "row" : "col"; };
  return cublas_fail(
      launch, GPUOPT_NOT_SUPPORTED,
      "gemm_cublaslt: cuBLASLt has no algorithm %s%sfor m %lld n %lld k %lld batch %lld, a %s %s ld %lld, "
      "b %s %s ld %lld, d %s ld %lld, compute %s, %d stages (%s)",
      p.algorithm != nullptr ? p.algorithm : "", p.algorithm != nullptr ? " " : "", number(p.m), number(p.n),
      number(p.k), number(p.batch), gpuopt_dtype_name(a.dtype), layout(a), number(a.ld), gpuopt_dtype_name(b.dtype),
      layout(b), number(b.ld), gpuopt_dtype_name(d.dtype), number(d.ld), gpuopt_compute_name(p.compute), p.stage_count,
      plan.api->status_name(plan.refusal));
}

// alpha or beta in the type in which cuBLASLt takes it.
union Scalar {
  double f64;
  float f32;
  __half_raw f16;
};

Scalar make_scalar(const gpuopt_problem &p, double value) {
  Scalar scalar = {0.0};
  if (p.compute == GPUOPT_COMPUTE_F64) {
    scalar.f64 = value;
  } else if (p.compute == GPUOPT_COMPUTE_F16) {
    scalar.f16 = __double2half(value);
  } else {
    scalar.f32 = static_cast<float>(value);
  }
  return scalar;
}

// Beyond the range of fp16 a finite scalar would turn into infinity.
bool scalar_fits(const gpuopt_problem &p, double value) {
  return p.compute != GPUOPT_COMPUTE_F16 || !std::isfinite(value) || std::fabs(value) < 65520.0;
}

}  // namespace

gpuopt_status cublaslt_fail_with(const CublasLtApi &api, const gpuopt_launch &launch, const char *what,
                                 cublasStatus_t code) {
  gpuopt_status status = GPUOPT_CUDA_ERROR;
  if (code == CUBLAS_STATUS_ALLOC_FAILED) status = GPUOPT_OUT_OF_MEMORY;
  if (code == CUBLAS_STATUS_NOT_SUPPORTED || code == CUBLAS_STATUS_ARCH_MISMATCH) status = GPUOPT_NOT_SUPPORTED;
  return cublas_fail(launch, status, "gemm_cublaslt: %s: %s", what, api.status_name(code));
}

gpuopt_status cublaslt_prepare(const gpuopt_problem &p, const gpuopt_launch &launch, const CublasLtEpilogue &epilogue) {
  std::unique_ptr<CublasLtPlan> unkept;
  CublasLtPlan *plan = nullptr;
  const gpuopt_status status = cublaslt_plan(p, launch, epilogue, &unkept, &plan);
  if (status != GPUOPT_OK) return status;
  return plan->refusal == CUBLAS_STATUS_SUCCESS ? GPUOPT_OK : refuse(p, launch, *plan);
}

gpuopt_status cublaslt_algorithms(const gpuopt_problem &p, const gpuopt_launch &launch,
                                  const CublasLtEpilogue &epilogue, char *text) {
  std::unique_ptr<CublasLtPlan> unkept;
  CublasLtPlan *plan = nullptr;
  const gpuopt_status status = cublaslt_plan(p, launch, epilogue, &unkept, &plan);
  if (status != GPUOPT_OK) return status;
  const CublasRelaxedCapture relaxed;
  const CublasDevice device(launch.device->ordinal);
  CublasLtOffer offer;
  const cublasStatus_t code = cublaslt_offer(p, epilogue, *plan, &offer);
  if (code != CUBLAS_STATUS_SUCCESS)
    return cublaslt_fail_with(*plan->api, launch, "cublasLtMatmulAlgoGetHeuristic", code);
  write_cublaslt_algorithms(*plan->api, offer, text);
  return GPUOPT_OK;
}

gpuopt_status cublaslt_run(const gpuopt_problem &p, const gpuopt_launch &launch, const CublasLtEpilogue &epilogue) {
  if (!scalar_fits(p, p.alpha) || !scalar_fits(p, p.beta)) {
    return cublas_fail(launch, GPUOPT_NOT_SUPPORTED, "gemm_cublaslt: alpha %g or beta %g is outside the range of fp16",
                       p.alpha, p.beta);
  }
  std::unique_ptr<CublasLtPlan> unkept;
  CublasLtPlan *plan = nullptr;
  const gpuopt_status status = cublaslt_plan(p, launch, epilogue, &unkept, &plan);
  if (status != GPUOPT_OK) return status;
  if (plan->refusal != CUBLAS_STATUS_SUCCESS) return refuse(p, launch, *plan);
  const CublasLtApi &api = *plan->api;

  cublasLtMatmulDescOpaque_t own;
  cublasLtMatmulDesc_t desc = &plan->desc;
  if (epilogue.bias != nullptr || (p.features & GPUOPT_FEATURE_SCALE) != 0) {
    own = plan->desc;
    desc = &own;
    const cublasStatus_t code =
        cublaslt_set_pointers(api, desc, p, epilogue.bias != nullptr ? epilogue.bias->m.data : nullptr);
    if (code != CUBLAS_STATUS_SUCCESS) return cublaslt_fail_with(api, launch, "cublasLtMatmulDescSetAttribute", code);
  }

  const Scalar alpha = make_scalar(p, p.alpha), beta = make_scalar(p, p.beta);
  void *d = p.operand[kD].m.data;
  // Without beta C is not read, but its pointer is checked. D's will do; but for a D of another type than C (fp8),
  // where equal pointers are an error: there A's, which fp8 aligns to 16 bytes.
  const void *unread =
      p.operand[kD].m.dtype == GPUOPT_E4M3 || p.operand[kD].m.dtype == GPUOPT_E5M2 ? p.operand[kA].m.data : d;
  const void *c = cublaslt_reads_c(p) ? p.operand[kC].m.data : unread;
  const size_t workspace = cublaslt_scratch(p);
  const auto matmul = [&] {
    return api.matmul(plan->handle, desc, &alpha, p.operand[kB].m.data, &plan->b, p.operand[kA].m.data, &plan->a, &beta,
                      c, &plan->c, d, &plan->d, &plan->algo, workspace > 0 ? launch.scratch : nullptr, workspace,
                      launch.stream);
  };
  cublasStatus_t code;
  if (p.capturing != 0 || !plan->ran.load(std::memory_order_relaxed)) {
    const CublasRelaxedCapture relaxed;  // the first run of a kernel loads its module
    code = matmul();
  } else {
    code = matmul();
  }
  if (code != CUBLAS_STATUS_SUCCESS) return cublaslt_fail_with(api, launch, "cublasLtMatmul", code);
  plan->ran.store(true, std::memory_order_relaxed);
  return GPUOPT_OK;
}

}  // namespace gpuopt

#endif
