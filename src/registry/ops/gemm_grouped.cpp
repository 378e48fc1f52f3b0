// gpuopt_gemm_grouped: validation. Its normal form is the call itself, because a group is a run of rows in either layout.
#include <cinttypes>

#include "../error.h"
#include "ops.h"

namespace gpuopt {
namespace {

// A matrix of all groups' rows: one, whatever its batch_stride says.
gpuopt_status take_rows(const BuildOptions &options, const char *field, const gpuopt_matrix &m, Role use,
                        int32_t operand, gpuopt_problem *p) {
  return take_matrix(options, field, m, 1, use, operand, &p->operand[operand]);
}

// Groups of rows, or a list: one of four says which.
gpuopt_status check_source(const char *fn, const gpuopt_gemm_grouped_args &g) {
  const std::pair<const char *, bool> sources[] = {{"offsets", !is_zero_matrix(g.offsets)},
                                                   {"host_offsets", g.host_offsets != nullptr},
                                                   {"list", g.list != nullptr},
                                                   {"host_list", g.host_list != nullptr}};
  const char *set = nullptr;
  for (const auto &source : sources) {
    if (!source.second) continue;
    if (set != nullptr)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s and %s are both set: one of them says what the groups are", fn, set,
                  source.first);
    set = source.first;
  }
  if (set == nullptr)
    return fail(GPUOPT_INVALID_ARGUMENT,
                "%s: neither offsets nor host_offsets is set, nor a list: one of them says what the groups are", fn);
  for (int operand = 0; operand < 4; ++operand)
    if (g.list_align[operand] != 0 && g.list == nullptr && g.host_list == nullptr)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: list_align[%d]=%d without a list must be 0", fn, operand,
                  g.list_align[operand]);
  return GPUOPT_OK;
}

// In device memory, where nobody looks at them, or numbers here.
gpuopt_status take_offsets(const BuildOptions &options, const gpuopt_gemm_grouped_args &g, gpuopt_problem *p) {
  const char *fn = options.function;
  if (g.host_offsets == nullptr) {
    gpuopt_operand *o = &p->extra[GPUOPT_OPERAND_OFFSETS - 4];
    if (g.offsets.dtype != GPUOPT_I32 && g.offsets.dtype != GPUOPT_I64)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: offsets.dtype=%s must be i32 or i64", fn,
                  gpuopt_dtype_name(g.offsets.dtype));
    GPUOPT_TRY(require_shape(options, "offsets", g.offsets, 1, g.groups + 1, "where each group begins, and the end"));
    return take_vector(options, "offsets", g.offsets, 1, g.groups + 1, 1, Role::input, GPUOPT_OPERAND_OFFSETS, o);
  }
  if (reinterpret_cast<uintptr_t>(g.host_offsets) % sizeof(int64_t) != 0)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: host_offsets=%p is not aligned to one 64-bit integer", fn,
                static_cast<const void *>(g.host_offsets));
  for (int64_t i = 0; i <= g.groups; ++i) {
    const int64_t least = i == 0 ? 0 : g.host_offsets[i - 1], here = g.host_offsets[i];
    if (here < least)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: host_offsets[%" PRId64 "]=%" PRId64 " is less than %s=%" PRId64, fn, i,
                  here, i == 0 ? "the first row" : "the one before it", least);
    if (here > g.d.rows)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: host_offsets[%" PRId64 "]=%" PRId64 " is more than d.rows=%" PRId64, fn,
                  i, here, g.d.rows);
  }
  p->host_offsets = g.host_offsets;
  return GPUOPT_OK;
}

gpuopt_status check_overlaps(const BuildOptions &options, const gpuopt_problem &p, const gpuopt_operand (&scales)[2]) {
  const gpuopt_operand *o = p.operand, &offsets = p.extra[GPUOPT_OPERAND_OFFSETS - 4];
  const auto check = [&](const char *other, const gpuopt_operand &x, bool exact_ok) {
    return check_overlap(options, "d", o[GPUOPT_OPERAND_D], other, x, p.batch, exact_ok);
  };
  GPUOPT_TRY(check("a", o[GPUOPT_OPERAND_A], false));
  GPUOPT_TRY(check("b", o[GPUOPT_OPERAND_B], false));
  GPUOPT_TRY(check("c", o[GPUOPT_OPERAND_C], o[GPUOPT_OPERAND_C].m.dtype == o[GPUOPT_OPERAND_D].m.dtype));
  GPUOPT_TRY(check("offsets", offsets, false));
  GPUOPT_TRY(check("a.scales", scales[0], false));
  GPUOPT_TRY(check("b.scales", scales[1], false));
  GPUOPT_TRY(check_stage_overlap(options, p, "d", o[GPUOPT_OPERAND_D], false));
  return check_stores(options, p,
                      {{"a", &o[GPUOPT_OPERAND_A]},
                       {"b", &o[GPUOPT_OPERAND_B]},
                       {"c", &o[GPUOPT_OPERAND_C]},
                       {"offsets", &offsets},
                       {"a.scales", &scales[0]},
                       {"b.scales", &scales[1]}});
}

gpuopt_status build_rows(const gpuopt_gemm_grouped_args &g, bool reads_c, const BuildOptions &options,
                         gpuopt_problem *p) {
  const char *fn = options.function;
  gpuopt_operand scales[2];
  GPUOPT_TRY(take_factor(options, "a", g.a, 1, GPUOPT_OPERAND_A, &p->operand[GPUOPT_OPERAND_A], &scales[0]));
  GPUOPT_TRY(take_factor(options, "b", g.b, g.groups, GPUOPT_OPERAND_B, &p->operand[GPUOPT_OPERAND_B], &scales[1]));
  GPUOPT_TRY(take_rows(options, "d", g.d, Role::output, GPUOPT_OPERAND_D, p));
  if (reads_c && !is_zero_matrix(g.c)) GPUOPT_TRY(take_rows(options, "c", g.c, Role::input, GPUOPT_OPERAND_C, p));
  GPUOPT_TRY(check_gemm_grouped_shapes(fn, g, reads_c));
  GPUOPT_TRY(resolve_gemm_types(fn, {g.a.dtype, g.b.dtype, g.c.dtype, g.d.dtype, g.compute}, reads_c, p));
  GPUOPT_TRY(take_factor_pointers(options, g.alpha_ptr, g.beta_ptr, p));
  p->m = g.d.rows;
  p->n = g.d.cols;
  p->k = g.a.cols;
  GPUOPT_TRY(take_offsets(options, g, p));
  GPUOPT_TRY(take_stages(options, g.stages, g.stage_count, p->m, p->n, p));
  GPUOPT_TRY(check_overlaps(options, *p, scales));
  const gpuopt_operand *o = p->operand;
  p->features = (g.groups > 1 && o[GPUOPT_OPERAND_B].m.batch_stride == 0 ? GPUOPT_FEATURE_BROADCAST : 0) |
                (has_block_scales(o[0].m) || has_block_scales(o[1].m) ? GPUOPT_FEATURE_BLOCK_SCALES : 0) |
                (g.host_offsets ? GPUOPT_FEATURE_HOST_OFFSETS : 0);
  return GPUOPT_OK;
}

gpuopt_status build_gemm_grouped(const void *args, const BuildOptions &options, gpuopt_problem *p) {
  const auto &g = *static_cast<const gpuopt_gemm_grouped_args *>(args);
  const char *fn = options.function;
  if (g.compute < 0 || g.compute >= GPUOPT_COMPUTE_COUNT_)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: compute=%d is not a GPUOPT_COMPUTE_* value", fn, g.compute);
  GPUOPT_TRY(check_flags(options, g.flags, false));
  if (g.groups < 0 || g.groups == INT64_MAX)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: groups=%" PRId64 " is %s", fn, g.groups,
                g.groups < 0 ? "negative" : "more than can be counted");
  for (const auto &m : {std::make_pair("c", &g.c), std::make_pair("offsets", &g.offsets)}) {
    GPUOPT_TRY(check_reserved(options, m.first, *m.second));
    if (g.groups == 0 && m.second->batch_stride == 0 && is_zero_matrix(*m.second))
      return fail(GPUOPT_INVALID_ARGUMENT,
                  "%s: groups=0 and a batch_stride of 0: these args were cleared rather than started from their _INIT "
                  "macro, which sets groups = 1",
                  fn);
  }
  GPUOPT_TRY(check_source(fn, g));
  const bool reads_c = g.beta != 0 || g.beta_ptr != nullptr;  // a NaN beta is not 0
  p->batch = g.groups;
  GPUOPT_TRY((g.list || g.host_list ? build_gemm_list : build_rows)(g, reads_c, options, p));
  p->alpha = g.alpha;
  p->beta = g.beta;
  p->flags = g.flags;
  const gpuopt_operand *o = p->operand;
  const bool scaled = o[0].m.scale || o[1].m.scale || (reads_c && o[2].m.scale) || o[3].m.scale;
  p->features |= (common_features(*p) & ~uint32_t{GPUOPT_FEATURE_BROADCAST}) | (reads_c ? GPUOPT_FEATURE_BETA : 0) |
                 factor_features(p->compute, {g.alpha, g.beta, g.alpha_ptr, g.beta_ptr}) |
                 (scaled ? GPUOPT_FEATURE_SCALE : 0);
  return check_scalar_overlaps(options, *p);
}

}  // namespace

gpuopt_status check_gemm_grouped_shapes(const char *fn, const gpuopt_gemm_grouped_args &g, bool reads_c) {
  if (g.a.cols != g.b.rows)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: a is %s and b is %s: a.cols and b.rows must be equal", fn,
                shape_text(g.a).c_str(), shape_text(g.b).c_str());
  if (g.d.rows != g.a.rows || g.d.cols != g.b.cols)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: d is %s and must be %" PRId64 "x%" PRId64 " (a is %s, b is %s)", fn,
                shape_text(g.d).c_str(), g.a.rows, g.b.cols, shape_text(g.a).c_str(), shape_text(g.b).c_str());
  if (!reads_c) return GPUOPT_OK;
  if (is_zero_matrix(g.c)) return fail(GPUOPT_INVALID_ARGUMENT, "%s: beta is not 0 and c is not set", fn);
  return require_shape({fn}, "c", g.c, g.d.rows, g.d.cols, "d's shape");
}

const OpDefinition kGemmGroupedOp = {"gpuopt_gemm_grouped", sizeof(gpuopt_gemm_grouped_args), build_gemm_grouped};

}  // namespace gpuopt
