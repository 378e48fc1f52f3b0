// gpuopt_reduce: validation, the rules for output types and empty reductions, and the normal form.
#include "ops.h"

#include "../error.h"

namespace gpuopt {
namespace {

constexpr char kEmptyResult[GPUOPT_REDUCE_COUNT_] = {0,
#define X(name, value, what, empty) empty,
                                                     GPUOPT_REDUCE_TABLE(X)
#undef X
};

// The types out may have, as a list for the message; the rule itself is in `allowed`.
struct OutRule {
  int32_t allowed[5];
  const char *text;
};

OutRule rule_for(int32_t reduce, int32_t x) {
  if (reduce == GPUOPT_REDUCE_ARGMIN || reduce == GPUOPT_REDUCE_ARGMAX) return {{GPUOPT_I64}, "i64"};
  if (x == GPUOPT_F64) return {{GPUOPT_F64, GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16}, "f64, f32, f16 or bf16"};
  if (is_float(x)) return {{GPUOPT_F32, GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16}, "f32, f64, f16 or bf16"};
  if (reduce == GPUOPT_REDUCE_MEAN || reduce == GPUOPT_REDUCE_NRM2) return {{GPUOPT_F32, GPUOPT_F64}, "f32 or f64"};
  if (reduce == GPUOPT_REDUCE_MIN || reduce == GPUOPT_REDUCE_MAX) return {{x, GPUOPT_I64}, "x's type or i64"};
  return {{GPUOPT_I64}, "i64"};
}

gpuopt_status build_reduce(const void *args, const BuildOptions &options, gpuopt_problem *p) {
  const auto &r = *static_cast<const gpuopt_reduce_args *>(args);
  const char *fn = options.function;
  if (r.reduce < 1 || r.reduce >= GPUOPT_REDUCE_COUNT_)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: reduce=%d is not a GPUOPT_REDUCE_* value", fn, r.reduce);
  if (r.axis < GPUOPT_EACH_ROW || r.axis > GPUOPT_ALL)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: axis=%d is not GPUOPT_EACH_ROW, EACH_COL or ALL", fn, r.axis);
  GPUOPT_TRY(check_flags(options, r.flags, true));
  GPUOPT_TRY(check_common(options, r.batch, {{"y", &r.y}, {"value", &r.value}}));
  const char *name = gpuopt_reduce_name(r.reduce);
  const bool arg = r.reduce == GPUOPT_REDUCE_ARGMIN || r.reduce == GPUOPT_REDUCE_ARGMAX,
             dot = r.reduce == GPUOPT_REDUCE_DOT;
  gpuopt_operand *o = p->operand;
  GPUOPT_TRY(take_matrix(options, "x", r.x, r.batch, Role::input, GPUOPT_OPERAND_X, &o[0]));
  if (r.x.dtype == GPUOPT_B128) return fail(GPUOPT_INVALID_ARGUMENT, "%s: x.dtype=b128 has no arithmetic", fn);
  if (dot) {
    GPUOPT_TRY(take_matrix(options, "y", r.y, r.batch, Role::input, GPUOPT_OPERAND_Y, &o[1]));
    GPUOPT_TRY(require_shape(options, "y", r.y, r.x.rows, r.x.cols, "x's shape"));
    if (r.y.dtype != r.x.dtype)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: x.dtype=%s and y.dtype=%s must be equal", fn,
                  gpuopt_dtype_name(r.x.dtype), gpuopt_dtype_name(r.y.dtype));
  } else if (!is_zero_matrix(r.y)) {
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: y is set and reduce=%s does not use it", fn, name);
  }
  const int64_t out_rows = r.axis == GPUOPT_EACH_ROW ? r.x.rows : 1,
                out_cols = r.axis == GPUOPT_EACH_COL ? r.x.cols : 1;
  const auto take_out = [&](const char *field, const gpuopt_matrix &m, int32_t operand) {
    if (m.rows != out_rows || m.cols != out_cols)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s is %s and x is %s: %s must be %lldx%lld", fn, field,
                  shape_text(m).c_str(), shape_text(r.x).c_str(), field, static_cast<long long>(out_rows),
                  static_cast<long long>(out_cols));
    return take_vector(options, field, m, out_rows, out_cols, r.batch, Role::output, operand, &o[operand]);
  };
  GPUOPT_TRY(take_out("out", r.out, GPUOPT_OPERAND_OUT));
  if (!is_zero_matrix(r.value)) {
    if (!arg) return fail(GPUOPT_INVALID_ARGUMENT, "%s: value is set and reduce=%s does not use it", fn, name);
    GPUOPT_TRY(take_out("value", r.value, GPUOPT_OPERAND_VALUE));
    if (r.value.dtype != r.x.dtype)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: value.dtype=%s and x.dtype=%s must be equal", fn,
                  gpuopt_dtype_name(r.value.dtype), gpuopt_dtype_name(r.x.dtype));
    p->features |= GPUOPT_FEATURE_VALUE_OUT;
  }
  if (r.x.scale || r.y.scale || r.out.scale || r.value.scale)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: a scale is set: only gemm takes scales", fn);
  const OutRule rule = rule_for(r.reduce, r.x.dtype);
  bool allowed = false;
  for (int32_t dtype : rule.allowed) allowed = allowed || dtype == r.out.dtype;
  if (!allowed)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: out.dtype=%s; %s of %s gives %s", fn, gpuopt_dtype_name(r.out.dtype),
                name, gpuopt_dtype_name(r.x.dtype), rule.text);
  const int64_t length = r.axis == GPUOPT_EACH_ROW   ? r.x.cols
                         : r.axis == GPUOPT_EACH_COL ? r.x.rows
                                                     : r.x.rows * r.x.cols;
  if (length == 0 && out_rows * out_cols * r.batch > 0 && kEmptyResult[r.reduce] == '-')
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: x is %s: %s of no elements has no value", fn, shape_text(r.x).c_str(),
                name);

  static constexpr const char *kFields[] = {"x", "y", "out", "value"};
  for (int written : {GPUOPT_OPERAND_OUT, GPUOPT_OPERAND_VALUE})
    for (int read = 0; read < 4; ++read)
      if (read < 2 || read > written)
        GPUOPT_TRY(check_overlap(options, kFields[written], o[written], kFields[read], o[read], r.batch, false));

  int32_t axis = r.axis;
  if (o[0].m.layout == GPUOPT_COL) {
    p->swapped = 1;
    transpose_operand(&o[0]);
    transpose_operand(&o[1]);
    axis = axis == GPUOPT_ALL ? axis : axis == GPUOPT_EACH_ROW ? GPUOPT_EACH_COL : GPUOPT_EACH_ROW;
    if (arg && axis == GPUOPT_ALL) p->features |= GPUOPT_FEATURE_COLUMN_INDEX;
  }
  p->variant = r.reduce;
  p->axis = axis;
  p->m = o[0].m.rows;
  p->n = o[0].m.cols;
  if (axis == GPUOPT_ALL && (p->m == 0 || p->n == 0)) {  // no kernel shall walk the other extent, which may be huge
    p->m = p->n = 0;
    for (int i = 0; i < 2; ++i) o[i].m.rows = o[i].m.cols = 0;
  }
  p->batch = r.batch;
  p->flags = r.flags;
  p->compute = r.x.dtype == GPUOPT_F64 ? GPUOPT_COMPUTE_F64
               : is_float(r.x.dtype)   ? GPUOPT_COMPUTE_F32
                                       : GPUOPT_COMPUTE_I32;
  p->features |= common_features(*p) | (r.flags & GPUOPT_REQUIRE_BATCH_INVARIANT ? GPUOPT_FEATURE_BATCH_INVARIANT : 0);
  return GPUOPT_OK;
}

}  // namespace

const OpDefinition kReduceOp = {"gpuopt_reduce", sizeof(gpuopt_reduce_args), build_reduce};

}  // namespace gpuopt
