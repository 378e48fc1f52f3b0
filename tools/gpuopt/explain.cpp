// `gpuopt explain <op> ...`: every candidate for a problem, its verdict, its reason, its predicted time.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "gpuopt/gpuopt.h"
#include "numbers.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

struct Options {
  int64_t m = 0, n = 0, k = 0, rows = 0, cols = 0, batch = 1, lda = 0, ldb = 0, ldc = 0, ldd = 0;
  std::string type = "f32", a_type, b_type, c_type, d_type, out_type, compute = "default";
  std::string layout, c_layout = "row", d_layout = "row", out_layout = "row", reduce = "sum", axis = "row",
                      norm = "layernorm";
  double alpha = 1, beta = 0;
  std::vector<std::string> stages;
  std::string pretend, device = "auto", kernel, disable, space = "auto";
  int32_t align = 0, stage_align = 0;
  bool scalar_pointers = false, scaled = false, value = false, in_place = false, gamma = false, beta_vector = false,
       residual = false, sum = false, statistics = false, capturing = false, shared = false;
  bool nondeterministic = false, intermediate_rounding = false, batch_invariant = false, rejected_only = false,
       json = false, any_build = false;
};

// A pointer for problems that need one (in place, scalar pointers): explain never follows it.
alignas(256) char address[256];

gpuopt_matrix matrix(int64_t rows, int64_t cols, gpuopt_dtype type, int32_t layout, int64_t ld) {
  gpuopt_matrix m = gpuopt_mat(nullptr, rows, cols, type);
  m.layout = layout;
  m.ld = ld;
  return m;
}

uint32_t flags_of(const Options &o) {
  uint32_t flags = 0;
  if (o.nondeterministic) flags |= GPUOPT_ALLOW_NONDETERMINISTIC;
  if (o.intermediate_rounding) flags |= GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  if (o.batch_invariant) flags |= GPUOPT_REQUIRE_BATCH_INVARIANT;
  return flags;
}

std::vector<gpuopt_stage> stages_of(const Options &o, int64_t rows, int64_t cols) {
  std::vector<gpuopt_stage> stages;
  for (const std::string &s : o.stages) stages.push_back(parse_stage("--stage", s, rows, cols));
  return stages;
}

// The output types a gemm has for these inputs: of the first row of the table that fits what was stated.
void default_gemm_types(const Options &o, gpuopt_gemm_args *g) {
  const gpuopt_dtype c = o.c_type.empty() ? 0 : parse_dtype("--c-type", o.c_type),
                     d = o.d_type.empty() ? 0 : parse_dtype("--d-type", o.d_type);
  g->c.dtype = c;
  g->d.dtype = d;
  bool found = false;
#define GPUOPT_X_(A, B, C, D, comp)                                                                               \
  if (!found && g->a.dtype == GPUOPT_##A && g->b.dtype == GPUOPT_##B && (!c || c == GPUOPT_##C) &&                \
      (!d || d == GPUOPT_##D) && (g->compute == GPUOPT_COMPUTE_DEFAULT || g->compute == GPUOPT_COMPUTE_##comp)) { \
    g->c.dtype = GPUOPT_##C;                                                                                      \
    g->d.dtype = GPUOPT_##D;                                                                                      \
    found = true;                                                                                                 \
  }
  GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  if (g->c.dtype == 0) g->c.dtype = g->a.dtype;
  if (g->d.dtype == 0) g->d.dtype = g->a.dtype;
}

int explain_args(const Options &o, const void *args);

int explain_gemm(const Options &o) {
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  const std::string layout = o.layout.empty() ? "nn" : lowered(o.layout);
  if (layout.size() != 2 || layout.find_first_not_of("nt") != std::string::npos)
    reject_word("--layout", o.layout, "must be one of: nn, nt, tn, tt");
  g.compute = parse_compute("--compute", o.compute);
  g.a = matrix(o.m, o.k, parse_dtype("--type", o.a_type.empty() ? o.type : o.a_type),
               layout[0] == 'n' ? GPUOPT_ROW : GPUOPT_COL, o.lda);
  g.b = matrix(o.k, o.n, parse_dtype("--type", o.b_type.empty() ? o.type : o.b_type),
               layout[1] == 'n' ? GPUOPT_ROW : GPUOPT_COL, o.ldb);
  g.c = matrix(o.m, o.n, 0, parse_layout("--c-layout", o.c_layout), o.ldc);
  g.d = matrix(o.m, o.n, 0, parse_layout("--d-layout", o.d_layout), o.ldd);
  default_gemm_types(o, &g);
  g.alpha = o.alpha;
  g.beta = o.beta;
  if (o.scalar_pointers) g.alpha_ptr = address;
  if (o.beta == 0) g.c = gpuopt_mat(nullptr, 0, 0, 0);
  if (o.scaled) g.a.scale = g.b.scale = reinterpret_cast<const float *>(address);
  if (o.shared) g.b.batch_stride = 0;
  g.batch = o.batch;
  g.flags = flags_of(o);
  const std::vector<gpuopt_stage> stages = stages_of(o, o.m, o.n);
  g.stages = stages.empty() ? nullptr : stages.data();
  g.stage_count = int32_t(stages.size());
  return explain_args(o, &g);
}

int explain_transpose(const Options &o) {
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  const gpuopt_dtype type = parse_dtype("--type", o.type);
  t.src = matrix(o.rows, o.cols, type, parse_layout("--layout", o.layout.empty() ? "row" : o.layout), o.lda);
  t.dst = matrix(o.cols, o.rows, type, parse_layout("--out-layout", o.out_layout), o.ldd);
  if (o.in_place) {
    t.src.data = address;
    t.dst = t.src;
    t.dst.rows = o.cols;
    t.dst.cols = o.rows;
  }
  t.batch = o.batch;
  t.flags = flags_of(o);
  return explain_args(o, &t);
}

int explain_reduce(const Options &o) {
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  const gpuopt_dtype type = parse_dtype("--type", o.type);
  r.reduce = parse_reduce("--reduce", o.reduce);
  r.axis = parse_axis("--axis", o.axis);
  r.x = matrix(o.rows, o.cols, type, parse_layout("--layout", o.layout.empty() ? "row" : o.layout), o.lda);
  if (r.reduce == GPUOPT_REDUCE_DOT) r.y = r.x;
  const bool index = r.reduce == GPUOPT_REDUCE_ARGMIN || r.reduce == GPUOPT_REDUCE_ARGMAX;
  const bool integer = type == GPUOPT_I8 || type == GPUOPT_U8 || type == GPUOPT_I32 || type == GPUOPT_I64;
  const bool quotient = r.reduce == GPUOPT_REDUCE_MEAN || r.reduce == GPUOPT_REDUCE_NRM2;
  const gpuopt_dtype natural = index || (integer && !quotient) ? GPUOPT_I64
                               : type == GPUOPT_F64            ? GPUOPT_F64
                                                               : GPUOPT_F32;
  const gpuopt_dtype out = o.out_type.empty() ? natural : parse_dtype("--out-type", o.out_type);
  const int64_t rows = r.axis == GPUOPT_EACH_ROW ? o.rows : 1, cols = r.axis == GPUOPT_EACH_COL ? o.cols : 1;
  r.out = matrix(rows, cols, out, GPUOPT_ROW, 0);
  if (o.value) r.value = matrix(rows, cols, type, GPUOPT_ROW, 0);
  r.batch = o.batch;
  r.flags = flags_of(o);
  return explain_args(o, &r);
}

int explain_fused_act(const Options &o) {
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = matrix(o.rows, o.cols, parse_dtype("--type", o.type),
               parse_layout("--layout", o.layout.empty() ? "row" : o.layout), o.lda);
  f.out = matrix(o.rows, o.cols, o.out_type.empty() ? f.x.dtype : parse_dtype("--out-type", o.out_type),
                 parse_layout("--out-layout", o.out_layout), o.ldd);
  f.batch = o.batch;
  f.flags = flags_of(o);
  const std::vector<gpuopt_stage> stages = stages_of(o, o.rows, o.cols);
  f.stages = stages.empty() ? nullptr : stages.data();
  f.stage_count = int32_t(stages.size());
  return explain_args(o, &f);
}

int explain_norm(const Options &o) {
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.norm = parse_norm("--norm", o.norm);
  n.x = matrix(o.rows, o.cols, parse_dtype("--type", o.type),
               parse_layout("--layout", o.layout.empty() ? "row" : o.layout), o.lda);
  n.out = matrix(o.rows, o.cols, o.out_type.empty() ? n.x.dtype : parse_dtype("--out-type", o.out_type),
                 parse_layout("--out-layout", o.out_layout), o.ldd);
  if (o.gamma) n.gamma = matrix(1, o.cols, n.x.dtype, GPUOPT_ROW, 0);
  if (o.beta_vector) n.beta = matrix(1, o.cols, n.x.dtype, GPUOPT_ROW, 0);
  if (o.residual || o.sum) n.residual = n.x;
  if (o.sum) n.sum = matrix(o.rows, o.cols, n.x.dtype, GPUOPT_ROW, 0);
  const bool wide = n.x.dtype == GPUOPT_F64 || n.out.dtype == GPUOPT_F64;
  if (o.statistics) n.statistics = matrix(o.rows, 2, wide ? GPUOPT_F64 : GPUOPT_F32, GPUOPT_ROW, 0);
  n.batch = o.batch;
  n.flags = flags_of(o);
  const std::vector<gpuopt_stage> stages = stages_of(o, o.rows, o.cols);
  n.stages = stages.empty() ? nullptr : stages.data();
  n.stage_count = int32_t(stages.size());
  return explain_args(o, &n);
}

struct Printout {
  const Options *options;
  Table table{{"kernel", "verdict", "predicted us", "workspace", "reason"}};
  std::string json;
  size_t count = 0;
};

void take_candidate(void *user, const gpuopt_candidate *c) {
  static const char *const verdicts[] = {"rejected", "accepted", "CHOSEN"};
  static const char *const hows[] = {"", "forced", "tuned", "predicted", "cpu fallback"};
  Printout &out = *static_cast<Printout *>(user);
  if (out.options->rejected_only && c->verdict != GPUOPT_VERDICT_REJECTED) return;
  char us[32] = "-";
  if (c->predicted_us > 0) std::snprintf(us, sizeof us, "%.4g", c->predicted_us);
  std::string reason = c->text ? c->text : "";
  if (c->verdict == GPUOPT_VERDICT_CHOSEN) reason = std::string(hows[c->how]) + (reason.empty() ? "" : "; " + reason);
  out.table.add(
      {c->kernel, verdicts[c->verdict], us, c->workspace_bytes ? std::to_string(c->workspace_bytes) : "-", reason});
  char prediction[40];
  std::snprintf(prediction, sizeof prediction, "%.6g", c->predicted_us > 0 ? c->predicted_us : 0);
  out.json +=
      (out.count++ ? ",\n  " : "  ") + ("{\"kernel\": " + json_string(c->kernel)) +
      ", \"verdict\": " + json_string(lowered(verdicts[c->verdict])) + ", \"how\": " + json_string(hows[c->how]) +
      ", \"reject\": " + json_string(gpuopt_reject_name(c->reject)) + ", \"operand\": " + std::to_string(c->operand) +
      ", \"have\": " + std::to_string(c->have) + ", \"need\": " + std::to_string(c->need) +
      ", \"predicted_us\": " + prediction + ", \"workspace_bytes\": " + std::to_string(c->workspace_bytes) +
      ", \"text\": " + json_string(c->text ? c->text : "") + "}";
}

int explain_args(const Options &o, const void *args) {
  gpuopt_explain_options e = GPUOPT_EXPLAIN_OPTIONS_INIT;
  for (int i = 0; i < 7; ++i) e.align[i] = o.align;
  e.align[7] = o.stage_align ? o.stage_align : o.align;
  e.capturing = o.capturing;
  e.any_build = o.any_build;
  if (o.space == "device")
    e.space = GPUOPT_SPACE_DEVICE;
  else if (o.space == "host")
    e.space = GPUOPT_SPACE_HOST;
  else if (o.space != "auto")
    reject_word("--space", o.space, "must be one of: auto, device, host");
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  if (!o.pretend.empty()) {
    if (gpuopt_pretend_device(o.pretend.c_str(), &facts) != GPUOPT_OK)
      reject_word("--pretend", o.pretend, gpuopt_last_error());
    e.pretend = &facts;
  }
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  options.device = parse_device(o.device);
  options.kernel = o.kernel.empty() ? nullptr : o.kernel.c_str();
  options.disable = o.disable.empty() ? nullptr : o.disable.c_str();
  gpuopt_handle *handle = nullptr;
  if (gpuopt_create(&handle, &options) != GPUOPT_OK) {
    std::fprintf(stderr, "gpuopt explain: %s\n", gpuopt_last_error());
    return kFailure;
  }
  if (o.pretend.empty()) gpuopt_get_device(handle, &facts);
  Printout out;
  out.options = &o;
  out.table.align_right(2);
  out.table.align_right(3);
  const gpuopt_status s = gpuopt_explain(handle, args, &e, take_candidate, &out);
  const std::string error = s == GPUOPT_OK ? "" : gpuopt_last_error();
  gpuopt_destroy(handle);
  if (o.json) {
    std::printf("{\"status\": %s, \"error\": %s, \"device\": %s, \"candidates\": [\n%s\n]}\n",
                json_string(gpuopt_status_name(s)).c_str(), json_string(error).c_str(), json_string(facts.name).c_str(),
                out.json.c_str());
  } else {
    if (facts.cc)
      std::printf("device: %s (sm_%d)\n", facts.name, facts.cc);
    else
      std::printf("device: %s\n", facts.name);
    if (s != GPUOPT_INVALID_ARGUMENT) out.table.print();
  }
  if (s == GPUOPT_OK) return kOk;
  std::fprintf(stderr, "gpuopt explain: %s: %s\n", gpuopt_status_name(s), error.c_str());
  return s == GPUOPT_INVALID_ARGUMENT ? kUsage : kFailure;
}

void add_alignment(CLI::App *verb, const std::string &name, int32_t *value, const std::string &help) {
  verb->add_option_function<std::string>(
          name, [=](const std::string &text) { *value = parse_alignment(name, text); }, help)
      ->type_name("INT");
}

void add_number(CLI::App *verb, const std::string &name, double *value, const std::string &help) {
  verb->add_option_function<std::string>(
          name, [=](const std::string &text) { *value = parse_number(name, text); }, help)
      ->type_name("FLOAT");
}

void add_common(CLI::App *verb, const std::shared_ptr<Options> &o) {
  add_plugin_option(verb);
  add_integer(verb, "--batch", &o->batch, 0, kMostExtent, "Matrices in the batch");
  add_alignment(verb, "--align", &o->align, "Bytes that every base address is a multiple of (default 256)");
  verb->add_option("--pretend", o->pretend,
                   "Facts of another device: none, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120");
  verb->add_option("--device", o->device, "auto, cpu, or a CUDA ordinal");
  verb->add_option("--space", o->space, "Where the data is: auto, device, host");
  verb->add_option("--force", o->kernel, "Force this kernel, as GPUOPT_KERNEL does");
  verb->add_option("--disable", o->disable, "Disable kernels by glob, as GPUOPT_DISABLE does");
  verb->add_flag("--any-build", o->any_build, "As if every kernel had been compiled for the device");
  verb->add_flag("--capturing", o->capturing, "As inside a stream capture");
  verb->add_flag("--allow-nondeterministic", o->nondeterministic, "Set GPUOPT_ALLOW_NONDETERMINISTIC");
  verb->add_flag("--rejected", o->rejected_only, "Show rejected candidates only");
  verb->add_flag("--json", o->json, "As JSON");
}

void add_matrix(CLI::App *verb, const std::shared_ptr<Options> &o) {
  add_integer(verb, "--rows", &o->rows, 0, kMostExtent, "Rows of the input")->required();
  add_integer(verb, "--cols", &o->cols, 0, kMostExtent, "Columns of the input")->required();
  verb->add_option("--type", o->type, "Data type of the input (f32)");
  verb->add_option("--layout", o->layout, "row or col, of the input");
  add_integer(verb, "--ld", &o->lda, 0, kMostExtent, "Leading dimension of the input, in elements; 0: packed");
}

void add_stages(CLI::App *verb, const std::shared_ptr<Options> &o) {
  verb->add_option("--stage", o->stages, "One stage of the chain, in order, repeatable: " + stage_syntax());
  add_alignment(verb, "--stage-align", &o->stage_align, "As --align, for the stages' operands");
}

}  // namespace

void add_explain(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<Options>();
  CLI::App *explain = app.add_subcommand("explain", "Every candidate for a problem: verdict, reason, predicted time");
  explain->require_subcommand(1);

  CLI::App *gemm = explain->add_subcommand("gemm", "D = stages(alpha * A * B + beta * C)");
  add_integer(gemm, "--m", &o->m, 0, kMostExtent, "Rows of A and D")->required();
  add_integer(gemm, "--n", &o->n, 0, kMostExtent, "Columns of B and D")->required();
  add_integer(gemm, "--k", &o->k, 0, kMostExtent, "Columns of A, rows of B")->required();
  gemm->add_option("--type", o->type, "Data type of A and B (f32)");
  gemm->add_option("--a-type", o->a_type, "Data type of A alone");
  gemm->add_option("--b-type", o->b_type, "Data type of B alone");
  gemm->add_option("--c-type", o->c_type, "Data type of C (the table's for these inputs)");
  gemm->add_option("--d-type", o->d_type, "Data type of D (the table's for these inputs)");
  gemm->add_option("--compute", o->compute, "Compute type: default, f32, tf32, f32_tensor, f64, i32, f16, f8_fast");
  gemm->add_option("--layout", o->layout,
                   "nn, nt, tn, tt: n row-major, t the transposed view (column-major), of A and B");
  gemm->add_option("--c-layout", o->c_layout, "row or col");
  gemm->add_option("--d-layout", o->d_layout, "row or col");
  add_integer(gemm, "--lda", &o->lda, 0, kMostExtent, "Leading dimension in elements; 0: packed");
  add_integer(gemm, "--ldb", &o->ldb, 0, kMostExtent, "Leading dimension in elements; 0: packed");
  add_integer(gemm, "--ldc", &o->ldc, 0, kMostExtent, "Leading dimension in elements; 0: packed");
  add_integer(gemm, "--ldd", &o->ldd, 0, kMostExtent, "Leading dimension in elements; 0: packed");
  add_number(gemm, "--alpha", &o->alpha, "1");
  add_number(gemm, "--beta", &o->beta, "0: C is not read");
  gemm->add_flag("--scalar-pointers", o->scalar_pointers, "alpha is given by pointer");
  gemm->add_flag("--scaled", o->scaled, "A and B have a scale (fp8)");
  gemm->add_flag("--shared-b", o->shared, "B has batch stride 0");
  gemm->add_flag("--allow-intermediate-rounding", o->intermediate_rounding, "Set GPUOPT_ALLOW_INTERMEDIATE_ROUNDING");
  add_stages(gemm, o);
  add_common(gemm, o);
  gemm->callback([o, exit_code] { *exit_code = explain_gemm(*o); });

  CLI::App *transpose = explain->add_subcommand("transpose", "dst = transpose(src)");
  add_matrix(transpose, o);
  transpose->add_option("--out-layout", o->out_layout, "row or col, of dst");
  add_integer(transpose, "--out-ld", &o->ldd, 0, kMostExtent, "Leading dimension of dst");
  transpose->add_flag("--in-place", o->in_place, "dst is src");
  add_common(transpose, o);
  transpose->callback([o, exit_code] { *exit_code = explain_transpose(*o); });

  CLI::App *reduce = explain->add_subcommand("reduce", "One value per row, per column, or per matrix");
  add_matrix(reduce, o);
  reduce->add_option("--reduce", o->reduce, "sum, mean, min, max, prod, sumsq, nrm2, asum, argmin, argmax, dot");
  reduce->add_option("--axis", o->axis, "row (each row), col (each column), all");
  reduce->add_option("--out-type", o->out_type, "Data type of the result");
  reduce->add_flag("--value", o->value, "argmin, argmax: the value too");
  reduce->add_flag("--batch-invariant", o->batch_invariant, "Set GPUOPT_REQUIRE_BATCH_INVARIANT");
  add_common(reduce, o);
  reduce->callback([o, exit_code] { *exit_code = explain_reduce(*o); });

  CLI::App *fused = explain->add_subcommand("fused_act", "out = stages(x)");
  add_matrix(fused, o);
  fused->add_option("--out-type", o->out_type, "Data type of the result (the input's)");
  fused->add_option("--out-layout", o->out_layout, "row or col, of out");
  add_integer(fused, "--out-ld", &o->ldd, 0, kMostExtent, "Leading dimension of out");
  add_stages(fused, o);
  add_common(fused, o);
  fused->callback([o, exit_code] { *exit_code = explain_fused_act(*o); });

  CLI::App *norm = explain->add_subcommand("norm", "out = stages(norm of each row)");
  add_matrix(norm, o);
  norm->add_option("--norm", o->norm, "layernorm, rmsnorm, softmax, log_softmax");
  norm->add_option("--out-type", o->out_type, "Data type of the result (the input's)");
  norm->add_option("--out-layout", o->out_layout, "row or col, of out");
  add_integer(norm, "--out-ld", &o->ldd, 0, kMostExtent, "Leading dimension of out");
  norm->add_flag("--gamma", o->gamma, "With gamma");
  norm->add_flag("--beta", o->beta_vector, "With beta");
  norm->add_flag("--residual", o->residual, "A residual is added before the norm");
  norm->add_flag("--sum", o->sum, "... and the sum is written too");
  norm->add_flag("--statistics", o->statistics, "With statistics");
  add_stages(norm, o);
  add_common(norm, o);
  norm->callback([o, exit_code] { *exit_code = explain_norm(*o); });
}

}  // namespace gpuopt_cli
