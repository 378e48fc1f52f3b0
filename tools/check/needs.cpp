#include "needs.h"

#include <algorithm>

#include "problem.h"
#include "values.h"

namespace gpuopt_check {
namespace {

constexpr gpuopt_dtype kArithmeticTypes[] = {GPUOPT_F32,  GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16, GPUOPT_E4M3,
                                             GPUOPT_E5M2, GPUOPT_I8,  GPUOPT_U8,  GPUOPT_I32};

void add_reduce_rows(int32_t variant, std::vector<TypeRow> *rows) {
  const bool index = variant == GPUOPT_REDUCE_ARGMIN || variant == GPUOPT_REDUCE_ARGMAX;
  const bool extreme = variant == GPUOPT_REDUCE_MIN || variant == GPUOPT_REDUCE_MAX;
  const bool mean = variant == GPUOPT_REDUCE_MEAN || variant == GPUOPT_REDUCE_NRM2;
  for (gpuopt_dtype x = GPUOPT_F32; x <= GPUOPT_I64; ++x) {
    std::vector<gpuopt_dtype> outs;
    if (index)
      outs = {GPUOPT_I64};
    else if (is_float(x))
      outs = {GPUOPT_F32, GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16};
    else if (mean)
      outs = {GPUOPT_F32, GPUOPT_F64};
    else if (extreme && x != GPUOPT_I64)
      outs = {x, GPUOPT_I64};
    else
      outs = {GPUOPT_I64};
    for (gpuopt_dtype out : outs) {
      TypeRow row;
      row.dtype[GPUOPT_OPERAND_X] = x;
      row.dtype[GPUOPT_OPERAND_Y] = variant == GPUOPT_REDUCE_DOT ? x : 0;
      row.dtype[GPUOPT_OPERAND_OUT] = out;
      row.dtype[GPUOPT_OPERAND_VALUE] = index ? x : 0;
      row.compute = x == GPUOPT_F64 ? GPUOPT_COMPUTE_F64 : is_float(x) ? GPUOPT_COMPUTE_F32 : GPUOPT_COMPUTE_I32;
      row.variant = variant;
      rows->push_back(row);
    }
  }
}

// All types of x and out; residual and sum absent, or the residual and x of one type, with and without a sum.
void add_norm_rows(int32_t variant, std::vector<TypeRow> *rows) {
  constexpr gpuopt_dtype kFloats[] = {GPUOPT_F32, GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16, GPUOPT_E4M3, GPUOPT_E5M2};
  for (gpuopt_dtype x : kFloats)
    for (gpuopt_dtype out : kFloats)
      for (int extras = 0; extras < 3; ++extras) {
        TypeRow row;
        row.dtype[GPUOPT_OPERAND_X] = x;
        row.dtype[GPUOPT_OPERAND_OUT] = out;
        row.dtype[GPUOPT_OPERAND_RESIDUAL] = extras > 0 ? (extras == 1 ? out : x) : 0;
        row.dtype[GPUOPT_OPERAND_SUM] = extras > 1 ? x : 0;
        row.compute = x == GPUOPT_F64 || out == GPUOPT_F64 ? GPUOPT_COMPUTE_F64 : GPUOPT_COMPUTE_F32;
        row.variant = variant;
        rows->push_back(row);
      }
}

bool wide(gpuopt_dtype t) { return t == GPUOPT_F64 || t == GPUOPT_I32; }

// Does the signature take the row? optional says whether it also takes the row's optional operand.
bool matches(const gpuopt_signature &s, int32_t op, const TypeRow &row, bool *optional) {
  const int skipped = is_product(op) ? GPUOPT_OPERAND_C : op == GPUOPT_OP_REDUCE ? GPUOPT_OPERAND_VALUE : -1;
  if (s.compute != GPUOPT_ANY && s.compute != row.compute) return false;
  *optional = true;
  for (int i = 0; i < 4; ++i) {
    const bool same = row.dtype[i] == 0 || s.dtype[i] == GPUOPT_ANY || s.dtype[i] == row.dtype[i];
    if (!same && i == skipped)
      *optional = false;
    else if (!same)
      return false;
  }
  return true;
}

// Has the row the operands that the kernel needs, and none that it refuses? Only a norm's are a matter of its types.
bool operands_fit(const gpuopt_kernel &k, const TypeRow &row) {
  for (int i = 0; i < 4; ++i)
    if (has_operand(row.dtype[i] ? k.operands_refused : k.operands_needed, i)) return false;
  return true;
}

}  // namespace

Needs needs_of_op(int32_t op) {
  Needs n;
  n.op = op;
  const auto add = [&n](gpuopt_dtype a, gpuopt_dtype b, gpuopt_dtype c, gpuopt_dtype d, int32_t compute) {
    TypeRow row;
    row.dtype[0] = a;
    row.dtype[1] = b;
    row.dtype[2] = c;
    row.dtype[3] = d;
    row.compute = compute;
    n.rows.push_back(row);
  };
  switch (op) {
    case GPUOPT_OP_GEMM:
    case GPUOPT_OP_GEMM_GROUPED:
#define GPUOPT_X_(A, B, C, D, compute) add(GPUOPT_##A, GPUOPT_##B, GPUOPT_##C, GPUOPT_##D, GPUOPT_COMPUTE_##compute);
      GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
      break;
    case GPUOPT_OP_TRANSPOSE:
      for (gpuopt_dtype t = GPUOPT_F32; t <= GPUOPT_B128; ++t) add(t, t, 0, 0, GPUOPT_COMPUTE_F32);
      break;
    case GPUOPT_OP_REDUCE:
      for (int32_t variant = 1; variant < GPUOPT_REDUCE_COUNT_; ++variant) add_reduce_rows(variant, &n.rows);
      break;
    case GPUOPT_OP_NORM:
      for (int32_t variant = 1; variant < GPUOPT_NORM_COUNT_; ++variant) add_norm_rows(variant, &n.rows);
      break;
    default:
      for (gpuopt_dtype x : kArithmeticTypes)
        for (gpuopt_dtype out : kArithmeticTypes)
          add(x, 0, out, 0, wide(x) || wide(out) ? GPUOPT_COMPUTE_F64 : GPUOPT_COMPUTE_F32);
  }
  return n;
}

Needs needs_of_kernel(const gpuopt_kernel &k) {
  Needs n = needs_of_op(k.op);
  std::vector<TypeRow> taken;
  for (const TypeRow &row : n.rows) {
    if (row.variant != 0 && !(k.variants >> row.variant & 1)) continue;
    if (k.op == GPUOPT_OP_NORM && !operands_fit(k, row)) continue;
    bool any = false, with_optional = false;
    for (size_t i = 0; i < k.signature_count; ++i) {
      bool optional = false;
      if (!matches(k.signatures[i], k.op, row, &optional)) continue;
      any = true;
      with_optional = with_optional || optional;
    }
    if (!any) continue;
    taken.push_back(row);
    taken.back().optional_operand = with_optional;
  }
  n.rows = taken;
  for (int i = 0; i < 4; ++i) {
    n.layouts[i] = k.layouts[i] ? k.layouts[i] : uint8_t(GPUOPT_LAYOUT_ANY);
    n.align[i] = std::max(1, k.align[i]);
    n.ld_align[i] = std::max(1, k.ld_align[i]);
  }
  for (int i = 0; i < 3; ++i) n.multiple[i] = std::max(1, k.multiple[i]);
  n.features = k.understands;
  n.stage_kinds = k.stage_kinds;
  n.max_stages = k.max_stages;
  n.axes = k.axes;
  n.chain = k.chain;
  n.operands_needed = k.operands_needed;
  n.operands_refused = k.operands_refused;
  n.operands_packed = k.operands_packed;
  for (int i = 0; i < 3; ++i) n.extra_dtype[i] = k.extra_dtype[i] == GPUOPT_ANY ? 0 : k.extra_dtype[i];
  if (k.flags & GPUOPT_KERNEL_NONDETERMINISTIC) n.flags |= GPUOPT_ALLOW_NONDETERMINISTIC;
  return n;
}

bool takes_layout(const Needs &n, int operand, int32_t layout) {
  return (n.layouts[operand] & (layout == GPUOPT_ROW ? GPUOPT_LAYOUT_ROW : GPUOPT_LAYOUT_COL)) != 0;
}

}  // namespace gpuopt_check
