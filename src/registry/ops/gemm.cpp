// gpuopt_gemm: validation, the closed type table and the row-major normal form.
#include "ops.h"

#include <cmath>

#include "../error.h"

namespace gpuopt {
namespace {

constexpr GemmTypes kTypes[] = {
#define X(a, b, c, d, compute) {GPUOPT_##a, GPUOPT_##b, GPUOPT_##c, GPUOPT_##d, GPUOPT_COMPUTE_##compute},
    GPUOPT_GEMM_TABLE(X)
#undef X
};

}  // namespace

gpuopt_status resolve_gemm_types(const char *fn, const GemmTypes &g, bool reads_c, gpuopt_problem *p) {
  for (const GemmTypes &row : kTypes)
    if (row.a == g.a && row.b == g.b && row.d == g.d && (!reads_c || row.c == g.c) &&
        (g.compute == GPUOPT_COMPUTE_DEFAULT || row.compute == g.compute)) {
      p->compute = row.compute;
      return GPUOPT_OK;
    }
  std::string known;
  for (const GemmTypes &row : kTypes) {
    if (row.a != g.a || row.b != g.b) continue;
    known += std::string(known.empty() ? "" : "; ") + "c=" + gpuopt_dtype_name(row.c) +
             " d=" + gpuopt_dtype_name(row.d) + " " + gpuopt_compute_name(row.compute);
  }
  return fail(GPUOPT_INVALID_ARGUMENT,
              "%s: types a=%s b=%s c=%s d=%s with compute=%s are not a row of GPUOPT_GEMM_TABLE (%s%s)", fn,
              gpuopt_dtype_name(g.a), gpuopt_dtype_name(g.b), reads_c ? gpuopt_dtype_name(g.c) : "not read",
              gpuopt_dtype_name(g.d), gpuopt_compute_name(g.compute),
              known.empty() ? "no row takes these inputs" : "these inputs have: ", known.c_str());
}

gpuopt_status take_factor_pointers(const BuildOptions &options, const void *alpha, const void *beta,
                                   gpuopt_problem *p) {
  const bool doubles = p->compute == GPUOPT_COMPUTE_F64 || p->compute == GPUOPT_COMPUTE_I32;
  const size_t size = doubles ? sizeof(double) : sizeof(float);
  GPUOPT_TRY(check_scalar(options, "alpha_ptr", alpha, size));
  GPUOPT_TRY(check_scalar(options, "beta_ptr", beta, size));
  p->alpha_ptr = alpha;
  p->beta_ptr = beta;
  return GPUOPT_OK;
}

namespace {

// Libraries take scalars in fp16 where they compute in it. Of infinities and NaN nothing is lost.
bool is_normal_in_fp16(double x) {
  return x == 0 || !std::isfinite(x) || (std::fabs(x) >= 0x1p-14 && std::fabs(x) < 65520);
}

bool is_zero_in(int32_t compute, double x) {
  return compute == GPUOPT_COMPUTE_F64 || compute == GPUOPT_COMPUTE_I32 ? x == 0 : static_cast<float>(x) == 0;
}

}  // namespace

uint32_t factor_features(int32_t compute, const Factors &f) {
  const bool fits = compute != GPUOPT_COMPUTE_F16 ||
                    ((f.alpha_ptr || is_normal_in_fp16(f.alpha)) && (f.beta_ptr || is_normal_in_fp16(f.beta)));
  return (!fits || (!f.alpha_ptr && is_zero_in(compute, f.alpha)) ? GPUOPT_FEATURE_ALPHA_ZERO : 0) |
         (f.alpha_ptr || f.beta_ptr ? GPUOPT_FEATURE_SCALAR_POINTERS : 0);
}

namespace {

// Vectors as one line each. C goes with D, as a kernel may want one layout of both.
void make_vectors_lines(const BuildOptions &options, gpuopt_problem *p) {
  gpuopt_operand *o = p->operand;
  const bool outputs = can_be_one_line(o[3].m) && (o[2].m.dtype == 0 || can_be_one_line(o[2].m));
  for (int i = 0; i < 4; ++i)
    if (i < 2 || outputs) p->relaid ^= make_one_line(options, p->batch, &o[i]) ? 1u << i : 0;
  if (!outputs) return;
  for (int32_t i = 0; i < p->stage_count; ++i) {
    gpuopt_problem_stage &s = p->stage[i];
    const bool vector = s.kind == GPUOPT_STAGE_ADD_OUTER || s.form == GPUOPT_PER_ROW || s.form == GPUOPT_PER_COL;
    if (!vector) make_one_line(options, p->batch, &s.a);
  }
}

gpuopt_status build_gemm(const void *args, const BuildOptions &options, gpuopt_problem *p) {
  const auto &g = *static_cast<const gpuopt_gemm_args *>(args);
  const char *fn = options.function;
  if (g.compute < 0 || g.compute >= GPUOPT_COMPUTE_COUNT_)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: compute=%d is not a GPUOPT_COMPUTE_* value", fn, g.compute);
  GPUOPT_TRY(check_flags(options, g.flags, true));
  GPUOPT_TRY(check_common(options, g.batch, {{"c", &g.c}}));
  const bool reads_c = g.beta != 0 || g.beta_ptr != nullptr;  // a NaN beta is not 0
  p->batch = g.batch;
  gpuopt_operand scales[2];
  GPUOPT_TRY(take_factor(options, "a", g.a, g.batch, GPUOPT_OPERAND_A, &p->operand[0], &scales[0]));
  GPUOPT_TRY(take_factor(options, "b", g.b, g.batch, GPUOPT_OPERAND_B, &p->operand[1], &scales[1]));
  GPUOPT_TRY(take_matrix(options, "d", g.d, g.batch, Role::output, GPUOPT_OPERAND_D, &p->operand[3]));
  if (g.a.cols != g.b.rows)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: a is %s and b is %s: a.cols and b.rows must be equal", fn,
                shape_text(g.a).c_str(), shape_text(g.b).c_str());
  if (g.d.rows != g.a.rows || g.d.cols != g.b.cols)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: d is %s and a * b is %lldx%lld (a is %s, b is %s)", fn,
                shape_text(g.d).c_str(), static_cast<long long>(g.a.rows), static_cast<long long>(g.b.cols),
                shape_text(g.a).c_str(), shape_text(g.b).c_str());
  if (reads_c) {
    if (is_zero_matrix(g.c)) return fail(GPUOPT_INVALID_ARGUMENT, "%s: beta is not 0 and c is not set", fn);
    GPUOPT_TRY(take_matrix(options, "c", g.c, g.batch, Role::input, GPUOPT_OPERAND_C, &p->operand[2]));
    if (g.c.rows != g.d.rows || g.c.cols != g.d.cols)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: c is %s and d is %s: their shapes must be equal", fn,
                  shape_text(g.c).c_str(), shape_text(g.d).c_str());
  }
  GPUOPT_TRY(resolve_gemm_types(fn, {g.a.dtype, g.b.dtype, g.c.dtype, g.d.dtype, g.compute}, reads_c, p));
  GPUOPT_TRY(take_factor_pointers(options, g.alpha_ptr, g.beta_ptr, p));
  p->m = g.d.rows;
  p->n = g.d.cols;
  p->k = g.a.cols;
  GPUOPT_TRY(take_stages(options, g.stages, g.stage_count, p->m, p->n, p));

  gpuopt_operand *o = p->operand;
  GPUOPT_TRY(check_overlap(options, "d", o[3], "a", o[0], g.batch, false));
  GPUOPT_TRY(check_overlap(options, "d", o[3], "b", o[1], g.batch, false));
  GPUOPT_TRY(check_overlap(options, "d", o[3], "a.scales", scales[0], g.batch, false));
  GPUOPT_TRY(check_overlap(options, "d", o[3], "b.scales", scales[1], g.batch, false));
  if (reads_c) GPUOPT_TRY(check_overlap(options, "d", o[3], "c", o[2], g.batch, o[2].m.dtype == o[3].m.dtype));
  GPUOPT_TRY(check_stage_overlap(options, *p, "d", o[3], false));
  GPUOPT_TRY(check_stores(
      options, *p, {{"a", &o[0]}, {"b", &o[1]}, {"c", &o[2]}, {"a.scales", &scales[0]}, {"b.scales", &scales[1]}}));

  p->alpha = g.alpha;
  p->beta = g.beta;
  p->flags = g.flags;
  make_vectors_lines(options, p);
  if (o[3].m.layout == GPUOPT_COL) {  // D^T = B^T A^T
    p->swapped = 1;
    std::swap(o[0], o[1]);
    p->relaid = (p->relaid & ~3u) | (p->relaid & 1) << 1 | (p->relaid >> 1 & 1);
    for (int i = 0; i < 4; ++i) transpose_operand(&o[i]);
    transpose_stages(p);
    std::swap(p->m, p->n);
    make_vectors_lines(options, p);  // single elements
  }
  const bool scaled = o[0].m.scale || o[1].m.scale || (reads_c && o[2].m.scale) || o[3].m.scale;
  p->features = common_features(*p) | (reads_c ? GPUOPT_FEATURE_BETA : 0) |
                factor_features(p->compute, {g.alpha, g.beta, g.alpha_ptr, g.beta_ptr}) |
                (scaled ? GPUOPT_FEATURE_SCALE : 0) |
                (has_block_scales(o[0].m) || has_block_scales(o[1].m) ? GPUOPT_FEATURE_BLOCK_SCALES : 0) |
                (g.flags & GPUOPT_REQUIRE_BATCH_INVARIANT ? GPUOPT_FEATURE_BATCH_INVARIANT : 0);
  return check_scalar_overlaps(options, *p);
}

}  // namespace

const OpDefinition kGemmOp = {"gpuopt_gemm", sizeof(gpuopt_gemm_args), build_gemm};

}  // namespace gpuopt
