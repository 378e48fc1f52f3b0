// What the names of a manifest stand for: numbers of the problem that a kernel is asked about, in its normal form.
//
//     m n k                      gemm; of the other operations: rows cols, of the input
//     batch
//     <operand>.ld  .row_stride  .col_stride  .batch_stride       elements; gemm: a b c d, and so on as in kernel.h
//     stage<i>.a  stage<i>.b     operands too
//     cc sm_count clock_mhz memory_gbs l2_bytes smem_per_block    of the device
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "gpuopt/kernel.h"

namespace gpuopt {

// An operand by its place: GPUOPT_OPERAND_* of the normal form; GPUOPT_OPERAND_STAGE + i and + GPUOPT_MAX_STAGES + i for those
// of stage i. -1: there is no such name.
int32_t find_operand_name(int32_t op, std::string_view name);
inline const gpuopt_operand &operand_at(const gpuopt_problem &p, int32_t place) {
  if (place < 4) return p.operand[place];
  if (place < GPUOPT_OPERAND_STAGE) return p.extra[(place - 4) % 3];
  const gpuopt_problem_stage &s = p.stage[(place - GPUOPT_OPERAND_STAGE) % GPUOPT_MAX_STAGES];
  return place < GPUOPT_OPERAND_STAGE + GPUOPT_MAX_STAGES ? s.a : s.b;
}

enum class Extent : uint8_t {
  m,
  n,
  k,
  batch,
  ld,
  row_stride,
  col_stride,
  batch_stride,
  cc,
  sm_count,
  clock,
  bandwidth,
  l2,
  smem
};
struct Variable {
  Extent extent;
  uint8_t operand;  // the place, of the four in the middle
  static Variable from(uint16_t packed) {
    return {static_cast<Extent>(packed & 0xff), static_cast<uint8_t>(packed >> 8)};
  }
  uint16_t packed() const { return static_cast<uint16_t>(static_cast<unsigned>(extent) | unsigned{operand} << 8); }
};

bool find_variable(int32_t op, std::string_view name, Variable *variable);

int64_t read_rare_variable(const gpuopt_problem &problem, Variable variable);
// Extents and strides, of which a call among many kernels reads thousands, by comparisons and without a call.
inline int64_t read_variable(const gpuopt_problem &p, Variable v) {
  static_assert(offsetof(gpuopt_problem, batch) == offsetof(gpuopt_problem, m) + 3 * sizeof p.m &&
                    static_cast<int>(Extent::batch) == 3,
                "the extents are neighbours, in this order");
  if (v.extent > Extent::batch_stride)
    return v.extent == Extent::sm_count ? p.device->sm_count : read_rare_variable(p, v);
  if (v.extent <= Extent::batch) {
    int64_t extent;
    std::memcpy(&extent, reinterpret_cast<const char *>(&p.m) + sizeof extent * static_cast<size_t>(v.extent),
                sizeof extent);
    return extent;
  }
  const gpuopt_matrix &m = operand_at(p, v.operand).m;
  if (v.extent == Extent::batch_stride) return m.batch_stride;
  return v.extent == Extent::ld || (m.layout == GPUOPT_ROW) == (v.extent == Extent::row_stride) ? m.ld : 1;
}

}  // namespace gpuopt
