// cuBLAS by its classic calls: cublasSgemm, cublasDgemm, cublasGemmEx and, for a batch, cublasGemmStridedBatchedEx. The
// same silicon and mostly the same kernels as gemm_cublaslt, which is the better interface: these calls know no
// epilogue, no separate C and no choice of algorithm.
//
// What is set, because the defaults are not the contract. Sums of 16-bit types are asked for in fp32 (COMPUTE_32F), and
// split-K must not hand them over in 16 bits (DISALLOW_REDUCED_PRECISION_REDUCTION; the default allows it). TF32 is not
// the default for fp32: it takes CUBLAS_TF32_TENSOR_OP_MATH, without it cublasSgemm computes in fp32. Sums in fp16
// (COMPUTE_16F, what cublasHgemm does) only when the call asks for them. Atomics are off (also the default).
//
// Needs: the libraries, whose absence is NO_LIBRARY; k at least 1; D in row-major normal form. cuBLAS knows only C in
// place of D and scalars of its own type: with another C, with stages, scales or scalars by pointer it leaves plain
// fp32 (or fp64) sums in scratch, and the library's own pass ends the product (common/gemm_finish.h); alpha = 0 goes
// that way too, as cuBLAS would not read A and B. With sums in fp16 those calls are refused.
//
// cuBLAS's workspace is scratch of the call, so nothing is allocated, captured or not.
//
// Prediction: gemm_cublaslt's time, a little more for the call, and where D is not all of it the library's own pass.
// arch class: performance
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_finish.h"
#include "gemm/common/gemm_parts.h"
#include "gemm/library/common/cublas_signatures.h"
#include "gemm/library/common/cublas_time.h"
#include "gemm/library/common/cublaslt_gemm.h"
#include "gemm/library/figures.h"
#include "gpuopt/kernel.h"

#if !defined(GPUOPT_CUBLAS_OFF)
#include <cuda_fp16.h>

#include "common/cublas/cublas_handle.h"
#endif
#include "common/cublas/cublas_loader.h"

namespace {

constexpr int kA = GPUOPT_OPERAND_A, kD = GPUOPT_OPERAND_D;
constexpr char kName[] = "gemm_cublas";

bool reject(gpuopt_reject *out, int32_t code, int64_t have, int64_t need, const char *what) {
  *out = {code, GPUOPT_OPERAND_NONE, have, need, what};
  return false;
}

bool reads_c(const gpuopt_problem &p) { return (p.features & GPUOPT_FEATURE_BETA) != 0; }

// Whether cuBLAS alone can do it, if C turns out to be D.
bool may_be_direct(const gpuopt_problem &p) {
  return gpuopt::is_plain_gemm(p) && (p.features & (GPUOPT_FEATURE_SCALAR_POINTERS | GPUOPT_FEATURE_ALPHA_ZERO)) == 0;
}

size_t sum_bytes(const gpuopt_problem &p) { return p.compute == GPUOPT_COMPUTE_F64 ? sizeof(double) : sizeof(float); }

// Scratch: cuBLAS's workspace, as much as sums leave of it, then the sums.
size_t sums_bytes(const gpuopt_problem &p) {
  return may_be_direct(p) && !reads_c(p) ? 0 : gpuopt::gemm_partials_bytes(p, 1, sum_bytes(p));
}
size_t workspace_bytes(const gpuopt_problem &p) {
  constexpr size_t kMiB = size_t{1} << 20;
  const size_t wanted = p.device->cc >= 90 ? 32 * kMiB : 8 * kMiB, sums = sums_bytes(p);
  return std::min(wanted, p.workspace_limit > sums ? p.workspace_limit - sums : 0) & ~size_t{255};
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *out) {
  const gpuopt_problem &p = *problem;
  if (p.device->cublaslt == 0) return reject(out, GPUOPT_REJECT_NO_LIBRARY, 0, 0, "cuBLAS was not found");
  const bool needs_80 = p.operand[kA].m.dtype == GPUOPT_BF16 || p.compute == GPUOPT_COMPUTE_TF32;
  if (needs_80 && p.device->cc < 80) return reject(out, GPUOPT_REJECT_ARCH, p.device->cc, 80, "for these data types");
  const int64_t most = std::max({p.m, p.n, p.k});
  if (most > INT32_MAX) return reject(out, GPUOPT_REJECT_SIZE_LIMIT, most, INT32_MAX, "extents of 32 bits");
  if (p.k < 1) return reject(out, GPUOPT_REJECT_SIZE_LIMIT, p.k, 1, "an empty sum");
  constexpr int64_t kMaxBatch = 65535;
  if (p.batch > kMaxBatch) return reject(out, GPUOPT_REJECT_SIZE_LIMIT, p.batch, kMaxBatch, "batch");
  if (p.compute == GPUOPT_COMPUTE_F16) {
    if (!may_be_direct(p)) return reject(out, GPUOPT_REJECT_FEATURE, 0, 0, "sums in fp16 have no separate last step");
    if (reads_c(p)) return reject(out, GPUOPT_REJECT_FEATURE, 0, 0, "sums in fp16: C would have to be D");
  }
  return 1;
}

double predict_us(const gpuopt_problem *problem) {
  const gpuopt::GemmLibraryFigures &g = gpuopt::gemm_library_figures;
  const bool direct = may_be_direct(*problem) && !reads_c(*problem);
  return (direct ? g.classic_factor : g.classic_sums_factor) * gpuopt::cublas_gemm_us(*problem, !direct) +
         g.classic_us + (direct ? 0 : gpuopt::finish_gemm_us(*problem, 1, sum_bytes(*problem)));
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = workspace_bytes(*problem) + sums_bytes(*problem);
  *zeroed = 0;
}

#if defined(GPUOPT_CUBLAS_OFF)

gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  gpuopt::cublas_load(launch->error, launch->error_bytes);
  return GPUOPT_NOT_SUPPORTED;
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) { return prepare(problem, launch); }

#else

constexpr int kB = GPUOPT_OPERAND_B, kC = GPUOPT_OPERAND_C;

bool is_direct(const gpuopt_problem &p) {
  const gpuopt_matrix &c = p.operand[kC].m, &d = p.operand[kD].m;
  return may_be_direct(p) && (!reads_c(p) || (c.data == d.data && c.ld == d.ld && c.batch_stride == d.batch_stride));
}

using gpuopt::cublas_data_type;
using gpuopt::cublas_fail;
using gpuopt::CublasApi;

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  {
    const gpuopt::CublasHandle handle(*launch, kName);
    if (handle.status() != GPUOPT_OK) return handle.status();
  }
  if (problem->compute == GPUOPT_COMPUTE_F64) return gpuopt::load_finish_gemm<double>(launch);
  return gpuopt::load_finish_gemm<float>(launch);
}

// What cuBLAS is to write: D itself, or sums in scratch with alpha 1 and beta 0.
struct Output {
  void *data;
  int32_t dtype;
  int64_t ld, batch_stride;
  double alpha, beta;
};

// cuBLAS is column-major: it is asked for D^T = B^T A^T, where a row-major matrix is its own transpose. Its m is n.
cublasStatus_t multiply(const CublasApi &api, cublasHandle_t handle, const gpuopt_problem &p, const Output &out) {
  const gpuopt_matrix &a = p.operand[kA].m, &b = p.operand[kB].m;
  const cublasOperation_t op_b = b.layout == GPUOPT_ROW ? CUBLAS_OP_N : CUBLAS_OP_T;
  const cublasOperation_t op_a = a.layout == GPUOPT_ROW ? CUBLAS_OP_N : CUBLAS_OP_T;
  const auto alpha = static_cast<float>(out.alpha), beta = static_cast<float>(out.beta);
  if (p.batch == 1 && p.compute == GPUOPT_COMPUTE_F64) {
    return api.dgemm(handle, op_b, op_a, p.n, p.m, p.k, &out.alpha, static_cast<const double *>(b.data), b.ld,
                     static_cast<const double *>(a.data), a.ld, &out.beta, static_cast<double *>(out.data), out.ld);
  }
  if (p.batch == 1 && a.dtype == GPUOPT_F32) {
    return api.sgemm(handle, op_b, op_a, p.n, p.m, p.k, &alpha, static_cast<const float *>(b.data), b.ld,
                     static_cast<const float *>(a.data), a.ld, &beta, static_cast<float *>(out.data), out.ld);
  }
  const __half half_alpha = __float2half_rn(alpha), half_beta = __float2half_rn(beta);
  const void *alpha_at = &alpha, *beta_at = &beta;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  if (p.compute == GPUOPT_COMPUTE_TF32) compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  if (p.compute == GPUOPT_COMPUTE_F64) {
    compute = CUBLAS_COMPUTE_64F;
    alpha_at = &out.alpha;
    beta_at = &out.beta;
  } else if (p.compute == GPUOPT_COMPUTE_F16) {
    compute = CUBLAS_COMPUTE_16F;
    alpha_at = &half_alpha;
    beta_at = &half_beta;
  }
  const cudaDataType_t type_a = cublas_data_type(a.dtype), type_b = cublas_data_type(b.dtype);
  const cudaDataType_t type_d = cublas_data_type(out.dtype);
  if (p.batch == 1) {
    return api.gemm_ex(handle, op_b, op_a, p.n, p.m, p.k, alpha_at, b.data, type_b, b.ld, a.data, type_a, a.ld, beta_at,
                       out.data, type_d, out.ld, compute, CUBLAS_GEMM_DEFAULT);
  }
  return api.gemm_batched(handle, op_b, op_a, p.n, p.m, p.k, alpha_at, b.data, type_b, b.ld, b.batch_stride, a.data,
                          type_a, a.ld, a.batch_stride, beta_at, out.data, type_d, out.ld, out.batch_stride, p.batch,
                          compute, CUBLAS_GEMM_DEFAULT);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const gpuopt_problem &p = *problem;
  if (p.compute == GPUOPT_COMPUTE_F16 && std::isfinite(p.alpha) && std::fabs(p.alpha) >= 65520.0) {
    return cublas_fail(*launch, GPUOPT_NOT_SUPPORTED, "%s: alpha %g is outside the range of fp16", kName, p.alpha);
  }
  const gpuopt_matrix &d = p.operand[kD].m;
  const size_t workspace_size = workspace_bytes(p);
  void *sums = static_cast<char *>(launch->scratch) + workspace_size;
  Output out = {d.data, d.dtype, d.ld, d.batch_stride, p.alpha, reads_c(p) ? p.beta : 0};
  const bool direct = is_direct(p), f64 = p.compute == GPUOPT_COMPUTE_F64;
  if (!direct) out = {sums, f64 ? GPUOPT_F64 : GPUOPT_F32, p.n, p.m * p.n, 1, 0};

  {
    const gpuopt::CublasHandle handle(*launch, kName);
    if (handle.status() != GPUOPT_OK) return handle.status();
    const CublasApi &api = handle.api();
    unsigned math = CUBLAS_DEFAULT_MATH;
    if (p.compute == GPUOPT_COMPUTE_TF32) math = CUBLAS_TF32_TENSOR_OP_MATH;
    if (p.compute != GPUOPT_COMPUTE_F16) math |= CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    cublasStatus_t code = api.set_stream(handle.get(), launch->stream);  // also forgets the workspace
    if (code == CUBLAS_STATUS_SUCCESS) code = api.set_workspace(handle.get(), launch->scratch, workspace_size);
    if (code == CUBLAS_STATUS_SUCCESS) code = api.set_math_mode(handle.get(), static_cast<cublasMath_t>(math));
    if (code == CUBLAS_STATUS_SUCCESS) code = multiply(api, handle.get(), p, out);
    if (code != CUBLAS_STATUS_SUCCESS) return gpuopt::cublas_fail_with(api, *launch, kName, "the product", code);
  }
  if (direct) return GPUOPT_OK;
  if (f64) return gpuopt::finish_gemm(p, launch, static_cast<const double *>(sums), 1);
  return gpuopt::finish_gemm(p, launch, static_cast<const float *>(sums), 1);
}

#endif

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = gpuopt::gemm_descriptor(
      kName, "NVIDIA cuBLAS by its classic calls: Sgemm, Dgemm, GemmEx; loaded when first used");
  kernel.layouts[kD] = GPUOPT_LAYOUT_ROW;
  kernel.signatures = gpuopt::kCublasLtSignatures;
  kernel.signature_count = gpuopt::kCublasSignatureCount;
  kernel.can_run = can_run;
  gpuopt::set_functions_in_parts<workspace, predict_us, prepare, launch>(kernel);
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace

GPUOPT_REGISTER_KERNELS(kKernels);
