// The stage list, shared by the epilogues of gemm, gemm_grouped and norm, and fused_act: validation and normal form.
#include <cinttypes>

#include "error.h"
#include "problem.h"

namespace gpuopt {
namespace {

struct StageRule {
  int operands, scalars;
};

constexpr StageRule kRules[GPUOPT_STAGE_COUNT_] = {{0, 0},
#define X(name, value, operands, scalars, what) {operands, scalars},
                                                   GPUOPT_STAGE_TABLE(X)
#undef X
};

}  // namespace

bool stage_has_form(int32_t kind) {
  return kind == GPUOPT_STAGE_ADD || kind == GPUOPT_STAGE_SUB || kind == GPUOPT_STAGE_MUL;
}

int stage_operands(int32_t kind, int32_t form) {
  return stage_has_form(kind) ? (form != GPUOPT_SCALAR ? 1 : 0) : kRules[kind].operands;
}

gpuopt_status take_stages(const BuildOptions &options, const gpuopt_stage *stages, int32_t count, int64_t rows,
                          int64_t cols, gpuopt_problem *p) {
  const char *fn = options.function;
  // Of groups of rows, the rows are rows of all.
  const bool of_all_groups = p->op == GPUOPT_OP_GEMM_GROUPED && (p->features & GPUOPT_FEATURE_GROUP_LIST) == 0;
  if (count < 0 || count > GPUOPT_MAX_STAGES)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: stage_count=%d is not within 0 and %d", fn, count, GPUOPT_MAX_STAGES);
  if (count > 0 && stages == nullptr)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: stages is NULL and stage_count=%d", fn, count);
  p->stage_count = count;
  for (int32_t i = 0; i < count; ++i) {
    const gpuopt_stage &s = stages[i];
    if (s.kind < 1 || s.kind >= GPUOPT_STAGE_COUNT_)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: stages[%d].kind=%d is not a GPUOPT_STAGE_* value", fn, i, s.kind);
    const char *kind = gpuopt_stage_name(s.kind);
    if (s.reserved[0] != 0 || s.reserved[1] != 0)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: stages[%d].reserved is not zero", fn, i);
    const bool arithmetic = stage_has_form(s.kind);
    if (s.form < 0 || s.form > GPUOPT_MATRIX || (!arithmetic && s.form != 0))
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: stages[%d].form=%d; %s", fn, i, s.form,
                  arithmetic ? "must be GPUOPT_SCALAR, PER_ROW, PER_COL or MATRIX"
                             : "only ADD, SUB and MUL have a form; others 0");
    const int operands = stage_operands(s.kind, s.form);
    const bool has_a = operands > 0, has_b = operands > 1;
    const bool extra_a = !has_a && !is_zero_matrix(s.a), extra_b = !has_b && !is_zero_matrix(s.b);
    if (extra_a || extra_b)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: stages[%d].%s is set and %s does not use it", fn, i,
                  extra_a ? "a" : "b", kind);
    char field[32];
    for (const auto &m : {std::make_pair('a', &s.a), std::make_pair('b', &s.b)}) {
      std::snprintf(field, sizeof field, "stages[%d].%c", i, m.first);
      if (const gpuopt_status status = check_reserved(options, field, *m.second)) return status;
    }
    if ((has_a && arithmetic) || s.kind == GPUOPT_STAGE_ADD_OUTER)
      if (s.value[0] == 0)
        return fail(GPUOPT_INVALID_ARGUMENT,
                    "%s: stages[%d].value[0]=0: the factor of %s's operand must not be 0 (1 is plain %s)", fn, i, kind,
                    kind);
    if (s.kind == GPUOPT_STAGE_CLAMP && !(s.value[0] <= s.value[1]))
      return fail(GPUOPT_INVALID_ARGUMENT,
                  "%s: stages[%d]: CLAMP from %g to %g: the lower bound must not exceed the upper", fn, i, s.value[0],
                  s.value[1]);
    gpuopt_problem_stage &out = p->stage[i];
    out.kind = s.kind;
    out.form = s.form;
    out.value[0] = s.value[0];
    out.value[1] = s.value[1];
    const auto take = [&](const char *which, const gpuopt_matrix &m, int32_t form, int32_t user, gpuopt_operand *o) {
      std::snprintf(field, sizeof field, "stages[%d].%s", i, which);
      const Role use = s.kind == GPUOPT_STAGE_STORE ? Role::output : Role::input;
      const int64_t batch = of_all_groups && form != GPUOPT_PER_COL ? 1 : p->batch;
      gpuopt_status status = GPUOPT_OK;
      if (form == GPUOPT_PER_ROW)
        status = take_vector(options, field, m, rows, 1, batch, use, user, o);
      else if (form == GPUOPT_PER_COL)
        status = take_vector(options, field, m, 1, cols, batch, use, user, o);
      else
        status = take_matrix(options, field, m, batch, use, user, o);
      if (status == GPUOPT_OK && form == GPUOPT_MATRIX)
        status = require_shape(options, field, m, rows, cols, "the output's shape");
      if (status == GPUOPT_OK && (m.dtype == GPUOPT_I64 || m.dtype == GPUOPT_B128))
        status = fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.dtype=%s: stage operands may be any type but i64 and b128", fn,
                      field, gpuopt_dtype_name(m.dtype));
      if (status == GPUOPT_OK && m.scale != nullptr)
        status = fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.scale is set: stage operands have no scale", fn, field);
      return status;
    };
    const bool outer = s.kind == GPUOPT_STAGE_ADD_OUTER;
    gpuopt_status status = GPUOPT_OK;
    if (has_a)
      status = take("a", s.a,
                    outer        ? GPUOPT_PER_ROW
                    : arithmetic ? s.form
                                 : GPUOPT_MATRIX,
                    GPUOPT_OPERAND_STAGE + i, &out.a);
    if (status == GPUOPT_OK && has_b)
      status = take("b", s.b, GPUOPT_PER_COL, GPUOPT_OPERAND_STAGE + GPUOPT_MAX_STAGES + i, &out.b);
    if (status != GPUOPT_OK) return status;
  }
  return GPUOPT_OK;
}

void transpose_stages(gpuopt_problem *p) {
  for (int32_t i = 0; i < p->stage_count; ++i) {
    gpuopt_problem_stage &s = p->stage[i];
    if (s.kind == GPUOPT_STAGE_ADD_OUTER) {
      const gpuopt_operand a = s.a;
      s.a = s.b;
      s.b = a;
    } else if (s.form == GPUOPT_PER_ROW || s.form == GPUOPT_PER_COL) {
      s.form = s.form == GPUOPT_PER_ROW ? GPUOPT_PER_COL : GPUOPT_PER_ROW;  // vectors keep their own normal form
    } else {
      transpose_operand(&s.a);
    }
  }
}

}  // namespace gpuopt
