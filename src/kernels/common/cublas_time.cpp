#include "common/cublas_time.h"

#include <algorithm>
#include <cmath>

namespace gpuopt {

namespace {

constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B, kC = GPUOPT_OPERAND_C, kD = GPUOPT_OPERAND_D;

bool is_fp8(int32_t dtype) { return dtype == GPUOPT_E4M3 || dtype == GPUOPT_E5M2; }
bool is_16bit(int32_t dtype) { return dtype == GPUOPT_F16 || dtype == GPUOPT_BF16; }

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
// fp64: 6 squares of 256 to 8192 and 4097 x 4099 x 4101.
constexpr Speed kF64 = {2.74, 67, 1.5, 3, 5, 4.6, 0.3, 3, 5, {0.7, 0.7, 0.7}, 7, 0};

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

}  // namespace

double cublas_gemm_us(const gpuopt_problem &p) {
  static constexpr int kTiles[][2] = {{256, 128}, {128, 256}, {192, 128}, {128, 192}, {160, 128}, {128, 160},
                                      {128, 128}, {128, 96},  {96, 128},  {256, 64},  {64, 256},  {64, 192},
                                      {128, 64},  {64, 128},  {64, 64},   {128, 32},  {32, 128},  {64, 32},
                                      {32, 64},   {64, 16},   {16, 64},   {64, 8},    {8, 64}};
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

}  // namespace gpuopt
