// cuBLASLt, NVIDIA's own matrix product, as one more kernel: the baseline that every other rung is measured
// against, and the choice wherever its time is the least. The library is loaded on first use
// (common/cublaslt_loader.h); its first heuristic's algorithm is kept per kind of problem
// (common/cublaslt_plan.cpp).
//
// Needs: the library, whose absence is NO_LIBRARY. D in row-major normal form and C likewise; A and B in any
// layout and alignment, except fp8: A row-major and B column-major (k contiguous in both), n, k, addresses
// and leading dimensions in multiples of 16. k at least 1.
//
// Not taken, because cuBLASLt does something else than the contract says. int8: its alpha and beta are int32,
// or its result is scaled in fp32, where the contract's epilogue is in fp64. e5m2 x e5m2, and e4m3 x e4m3 into
// e5m2: it has no such products. RELU: its epilogue turns NaN into 0, ours keeps NaN. GELU: its epilogue is the
// tanh form with an approximate tanh, off by more than the rounding of a 16-bit D (1,242 of 4,800 values in one test).
// alpha = 0: cuBLASLt 13.1 then left D unwritten or scaled D in place of C. Split-K that would round partial sums to a narrower D is ruled out too: D is rounded
// once.
//
// Measured, on an H200 with cuBLASLt 13.1 (first heuristic, one call behind a spin, buffers cold): bf16
// 4096^3 207 us (663 TFLOP/s), 1024^3 9.0 us; e4m3 4096^3 119 us; tf32 393 us; f32 2684 us. Rows that are not
// 16-byte aligned fall off a cliff: bf16 4097 x 4099 x 4101 takes 1045 us. Through gpuopt the GPU time is
// the same within 1 %, and a call costs 0.5 us more of the host (2026-11-21).
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/cublaslt_gemm.h"
#include "gpuopt/kernel.h"

namespace {

using gpuopt::CublasLtEpilogue;

constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B, kC = GPUOPT_OPERAND_C, kD = GPUOPT_OPERAND_D;

bool is_fp8(int32_t dtype) { return dtype == GPUOPT_E4M3 || dtype == GPUOPT_E5M2; }
bool is_16bit(int32_t dtype) { return dtype == GPUOPT_F16 || dtype == GPUOPT_BF16; }

bool reject(gpuopt_reject *out, int32_t code, int32_t operand, int64_t have, int64_t need, const char *what) {
  *out = {code, operand, have, need, what};
  return false;
}

// The one type that cuBLASLt takes for a bias, or 0 where it takes none.
int32_t bias_dtype(const gpuopt_problem &p) {
  const int32_t a = p.operand[kA].m.dtype, d = p.operand[kD].m.dtype;
  if (p.compute == GPUOPT_COMPUTE_F64 || p.compute == GPUOPT_COMPUTE_F16) return 0;
  if (is_fp8(a)) return d == GPUOPT_F16 ? GPUOPT_F16 : GPUOPT_BF16;
  return d;
}

// Takes the chain that is an epilogue of cuBLASLt: ADD of one packed PER_COL vector. reject may be nullptr.
bool parse_stages(const gpuopt_problem &p, CublasLtEpilogue *epilogue, gpuopt_reject *out) {
  *epilogue = {nullptr};
  const bool fp8 = is_fp8(p.operand[kA].m.dtype);
  for (int32_t i = 0; i < p.stage_count; ++i) {
    const gpuopt_problem_stage &stage = p.stage[i];
    const auto no = [&](int64_t have, int64_t need, const char *what) {
      return out != nullptr && reject(out, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + i, have, need, what);
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
    return have == layout || reject(out, GPUOPT_REJECT_LAYOUT, operand, have, layout, what);
  };
  if (!needs_layout(kA, GPUOPT_ROW, "fp8 needs k contiguous in A")) return false;
  if (!needs_layout(kB, GPUOPT_COL, "fp8 needs k contiguous in B")) return false;
  if (p.n % 16 != 0) return reject(out, GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, p.n, 16, "fp8: n");
  if (p.k % 16 != 0) return reject(out, GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, p.k, 16, "fp8: k");
  for (int i = 0; i < 4; ++i) {
    if (i == kC && (p.features & GPUOPT_FEATURE_BETA) == 0) continue;
    const gpuopt_operand &o = p.operand[i];
    if (o.align < 16) return reject(out, GPUOPT_REJECT_ALIGN, i, o.align, 16, nullptr);
    const int32_t ld_align = std::min(o.ld_align, o.stride_align);
    if (ld_align < 16) return reject(out, GPUOPT_REJECT_LD_MULTIPLE, i, ld_align, 16, nullptr);
  }
  return true;
}

// cuBLASLt 13.1 picks its code by C's rows: with those of C on 16 bytes and those of D not, it wrote D misaligned.
bool aligned_alike(const gpuopt_problem &p, gpuopt_reject *out) {
  const gpuopt_operand &c = p.operand[kC], &d = p.operand[kD];
  const auto rows = [](const gpuopt_operand &o) { return std::min({o.ld_align, o.stride_align, 16}); };
  if (rows(d) < rows(c)) return reject(out, GPUOPT_REJECT_LD_MULTIPLE, kD, rows(d), rows(c), nullptr);
  if (std::min(d.align, 16) < std::min(c.align, 16))
    return reject(out, GPUOPT_REJECT_ALIGN, kD, d.align, std::min(c.align, 16), nullptr);
  return true;
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *out) {
  const gpuopt_problem &p = *problem;
  if (p.device->cublaslt == 0) {
    return reject(out, GPUOPT_REJECT_NO_LIBRARY, GPUOPT_OPERAND_NONE, 0, 0, "cuBLASLt was not found");
  }
  if (p.device->cc < least_cc(p)) {
    return reject(out, GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, p.device->cc, least_cc(p), "for these data types");
  }
  const int64_t most = std::max({p.m, p.n, p.k});
  if (most > INT32_MAX) {
    return reject(out, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, most, INT32_MAX, "cuBLASLt's extents are 32-bit");
  }
  if (p.k < 1) return reject(out, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, p.k, 1, "cuBLASLt has no empty sum");
  constexpr int64_t kMaxBatch = 65535;
  if (p.batch > kMaxBatch) {
    return reject(out, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, p.batch, kMaxBatch, "batch");
  }
  if (p.compute == GPUOPT_COMPUTE_F16 && (p.features & GPUOPT_FEATURE_SCALAR_POINTERS) != 0) {
    return reject(out, GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_NONE, 0, 0,
                  "with sums in fp16 cuBLASLt reads alpha and beta as fp16, the pointers are to fp32");
  }
  if (is_fp8(p.operand[kA].m.dtype) && !fp8_fits(p, out)) return 0;
  if ((p.features & GPUOPT_FEATURE_BETA) != 0 && !aligned_alike(p, out)) return 0;
  CublasLtEpilogue epilogue;
  return parse_stages(p, &epilogue, out);
}

// The time model. A product is cut into tiles that run in waves over the SMs, split along k where that fills
// the device; a tile costs the larger of its arithmetic and a latency per unit of k; below it lies the time
// of moving the operands once, of which only a part is hidden. Constants are fitted to 253 timings of the
// first heuristic on an H200 (single calls, cold buffers, 31 to 148 shapes for each row); error is the mean
// of |ln(model / measured)|. Where a row of A, B or D does not begin on 16 bytes, cuBLASLt has no Hopper
// kernel and another set of rates holds.
struct Speed {
  double start_us;      // launch to finish of an empty call
  double tflops;        // of an endless tile
  double edge;          // a tile bm x bn reaches 1 / (1 + edge * (1 / bm + 1 / bn)) of it
  double wave_us;       // fill and drain of a wave
  double k_us;          // least time of a tile for 1024 of k
  double tbs;           // memory
  double overlap;       // part of the smaller of arithmetic and memory time that is not hidden
  double split_us;      // the second step of split-K
  double split_tbs;     // at which its partial sums move
  double unaligned[3];  // part of the rate left at rows of 8, 4 and 2 bytes
  double unaligned_k_us, unaligned_us;
};
// 16-bit: 5 %; TF32: 8 %; fp32: 9 %, most of it at 2 to 16 rows; fp8: 5 %.
constexpr Speed kHalf = {2.74, 826, 6.43, 1.14, 4.65, 6.01, 0.65, 3.57, 50, {0.31, 0.40, 0.18}, 0.9, 6.2};
constexpr Speed kTf32 = {4.87, 556, 34.1, 2.0, 0.96, 5.13, 0.69, 4.6, 8.9, {0.37, 0.34, 0.34}, 4.0, 0.4};
constexpr Speed kF32 = {2.0, 71.8, 32.5, 4.4, 3.05, 4.12, 0, 1.29, 2.59, {0.97, 0.94, 0.94}, 9.6, 0};
constexpr Speed kFp8 = {2.0, 1502, 7.15, 2.23, 3.08, 4.68, 0.29, 1.95, 12.2, {1, 1, 1}, 0, 0};
// Not measured: the tensor cores' fp64 rate with latencies like fp32's.
constexpr Speed kF64 = {2.74, 62, 6, 3, 5, 4.6, 0.3, 3, 5, {1, 1, 1}, 5, 0};

struct Class {
  const Speed *speed;
  double rate;  // fused multiply-adds per SM and clock on this device
  double h200;  // the same on the device that was fitted
};

Class classify(const gpuopt_problem &p) {
  const int32_t cc = p.device->cc, a = p.operand[kA].m.dtype;
  const double half = cc >= 100 && cc < 120 ? 8192 : cc >= 90 && cc < 100 ? 4096 : cc == 80 ? 2048 : 1024;
  if (is_fp8(a)) return {&kFp8, 2 * half, 8192};
  if (is_16bit(a)) return {&kHalf, half, 4096};
  if (p.compute == GPUOPT_COMPUTE_TF32) return {&kTf32, half / 2, 2048};
  if (p.compute == GPUOPT_COMPUTE_F64) {
    return {&kF64, cc == 80 || cc == 100 ? 128.0 : cc == 90 ? 256.0 : 4.0, 256};
  }
  return {&kF32, cc <= 80 ? 128.0 : 256.0, 256};
}

int32_t row_align(const gpuopt_problem &p) {
  int32_t align = 16;
  for (int i : {kA, kB, kD}) {
    const gpuopt_operand &o = p.operand[i];
    align = std::min({align, o.align, o.ld_align, o.stride_align});
  }
  return align;
}

double predict_us(const gpuopt_problem *problem) {
  static constexpr int kTiles[][2] = {{256, 128}, {128, 256}, {192, 128}, {128, 192}, {160, 128}, {128, 160},
                                      {128, 128}, {128, 96},  {96, 128},  {256, 64},  {64, 256},  {64, 192},
                                      {128, 64},  {64, 128},  {64, 64},   {128, 32},  {32, 128},  {64, 32},
                                      {32, 64},   {64, 16},   {16, 64},   {64, 8},    {8, 64}};
  const gpuopt_problem &p = *problem;
  const Class type = classify(p);
  const Speed &speed = *type.speed;
  const double m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const double batch = static_cast<double>(p.batch), sms = std::max(p.device->sm_count, 1);
  const double clock = p.device->clock_mhz > 0 ? p.device->clock_mhz / 1980 : 1;
  const double bandwidth = p.device->memory_gbs > 0 ? p.device->memory_gbs / 4800 : 1;
  const int32_t align = row_align(p);

  double us_per_flop = 132 * type.h200 / (speed.tflops * 1e6 * type.rate * clock);  // on one SM
  double k_us = speed.k_us, start_us = speed.start_us;
  if (align < 16) {
    us_per_flop /= speed.unaligned[align >= 8 ? 0 : align >= 4 ? 1 : 2];
    k_us = speed.unaligned_k_us;
    start_us += speed.unaligned_us;
  }

  double arithmetic = HUGE_VAL;
  for (const auto &tile : kTiles) {
    const double bm = tile[0], bn = tile[1];
    const double tiles = std::ceil(m / bm) * std::ceil(n / bn) * batch;
    const double flop_us = 2 * bm * bn * us_per_flop * (1 + speed.edge * (1 / bm + 1 / bn));
    for (double split = 1; split == 1 || (split <= 32 && k >= 128 * split && tiles * split < 4 * sms); split *= 2) {
      const double depth = std::ceil(k / split / 64) * 64;
      double us = std::ceil(tiles * split / sms) * (std::max(flop_us, k_us / clock / 1024) * depth + speed.wave_us);
      if (split > 1) us += speed.split_us + 8 * split * m * n * batch / (speed.split_tbs * bandwidth * 1e6);
      arithmetic = std::min(arithmetic, us);
    }
  }
  // fp32 alone has a matrix-vector kernel; at 2 to 16 rows it takes a poor tile.
  if (type.speed == &kF32) {
    const double narrow = std::min(m, n);
    if (narrow < 2) arithmetic = 0;
    if (narrow >= 2 && narrow <= 16) arithmetic *= 1.6;
  }

  const auto bytes = [&](int operand) {
    const gpuopt_matrix &x = p.operand[operand].m;
    const double copies = p.batch > 1 && x.batch_stride == 0 ? 1 : batch;
    return copies * static_cast<double>(x.rows) * static_cast<double>(x.cols) *
           static_cast<double>(gpuopt_dtype_size(x.dtype));
  };
  double moved = bytes(kA) + bytes(kB) + bytes(kD);
  if ((p.features & GPUOPT_FEATURE_BETA) != 0) moved += bytes(kC);
  const double memory = moved / (speed.tbs * bandwidth * 1e6);
  return start_us + std::max(arithmetic, memory) + speed.overlap * std::min(arithmetic, memory);
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const gpuopt::CublasLtScratch bytes = gpuopt::cublaslt_scratch(*problem);
  *scratch = bytes.scalar_slot + bytes.workspace;
  *zeroed = 0;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  CublasLtEpilogue epilogue;
  if (!parse_stages(*problem, &epilogue, nullptr)) return GPUOPT_INTERNAL;
  return gpuopt::cublaslt_prepare(*problem, *launch, epilogue);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (problem->m == 0 || problem->n == 0 || problem->batch == 0) return GPUOPT_OK;
  CublasLtEpilogue epilogue;
  if (!parse_stages(*problem, &epilogue, nullptr)) return GPUOPT_INTERNAL;
  return gpuopt::cublaslt_run(*problem, *launch, epilogue);
}

#define GPUOPT_ROW_(a, b, c, d, compute) \
  { {GPUOPT_##a, GPUOPT_##b, GPUOPT_##c, GPUOPT_##d}, GPUOPT_COMPUTE_##compute }
#define GPUOPT_FP8_ROWS_(a, b, c, d) GPUOPT_ROW_(a, b, c, d, F32), GPUOPT_ROW_(a, b, c, d, F8_FAST)
constexpr gpuopt_signature kSignatures[] = {
    GPUOPT_ROW_(F32, F32, F32, F32, F32),     GPUOPT_ROW_(F32, F32, F32, F32, TF32),
    GPUOPT_ROW_(F64, F64, F64, F64, F64),     GPUOPT_ROW_(F16, F16, F16, F16, F32),
    GPUOPT_ROW_(F16, F16, F16, F16, F16),     GPUOPT_ROW_(F16, F16, F32, F32, F32),
    GPUOPT_ROW_(BF16, BF16, BF16, BF16, F32), GPUOPT_ROW_(BF16, BF16, F32, F32, F32),
    GPUOPT_FP8_ROWS_(E4M3, E4M3, F32, F32),   GPUOPT_FP8_ROWS_(E4M3, E4M3, F16, F16),
    GPUOPT_FP8_ROWS_(E4M3, E4M3, BF16, BF16), GPUOPT_FP8_ROWS_(E4M3, E4M3, BF16, E4M3),
    GPUOPT_FP8_ROWS_(E4M3, E5M2, F32, F32),   GPUOPT_FP8_ROWS_(E4M3, E5M2, F16, F16),
    GPUOPT_FP8_ROWS_(E4M3, E5M2, BF16, BF16), GPUOPT_FP8_ROWS_(E4M3, E5M2, BF16, E4M3),
    GPUOPT_FP8_ROWS_(E4M3, E5M2, BF16, E5M2), GPUOPT_FP8_ROWS_(E5M2, E4M3, F32, F32),
    GPUOPT_FP8_ROWS_(E5M2, E4M3, F16, F16),   GPUOPT_FP8_ROWS_(E5M2, E4M3, BF16, BF16),
    GPUOPT_FP8_ROWS_(E5M2, E4M3, BF16, E4M3), GPUOPT_FP8_ROWS_(E5M2, E4M3, BF16, E5M2),
};
#undef GPUOPT_FP8_ROWS_
#undef GPUOPT_ROW_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = {};
  kernel.struct_size = sizeof(gpuopt_kernel);
  kernel.name = "gemm_cublaslt";
  kernel.summary = "NVIDIA cuBLASLt, its heuristic's first choice; loaded when first used";
  kernel.op = GPUOPT_OP_GEMM;
  kernel.version = 1;
  kernel.understands = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_BETA |
                       GPUOPT_FEATURE_SCALAR_POINTERS | GPUOPT_FEATURE_SCALE | GPUOPT_FEATURE_LARGE;
  kernel.stage_kinds = uint64_t{1} << GPUOPT_STAGE_ADD;
  kernel.max_stages = 1;
  kernel.cc_min = 75;
  kernel.layouts[kC] = GPUOPT_LAYOUT_ROW;
  kernel.layouts[kD] = GPUOPT_LAYOUT_ROW;
  kernel.signatures = kSignatures;
  kernel.signature_count = sizeof(kSignatures) / sizeof(kSignatures[0]);
  kernel.can_run = can_run;
  kernel.predict_us = predict_us;
  kernel.workspace = workspace;
  kernel.prepare = prepare;
  kernel.launch = launch;
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace

GPUOPT_REGISTER_KERNELS(kKernels);
