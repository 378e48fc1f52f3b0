#include "gemm/library/common/cublas_time.h"

#include <algorithm>
#include <cmath>

#include "gemm/common/gemm_demand.h"
#include "gemm/library/figures.h"

namespace gpuopt {

namespace {

constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B, kC = GPUOPT_OPERAND_C, kD = GPUOPT_OPERAND_D;

bool is_fp8(int32_t dtype) { return dtype == GPUOPT_E4M3 || dtype == GPUOPT_E5M2; }
bool is_16bit(int32_t dtype) { return dtype == GPUOPT_F16 || dtype == GPUOPT_BF16; }

// The time model. A product is cut into tiles that run in waves over the SMs, split along k where that fills the device (a
// batch never, and its tiles are larger than few of them would ask for); an SM takes its tiles' arithmetic, or the latencies
// of those that it has at a time; moving the operands once is hidden in part. A matrix by a vector has kernels of its own.
// What the fields are, figures.h says.
struct Speed {
  double start_us, tflops, edge, wave_us, k_us, tbs, sharpness, split_us, split_tbs, batch_k_us;
  double unaligned[3];  // part of the rate left at rows of 8, 4 and 2 bytes
  double c_share, c_bytes_factor, f32_c_bytes_factor, f32_d_factor, f16_sums_factor;
};
struct VectorSpeed {
  double start_us, tbs, k_us;
};
#define GPUOPT_SPEED_(g, type)                                                                                \
  Speed {                                                                                                     \
    g.type##_start_us, g.type##_tflops, g.type##_edge, g.type##_wave_us, g.type##_k_us, g.type##_tbs,         \
        g.type##_sharpness, g.type##_split_us, g.type##_split_tbs, g.type##_batch_k_us,                       \
        {g.type##_rows_of_8_share, g.type##_rows_of_4_share, g.type##_rows_of_2_share}, g.type##_c_share,     \
        g.type##_c_bytes_factor, g.type##_f32_c_bytes_factor, g.type##_f32_d_factor, g.type##_f16_sums_factor \
  }
#define GPUOPT_VECTOR_SPEED_(g, type) \
  VectorSpeed { g.type##_vector_us, g.type##_vector_tbs, g.type##_vector_k_us }

struct Class {
  Speed speed;
  double rate;     // fused multiply-adds per SM and clock on this device
  double h200;     // the same on the device that was fitted
  double quantum;  // of k
  double least;    // extent of a tile, in a batch
  bool powered;    // so fast that it is short of power: Hopper's tensor cores
};

Class classify(const gpuopt_problem &p, bool aligned) {
  const GemmLibraryFigures &g = gemm_library_figures;
  const int32_t cc = p.device->cc, a = p.operand[kA].m.dtype;
  const double half = cc >= 100 && cc < 120 ? 8192 : cc >= 90 && cc < 100 ? 4096 : cc == 80 ? 2048 : 1024;
  if (is_fp8(a)) return {GPUOPT_SPEED_(g, fp8), 2 * half, 8192, 64, 16, false};
  if (is_16bit(a))
    return {aligned ? GPUOPT_SPEED_(g, half) : GPUOPT_SPEED_(g, half_unaligned),
            half,
            4096,
            32,
            aligned ? 16.0 : 64.0,
            aligned && half >= 4096};
  if (p.compute == GPUOPT_COMPUTE_TF32)
    return {aligned ? GPUOPT_SPEED_(g, tf32) : GPUOPT_SPEED_(g, tf32_unaligned), half / 2, 2048, 32, 16, false};
  if (p.compute == GPUOPT_COMPUTE_F64)
    return {GPUOPT_SPEED_(g, f64), cc == 80 || cc == 100 ? 128.0 : cc == 90 ? 256.0 : 4.0, 256, 16, 16, false};
  return {GPUOPT_SPEED_(g, f32), cc <= 80 ? 128.0 : 256.0, 256, 16, 16, false};
}

// fp32 by a vector is fp32, whatever is allowed.
VectorSpeed vector_speed(const gpuopt_problem &p, bool aligned) {
  const GemmLibraryFigures &g = gemm_library_figures;
  const int32_t a = p.operand[kA].m.dtype;
  if (is_fp8(a)) return GPUOPT_VECTOR_SPEED_(g, fp8);
  if (is_16bit(a)) return aligned ? GPUOPT_VECTOR_SPEED_(g, half) : GPUOPT_VECTOR_SPEED_(g, half_unaligned);
  if (a == GPUOPT_F64) return GPUOPT_VECTOR_SPEED_(g, f64);
  return aligned ? GPUOPT_VECTOR_SPEED_(g, f32) : GPUOPT_VECTOR_SPEED_(g, f32_unaligned);
}

#undef GPUOPT_SPEED_
#undef GPUOPT_VECTOR_SPEED_

// Of lines, up to 16 bytes: where they begin, and how long they are, as elements of `size` bytes. cuBLASLt's kernels for
// aligned lines take no last piece.
int32_t line_align(const gpuopt_operand &o, int64_t size) {
  const int64_t bytes = (o.m.layout == GPUOPT_ROW ? o.m.cols : o.m.rows) * size;
  const auto of_length = static_cast<int32_t>(bytes > size ? std::min<int64_t>(16, bytes & -bytes) : 16);
  return std::min({of_length, o.align, o.ld_align, o.stride_align});
}

}  // namespace

double cublas_gemm_us(const gpuopt_problem &p, bool to_sums) {
  static constexpr int kTiles[][2] = {{256, 128}, {128, 256}, {128, 128}, {256, 64}, {64, 256}, {128, 64}, {64, 128},
                                      {64, 64},   {128, 32},  {32, 128},  {64, 32},  {32, 64},  {32, 32},  {64, 16},
                                      {16, 64},   {16, 32},   {32, 16},   {64, 8},   {8, 64}};
  const GemmLibraryFigures &g = gemm_library_figures;
  const int64_t size = gpuopt_dtype_size(p.operand[kA].m.dtype);
  const int32_t align_in = std::min(line_align(p.operand[kA], size), line_align(p.operand[kB], size));
  const bool by_vector = p.m == 1 || p.n == 1, is_f64 = p.compute == GPUOPT_COMPUTE_F64;
  const double sum_bytes = is_f64 ? 8 : 4;
  // Sums lie packed in scratch memory.
  const int64_t sums_line = p.n * (is_f64 ? 8 : 4);
  const auto align_out =
      to_sums ? static_cast<int32_t>(std::min<int64_t>(16, sums_line & -sums_line)) : line_align(p.operand[kD], size);
  const bool aligned = align_in >= 16 && (by_vector || align_out >= 16);
  const Class type = classify(p, aligned);
  const Speed &speed = type.speed;
  const double m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const double batch = static_cast<double>(p.batch), sms = std::max(p.device->sm_count, 1);
  const double clock = p.device->clock_mhz > 0 ? p.device->clock_mhz / 1980 : 1;
  const double bandwidth = p.device->memory_gbs > 0 ? p.device->memory_gbs / 4800 : 1;
  const GemmDemand x = gemm_demand(p);
  const bool wider = (to_sums || p.operand[kD].m.dtype == GPUOPT_F32) && size < 4;
  const double c_bytes = to_sums ? 0 : x.c_bytes, d_bytes = to_sums ? sum_bytes * x.elements : x.d_bytes;
  const double moved =
      x.a_bytes + x.b_bytes + d_bytes + c_bytes * (wider ? speed.f32_c_bytes_factor : speed.c_bytes_factor);

  const auto shared = [&](const gpuopt_operand &o) { return p.batch > 1 && o.m.batch_stride == 0 ? batch - 1 : 0; };
  const double again = shared(p.operand[kA]) * x.a_bytes + shared(p.operand[kB]) * x.b_bytes;
  if (by_vector) {  // a matrix that the whole batch shares is read for each vector again
    const VectorSpeed vector = vector_speed(p, aligned);
    const double memory = vector.tbs * (p.batch > 1 && !aligned ? g.vector_batch_share : 1);
    return vector.start_us + (moved + g.vector_again_share * again) / (memory * bandwidth * 1e6) +
           vector.k_us * k / 1024 / clock;
  }

  double rate = speed.tflops * 1e6 * type.rate * clock / (132 * type.h200);  // flops a us of an SM
  // Its kernels are compiled for the least alignment of all three matrices.
  const int32_t least = std::min(align_in, align_out);
  const double share = least >= 16 ? 1 : speed.unaligned[least >= 8 ? 0 : least >= 4 ? 1 : 2];
  rate *= share;
  // Hopper's instruction reads tf32 along k alone; the kernels for unaligned rows have another one.
  if (aligned && p.compute == GPUOPT_COMPUTE_TF32 && p.operand[kA].m.layout == GPUOPT_COL &&
      p.operand[kB].m.layout == GPUOPT_ROW)
    rate *= g.tf32_tn_share;
  if (c_bytes > 0) rate *= speed.c_share;
  if (wider) rate *= speed.f32_d_factor;
  const double latency_us = (p.batch > 1 ? speed.batch_k_us : speed.k_us) / share / clock / 1024;  // of 1 of k

  constexpr double kResident = 4;                            // blocks of an SM, whose latencies overlap
  const double least_extent = p.batch > 1 ? type.least : 0;  // of a tile
  double arithmetic = HUGE_VAL;
  for (const auto &tile : kTiles) {
    const double bm = tile[0], bn = tile[1];
    if (std::min(bm, bn) < least_extent) continue;
    const double tiles = std::ceil(m / bm) * std::ceil(n / bn) * batch;
    const double flop_us = 2 * bm * bn / rate * (1 + speed.edge * (1 / bm + 1 / bn));  // for 1 of k
    for (const double split : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
      if (split > 1 && (p.batch > 1 || k < 128 * split || tiles * split >= 4 * sms)) break;
      const double depth = std::ceil(k / split / type.quantum) * type.quantum, waves = std::ceil(tiles * split / sms);
      double us = std::max(waves * flop_us, std::ceil(waves / kResident) * latency_us) * depth + waves * speed.wave_us;
      if (split > 1) us += speed.split_us + 2 * sum_bytes * split * m * n * batch / (speed.split_tbs * bandwidth * 1e6);
      arithmetic = std::min(arithmetic, us);
    }
  }
  if (align_out < 16) arithmetic += x.elements * g.unaligned_d_clocks / (sms * 1980 * clock);
  if (type.powered) arithmetic = powered_us(arithmetic);
  const double factor = p.compute == GPUOPT_COMPUTE_F16 ? speed.f16_sums_factor : 1;
  // Of few rows or columns one matrix is read once, by blocks that begin slowly.
  constexpr int64_t kFew = 32;
  const bool few = size == 2 && aligned && p.batch == 1 && std::min(p.m, p.n) <= kFew;
  const double memory = speed.tbs * (few ? g.few_lines_share : 1);
  return speed.start_us + (few ? g.few_lines_us : 0) +
         factor * overlapped_us(arithmetic, moved / (memory * bandwidth * 1e6), 0, speed.sharpness);
}

}  // namespace gpuopt
