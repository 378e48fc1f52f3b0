// gpuopt_norm: validation. Its normal form is the call itself, because a row is a row in either layout.
#include "ops.h"

#include <cmath>

#include "../error.h"

namespace gpuopt {
namespace {

// One matrix of x's shape in a float type.
gpuopt_status take_float(const BuildOptions &options, const char *field, const gpuopt_matrix &m,
                         const gpuopt_norm_args &n, Role use, int32_t operand, gpuopt_operand *out) {
  GPUOPT_TRY(take_matrix(options, field, m, n.batch, use, operand, out));
  if (!is_float(m.dtype))
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.dtype=%s: norm takes f32, f64, f16, bf16, e4m3 and e5m2",
                options.function, field, gpuopt_dtype_name(m.dtype));
  if (m.scale)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.scale is set: only gemm takes scales", options.function, field);
  return require_shape(options, field, m, n.x.rows, n.x.cols, "x's shape");
}

gpuopt_status take_weights(const BuildOptions &options, const char *field, const gpuopt_matrix &m,
                           const gpuopt_norm_args &n, int32_t operand, gpuopt_operand *out) {
  const char *fn = options.function;
  if (n.norm != GPUOPT_NORM_LAYERNORM && n.norm != GPUOPT_NORM_RMSNORM)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s is set and norm=%s does not use it", fn, field,
                gpuopt_norm_name(n.norm));
  GPUOPT_TRY(take_vector(options, field, m, 1, n.x.cols, n.batch, Role::input, operand, out));
  if (m.dtype == GPUOPT_I64 || m.dtype == GPUOPT_B128)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.dtype=%s: it may be any type but i64 and b128", fn, field,
                gpuopt_dtype_name(m.dtype));
  if (m.scale) return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.scale is set: only gemm takes scales", fn, field);
  return GPUOPT_OK;
}

gpuopt_status take_statistics(const BuildOptions &options, const gpuopt_norm_args &n, gpuopt_problem *p) {
  gpuopt_operand *o = &p->extra[GPUOPT_OPERAND_STATISTICS - 4];
  GPUOPT_TRY(take_matrix(options, "statistics", n.statistics, n.batch, Role::output, GPUOPT_OPERAND_STATISTICS, o));
  GPUOPT_TRY(require_shape(options, "statistics", n.statistics, n.x.rows, 2, "two values a row"));
  const int32_t wanted = p->compute == GPUOPT_COMPUTE_F64 ? GPUOPT_F64 : GPUOPT_F32;
  if (n.statistics.dtype != wanted)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: statistics.dtype=%s must be %s, the type this norm is computed in",
                options.function, gpuopt_dtype_name(n.statistics.dtype), gpuopt_dtype_name(wanted));
  return GPUOPT_OK;
}

// What is written may be x or the residual itself, element for element, and nothing else that is read or written.
gpuopt_status check_overlaps(const BuildOptions &options, const gpuopt_problem &p) {
  const gpuopt_operand &out = p.operand[GPUOPT_OPERAND_OUT], &sum = p.operand[GPUOPT_OPERAND_SUM];
  const gpuopt_operand &statistics = p.extra[GPUOPT_OPERAND_STATISTICS - 4];
  const auto check = [&](const char *written, const gpuopt_operand &w, const char *other, const gpuopt_operand &o,
                         bool exact_ok) { return check_overlap(options, written, w, other, o, p.batch, exact_ok); };
  for (const auto &w :
       {std::make_pair("out", &out), std::make_pair("sum", &sum), std::make_pair("statistics", &statistics)}) {
    const bool exact_ok = w.second != &statistics;
    GPUOPT_TRY(check(w.first, *w.second, "x", p.operand[GPUOPT_OPERAND_X], exact_ok));
    GPUOPT_TRY(check(w.first, *w.second, "residual", p.operand[GPUOPT_OPERAND_RESIDUAL], exact_ok));
    GPUOPT_TRY(check(w.first, *w.second, "gamma", p.extra[GPUOPT_OPERAND_GAMMA - 4], false));
    GPUOPT_TRY(check(w.first, *w.second, "beta", p.extra[GPUOPT_OPERAND_BETA - 4], false));
    GPUOPT_TRY(check_stage_overlap(options, p, w.first, *w.second, w.second == &out));
  }
  GPUOPT_TRY(check("out", out, "sum", sum, false));
  GPUOPT_TRY(check("out", out, "statistics", statistics, false));
  GPUOPT_TRY(check("sum", sum, "statistics", statistics, false));
  return check_stores(options, p,
                      {{"x", &p.operand[GPUOPT_OPERAND_X]},
                       {"residual", &p.operand[GPUOPT_OPERAND_RESIDUAL]},
                       {"gamma", &p.extra[GPUOPT_OPERAND_GAMMA - 4]},
                       {"beta", &p.extra[GPUOPT_OPERAND_BETA - 4]}});
}

gpuopt_status build_norm(const void *args, const BuildOptions &options, gpuopt_problem *p) {
  const auto &n = *static_cast<const gpuopt_norm_args *>(args);
  const char *fn = options.function;
  if (n.norm < 1 || n.norm >= GPUOPT_NORM_COUNT_)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: norm=%d is not a GPUOPT_NORM_* value", fn, n.norm);
  GPUOPT_TRY(check_flags(options, n.flags, false));
  GPUOPT_TRY(check_common(options, n.batch,
                          {{"residual", &n.residual},
                           {"gamma", &n.gamma},
                           {"beta", &n.beta},
                           {"sum", &n.sum},
                           {"statistics", &n.statistics}}));
  if (n.reserved0 != 0 || n.reserved1 != 0)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: reserved%d is not zero", fn, n.reserved0 != 0 ? 0 : 1);
  const bool weighted = n.norm == GPUOPT_NORM_LAYERNORM || n.norm == GPUOPT_NORM_RMSNORM;
  if (weighted && !(std::isfinite(n.eps) && n.eps >= 0))
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: eps=%g must be finite and not negative", fn, n.eps);
  p->batch = n.batch;
  gpuopt_operand *o = p->operand;
  GPUOPT_TRY(take_float(options, "x", n.x, n, Role::input, GPUOPT_OPERAND_X, &o[GPUOPT_OPERAND_X]));
  GPUOPT_TRY(take_float(options, "out", n.out, n, Role::output, GPUOPT_OPERAND_OUT, &o[GPUOPT_OPERAND_OUT]));
  if (!is_zero_matrix(n.residual))
    GPUOPT_TRY(take_float(options, "residual", n.residual, n, Role::input, GPUOPT_OPERAND_RESIDUAL,
                          &o[GPUOPT_OPERAND_RESIDUAL]));
  if (!is_zero_matrix(n.sum)) {
    if (is_zero_matrix(n.residual))
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: sum is set and residual is not: there is no sum", fn);
    GPUOPT_TRY(take_float(options, "sum", n.sum, n, Role::output, GPUOPT_OPERAND_SUM, &o[GPUOPT_OPERAND_SUM]));
  }
  if (!is_zero_matrix(n.gamma))
    GPUOPT_TRY(take_weights(options, "gamma", n.gamma, n, GPUOPT_OPERAND_GAMMA, &p->extra[GPUOPT_OPERAND_GAMMA - 4]));
  if (!is_zero_matrix(n.beta))
    GPUOPT_TRY(take_weights(options, "beta", n.beta, n, GPUOPT_OPERAND_BETA, &p->extra[GPUOPT_OPERAND_BETA - 4]));
  const bool wide = n.x.dtype == GPUOPT_F64 || n.residual.dtype == GPUOPT_F64 || n.out.dtype == GPUOPT_F64;
  p->compute = wide ? GPUOPT_COMPUTE_F64 : GPUOPT_COMPUTE_F32;
  if (!is_zero_matrix(n.statistics)) GPUOPT_TRY(take_statistics(options, n, p));
  p->m = n.x.rows;
  p->n = n.x.cols;
  p->variant = n.norm;
  p->eps = weighted ? n.eps : 0;
  p->flags = n.flags;
  GPUOPT_TRY(take_stages(options, n.stages, n.stage_count, p->m, p->n, p));
  GPUOPT_TRY(check_overlaps(options, *p));
  p->features = common_features(*p);
  return GPUOPT_OK;
}

}  // namespace

const OpDefinition kNormOp = {"gpuopt_norm", sizeof(gpuopt_norm_args), build_norm};

}  // namespace gpuopt
