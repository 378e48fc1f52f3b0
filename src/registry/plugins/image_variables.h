// What the names of a manifest stand for: numbers of the problem that a kernel is asked about, in its normal form.
//
//     m n k                      gemm; of the other operations: rows cols, of the input
//     batch
//     <operand>.ld  .row_stride  .col_stride  .batch_stride       elements; gemm: a b c d, and so on as in kernel.h
//     stage<i>.a  stage<i>.b     operands too
//     cc sm_count clock_mhz memory_gbs l2_bytes smem_per_block    of the device
#pragma once
#include <cstdint>
#include <string_view>

#include "gpuopt/kernel.h"

namespace gpuopt {

// An operand by its place: GPUOPT_OPERAND_* of the normal form; GPUOPT_OPERAND_STAGE + i and + GPUOPT_MAX_STAGES + i for those
// of stage i. -1: there is no such name.
int32_t find_operand_name(int32_t op, std::string_view name);
const gpuopt_operand &operand_at(const gpuopt_problem &problem, int32_t place);

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

int64_t read_rare_variable(const gpuopt_problem &problem, Variable variable);  // all but the extents
inline int64_t read_variable(const gpuopt_problem &p, Variable v) {
  switch (v.extent) {
    case Extent::m:
      return p.m;
    case Extent::n:
      return p.n;
    case Extent::k:
      return p.k;
    case Extent::batch:
      return p.batch;
    case Extent::sm_count:
      return p.device->sm_count;
    default:
      return read_rare_variable(p, v);
  }
}

}  // namespace gpuopt
