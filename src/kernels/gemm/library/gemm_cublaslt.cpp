// cuBLASLt, NVIDIA's own matrix product, as one more kernel: the baseline that every other rung is measured
// against, and the choice wherever its time is the least. The library is loaded on first use
// (common/cublas_loader.h); its first heuristic's algorithm is kept per kind of problem
// (common/cublaslt_plan.cpp). Another of its first 16 runs where it is named, "gemm_cublaslt@id66.tile20...", as a tuned
// entry does (common/cublaslt_algorithm.h).
//
// Needs: the library, whose absence is NO_LIBRARY. D in row-major normal form and C likewise; A and B in any
// layout and alignment, except fp8: A row-major and B column-major (k contiguous in both), n, k, addresses
// and leading dimensions in multiples of 16. k at least 1.
//
// Not taken, because cuBLASLt does something else than the contract says. int8: its alpha and beta are int32, or its
// result is scaled in fp32, where the contract's epilogue is in fp64. e5m2 x e5m2, and e4m3 x e4m3 into e5m2: it has no
// such products. RELU: its epilogue turns NaN into 0, ours keeps NaN. GELU: its epilogue is the tanh form with an
// approximate tanh, off by more than the rounding of a 16-bit D (1,242 of 4,800 values in one test). alpha = 0:
// cuBLASLt 13.1 then left D unwritten or scaled D in place of C; so alpha and beta by pointer, which may hold 0, are not
// taken either. Split-K that would round partial sums to a narrower D
// is ruled out too: D is rounded once. A vector added to 16-bit D whose m, n, k and leading dimensions are not all in eights:
// some of the kernels for those round the sums to D's type, then add and round again (0.9 units in the last place).
//
// Prediction: common/cublas_time.cpp's model of its first heuristic. Rows that are not aligned to 16 bytes fall off a
// cliff.
#include <algorithm>
#include <cstdint>

#include "common/descriptor.h"
#include "gemm/library/common/cublas_signatures.h"
#include "gemm/library/common/cublas_time.h"
#include "gemm/library/common/cublaslt_gemm.h"
#include "gpuopt/kernel.h"

namespace {

using gpuopt::CublasLtEpilogue, gpuopt::refuse;

constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B, kC = GPUOPT_OPERAND_C, kD = GPUOPT_OPERAND_D;

bool is_fp8(int32_t dtype) { return dtype == GPUOPT_E4M3 || dtype == GPUOPT_E5M2; }

// The one type that cuBLASLt takes for a bias, or 0 where it takes none.
int32_t bias_dtype(const gpuopt_problem &p) {
  const int32_t a = p.operand[kA].m.dtype, d = p.operand[kD].m.dtype;
  if (p.compute == GPUOPT_COMPUTE_F64 || p.compute == GPUOPT_COMPUTE_F16) return 0;
  if (is_fp8(a)) return d == GPUOPT_F16 ? GPUOPT_F16 : GPUOPT_BF16;
  return d;
}

// The least multiple of 2, 4 or 8 elements, 16 bytes, of all that a kernel on 16-bit types is chosen by: extents, leading
// dimensions and addresses.
int64_t least_multiple(const gpuopt_problem &p) {
  int64_t least = 8;
  for (int64_t extent : {p.m, p.n, p.k}) least = std::min(least, (extent | 8) & -(extent | 8));
  for (int i : {kA, kB, kD}) least = std::min<int64_t>(least, std::min(p.operand[i].align, p.operand[i].ld_align) / 2);
  return least;
}

// Takes the chain that is an epilogue of cuBLASLt: ADD of one packed PER_COL vector. reject may be nullptr.
bool parse_stages(const gpuopt_problem &p, CublasLtEpilogue *epilogue, gpuopt_reject *out) {
  *epilogue = {nullptr};
  const bool fp8 = is_fp8(p.operand[kA].m.dtype);
  for (int32_t i = 0; i < p.stage_count; ++i) {
    const gpuopt_problem_stage &stage = p.stage[i];
    const auto no = [&](int64_t have, int64_t need, const char *what) {
      return out != nullptr && refuse(out, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + i, have, need, what);
    };
    if (stage.kind != GPUOPT_STAGE_ADD || stage.form != GPUOPT_PER_COL || epilogue->bias != nullptr) {
      return no(0, 0, "its one epilogue here is a vector added along the rows");
    }
    const gpuopt_matrix &bias = stage.a.m;
    if (stage.value[0] != 1.0) return no(0, 0, "the added vector must have the factor 1");
    if (bias.dtype != bias_dtype(p)) return no(bias.dtype, bias_dtype(p), "the added vector is of another data type");
    if (bias.ld != 1 && p.n > 1) return no(bias.ld, 1, "the added vector must be packed");
    if (p.batch > 1)
      return no(0, 0, "a vector is added only without batch: cuBLASLt 13.1 added wrong ones to batched products");
    // Seen in bf16, 15 x 50 x 48: D was rounded before the vector was added.
    if (!fp8 && (p.features & GPUOPT_FEATURE_BETA) != 0 && p.operand[kD].m.dtype != GPUOPT_F32)
      return no(0, 0, "with C, a vector is added only to fp32 sums that stay fp32");
    if (!fp8 && p.operand[kD].m.dtype != GPUOPT_F32 && least_multiple(p) < 8)
      return no(
          least_multiple(p), 8,
          "with m, n, k, a leading dimension or an address not in multiples of 8 elements cuBLASLt may round twice");
    if (fp8 && (p.features & GPUOPT_FEATURE_BETA) != 0) return no(0, 0, "fp8 adds a vector only without C");
    epilogue->bias = &stage.a;
  }
  return true;
}

int32_t least_cc(const gpuopt_problem &p) {
  const int32_t a = p.operand[kA].m.dtype;
  if (is_fp8(a)) return 89;
  return a == GPUOPT_BF16 || p.compute == GPUOPT_COMPUTE_TF32 ? 80 : 75;
}

bool fp8_fits(const gpuopt_problem &p, gpuopt_reject *out) {
  const auto needs_layout = [&](int operand, int32_t layout, const char *what) {
    const int32_t have = p.operand[operand].m.layout;
    return have == layout || refuse(out, GPUOPT_REJECT_LAYOUT, operand, have, layout, what);
  };
  if (!needs_layout(kA, GPUOPT_ROW, "fp8 needs k contiguous in A")) return false;
  if (!needs_layout(kB, GPUOPT_COL, "fp8 needs k contiguous in B")) return false;
  if (p.n % 16 != 0) return refuse(out, GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, p.n, 16, "fp8: n");
  if (p.k % 16 != 0) return refuse(out, GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, p.k, 16, "fp8: k");
  for (int i = 0; i < 4; ++i) {
    if (i == kC && (p.features & GPUOPT_FEATURE_BETA) == 0) continue;
    const gpuopt_operand &o = p.operand[i];
    if (o.align < 16) return refuse(out, GPUOPT_REJECT_ALIGN, i, o.align, 16, nullptr);
    const int32_t ld_align = std::min(o.ld_align, o.stride_align);
    if (ld_align < 16) return refuse(out, GPUOPT_REJECT_LD_MULTIPLE, i, ld_align, 16, nullptr);
  }
  return true;
}

// cuBLASLt 13.1 picks its code by C's rows: with those of C on 16 bytes and those of D not, it wrote D misaligned.
bool aligned_alike(const gpuopt_problem &p, gpuopt_reject *out) {
  const gpuopt_operand &c = p.operand[kC], &d = p.operand[kD];
  const auto rows = [](const gpuopt_operand &o) { return std::min({o.ld_align, o.stride_align, 16}); };
  if (rows(d) < rows(c)) return refuse(out, GPUOPT_REJECT_LD_MULTIPLE, kD, rows(d), rows(c), nullptr);
  if (std::min(d.align, 16) < std::min(c.align, 16))
    return refuse(out, GPUOPT_REJECT_ALIGN, kD, d.align, std::min(c.align, 16), nullptr);
  return true;
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *out) {
  const gpuopt_problem &p = *problem;
  if (p.device->cublaslt == 0) {
    return refuse(out, GPUOPT_REJECT_NO_LIBRARY, GPUOPT_OPERAND_NONE, 0, 0, "cuBLASLt was not found");
  }
  if (p.device->cc < least_cc(p)) {
    return refuse(out, GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, p.device->cc, least_cc(p), "for these data types");
  }
  const int64_t most = std::max({p.m, p.n, p.k});
  if (most > INT32_MAX) {
    return refuse(out, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, most, INT32_MAX, "cuBLASLt's extents are 32-bit");
  }
  if (p.k < 1) return refuse(out, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, p.k, 1, "cuBLASLt has no empty sum");
  constexpr int64_t kMaxBatch = 65535;
  if (p.batch > kMaxBatch) {
    return refuse(out, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, p.batch, kMaxBatch, "batch");
  }
  if (is_fp8(p.operand[kA].m.dtype) && !fp8_fits(p, out)) return 0;
  if ((p.features & GPUOPT_FEATURE_BETA) != 0 && !aligned_alike(p, out)) return 0;
  CublasLtEpilogue epilogue;
  return parse_stages(p, &epilogue, out);
}

double predict_us(const gpuopt_problem *problem) { return gpuopt::cublas_gemm_us(*problem, false); }

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = gpuopt::cublaslt_scratch(*problem);
  *zeroed = 0;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  CublasLtEpilogue epilogue;
  if (!parse_stages(*problem, &epilogue, nullptr)) return GPUOPT_INTERNAL;
  return gpuopt::cublaslt_prepare(*problem, *launch, epilogue);
}

gpuopt_status algorithms(const gpuopt_problem *problem, const gpuopt_launch *launch, char *text) {
  CublasLtEpilogue epilogue;
  if (!parse_stages(*problem, &epilogue, nullptr)) return GPUOPT_INTERNAL;
  return gpuopt::cublaslt_algorithms(*problem, *launch, epilogue, text);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (problem->m == 0 || problem->n == 0 || problem->batch == 0) return GPUOPT_OK;
  CublasLtEpilogue epilogue;
  if (!parse_stages(*problem, &epilogue, nullptr)) return GPUOPT_INTERNAL;
  return gpuopt::cublaslt_run(*problem, *launch, epilogue);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = gpuopt::kernel_descriptor(
      GPUOPT_OP_GEMM, "gemm_cublaslt", "NVIDIA cuBLASLt, its heuristic's first choice; loaded when first used",
      gpuopt::kViewFeatures | GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_SCALE);
  kernel.stage_kinds = uint64_t{1} << GPUOPT_STAGE_ADD;
  kernel.max_stages = 1;
  kernel.layouts[kC] = GPUOPT_LAYOUT_ROW;
  kernel.layouts[kD] = GPUOPT_LAYOUT_ROW;
  gpuopt::set_signatures(kernel, gpuopt::kCublasLtSignatures);
  kernel.can_run = can_run;
  kernel.predict_us = predict_us;
  kernel.workspace = workspace;
  kernel.prepare = prepare;
  kernel.launch = launch;
  kernel.algorithms = algorithms;
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace

GPUOPT_REGISTER_KERNELS(kKernels);
