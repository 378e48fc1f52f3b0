// The choices that make one problem, before any memory is laid out. A spec is stated in the row-major normal form of
// kernel.h; `transposed` turns the finished problem into its column-major twin.
#pragma once
#include <cstdint>
#include <vector>

#include "hard_rows.h"
#include "needs.h"
#include "problem.h"
#include "rng.h"

namespace gpuopt_check {

struct Placement {  // of one operand in memory
  int32_t layout = GPUOPT_ROW;
  int64_t offset = 0;          // elements between a 256-byte boundary and the base; rounded up to `align`
  int64_t pad = 0;             // elements added to the least ld; rounded up to `ld_align`
  int64_t gap = 0;             // elements added to the least batch stride, rounded likewise
  bool shared = false;         // batch stride 0
  bool state_defaults = true;  // pass the ld and the stride even when 0 and GPUOPT_PACKED would say the same
};

struct StageSpec {
  int32_t kind = 0, form = 0;
  double value[2] = {0, 0};
  gpuopt_dtype type_a = 0, type_b = 0;
  Placement a, b;
  bool reads_out = false;  // fused_act: the operand is out itself
};

enum class Values { normal, ties, near_one };

struct Spec {
  int32_t op = 0;
  TypeRow row;
  int64_t extent[3] = {1, 1, 1};
  int64_t batch = 1;
  Placement place[kOperands];
  int32_t align[kOperands] = {1, 1, 1, 1, 1, 1, 1}, ld_align[kOperands] = {1, 1, 1, 1, 1, 1, 1};
  bool default_compute = false;  // pass GPUOPT_COMPUTE_DEFAULT where that means row.compute
  double alpha = 1, beta = 0;
  bool alpha_pointer = false, beta_pointer = false;
  bool garbage_c = false;  // beta is 0 and C is passed, full of NaN
  bool scaled[4] = {false, false, false, false};
  struct Scales {  // of A and B: GPUOPT_SCALE_*, how they lie, floats added to the least ld
    int32_t block = 0, layout = GPUOPT_ROW;
    int64_t pad = 0;
  } blocks[2];
  bool in_place = false;               // gemm: D is C; transpose; fused_act
  bool copy = false;                   // transpose
  bool value_out = false;              // reduce
  bool host_offsets = false;           // gemm_grouped, where extra has no type of OFFSETS
  List list = List::none;              // gemm_grouped; of the device where extra has a type of LIST
  bool promises = true;                // a list of the device says what its products are aligned to
  gpuopt_dtype extra[kOperands] = {};  // types of gamma, beta, statistics, or of offsets; 0: absent
  double eps = 0;
  int32_t axis = 0;
  uint32_t flags = 0;
  std::vector<StageSpec> stages;
  bool transposed = false;
  bool specials = false;  // a few NaN and infinities among the inputs
  Values values = Values::normal;
  uint32_t hard_rows = 0;       // at most one of HardRows
  bool mean_by_spread = false;  // of a layer norm, as Problem says
};

enum class Size { tiny, small, large };

// A plain problem of this row: packed, aligned, batch 1, nothing optional.
Spec plain_spec(const Needs &needs, const TypeRow &row);
// Makes groups of rows a list of products; true.
bool choose_list(List list, Spec *spec);
// Anything that needs allow.
Spec random_spec(const Needs &needs, Rng &rng, Size size);
StageSpec random_stage(const Needs &needs, int32_t kind, Rng &rng);

// Lays the spec out and fills it; the seed decides the values. Without values the problem can only be explained.
Problem build_problem(const Spec &spec, uint64_t seed, bool with_values = true);

}  // namespace gpuopt_check
