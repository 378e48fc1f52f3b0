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
  // What a kernel has built in, as its descriptor says it.
  const gpuopt_built_in_stage *chain = nullptr;  // max_stages of them
  uint32_t operands_needed = 0, operands_refused = 0, operands_packed = 0;
  gpuopt_dtype extra_dtype[3] = {0, 0, 0};  // 0: any
};

Needs needs_of_op(int32_t op);
Needs needs_of_kernel(const gpuopt_kernel &kernel);

bool takes_layout(const Needs &needs, int operand, int32_t layout);
inline bool has_operand(uint32_t bits, int operand) { return (bits >> operand & 1) != 0; }

}  // namespace gpuopt_check
