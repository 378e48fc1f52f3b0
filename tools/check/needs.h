// What a generated problem may use and must respect: everything an op allows, or what one kernel's descriptor states.
#pragma once
#include <cstdint>
#include <vector>

#include "gpuopt/kernel.h"

namespace gpuopt_check {

// One combination of types that the op allows. Absent operands are 0.
struct TypeRow {
  gpuopt_dtype dtype[4] = {0, 0, 0, 0};
  int32_t compute = 0;
  int32_t variant = 0;           // reduce, norm
  bool optional_operand = true;  // gemm's C, reduce's VALUE may be used with this row
};

struct Needs {
  int32_t op = 0;
  std::vector<TypeRow> rows;
  uint8_t layouts[4] = {GPUOPT_LAYOUT_ANY, GPUOPT_LAYOUT_ANY, GPUOPT_LAYOUT_ANY, GPUOPT_LAYOUT_ANY};
  int32_t align[4] = {1, 1, 1, 1}, ld_align[4] = {1, 1, 1, 1};  // bytes
  int32_t multiple[3] = {1, 1, 1};
  uint32_t features = ~0u;
  uint64_t stage_kinds = ~uint64_t(0);
  int32_t max_stages = GPUOPT_MAX_STAGES;
  uint32_t axes = ~0u;
  uint32_t flags = 0;       // args.flags that every problem gets
  bool any_address = true;  // odd bases, pitches and extents are welcome
};

Needs needs_of_op(int32_t op);
Needs needs_of_kernel(const gpuopt_kernel &kernel);

bool takes_layout(const Needs &needs, int operand, int32_t layout);

}  // namespace gpuopt_check
