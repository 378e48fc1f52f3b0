// `gpuopt explain`: every candidate for a call, its verdict, its reason, its predicted time. The call is given by options, or by
// its text; or it is every call of a log (explain_log.cpp).
#include "explain.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "commands.h"
#include "numbers.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {

Explainer::Explainer(const ExplainOptions &o) {
  for (int i = 0; i < 7; ++i) stated_.align[i] = o.align;
  stated_.align[7] = o.stage_align ? o.stage_align : o.align;
  stated_.capturing = o.capturing;
  stated_.any_build = o.any_build;
  if (o.space == "device")
    stated_.space = GPUOPT_SPACE_DEVICE;
  else if (o.space == "host")
    stated_.space = GPUOPT_SPACE_HOST;
  else if (o.space != "auto")
    reject_word("--space", o.space, "must be one of: auto, device, host");
  const bool pretends = !o.pretend.empty();
  if (pretends && gpuopt_pretend_device(o.pretend.c_str(), &facts_) != GPUOPT_OK)
    reject_word("--pretend", o.pretend, gpuopt_last_error());
  if (pretends) stated_.pretend = &facts_;
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  options.device = parse_device(o.device);
  options.kernel = o.kernel.empty() ? nullptr : o.kernel.c_str();
  options.disable = o.disable.empty() ? nullptr : o.disable.c_str();
  gpuopt_handle *handle = nullptr;
  if (gpuopt_create(&handle, &options) != GPUOPT_OK) throw std::runtime_error(gpuopt_last_error());
  handle_.reset(handle);
  if (!pretends) gpuopt_get_device(handle, &facts_);
}

gpuopt_status Explainer::explain(gpuopt_call::Call call, gpuopt_explain_fn fn, void *user) {
  const gpuopt_explain_options of_call = call.assumptions(facts_);
  gpuopt_explain_options all = stated_;
  if (all.space == GPUOPT_SPACE_QUERY) all.space = of_call.space;
  all.capturing |= of_call.capturing;
  return gpuopt_explain(handle_.get(), call.args(), &all, fn, user);
}

namespace {

using Options = ExplainOptions;

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

int explain_call(const Options &o, const gpuopt_call::Call &call) {
  Explainer explainer(o);
  const gpuopt_device_facts &facts = explainer.facts();
  Printout out;
  out.options = &o;
  out.table.align_right(2);
  out.table.align_right(3);
  const gpuopt_status s = explainer.explain(call, take_candidate, &out);
  const std::string error = s == GPUOPT_OK ? "" : gpuopt_last_error();
  if (o.json) {
    std::printf("{\"status\": %s, \"error\": %s, \"device\": %s, \"candidates\": [\n%s\n]}\n",
                json_string(gpuopt_status_name(s)).c_str(), json_string(error).c_str(), json_string(facts.name).c_str(),
                out.json.c_str());
  } else {
    const char *const pretended = o.pretend.empty() ? "" : ", pretended";
    if (facts.cc)
      std::printf("device: %s (sm_%d)%s\n", facts.name, facts.cc, pretended);
    else
      std::printf("device: %s%s\n", facts.name, pretended);
    if (s != GPUOPT_INVALID_ARGUMENT) out.table.print();
  }
  if (s == GPUOPT_OK) return kOk;
  std::fprintf(stderr, "gpuopt explain: %s: %s\n", gpuopt_status_name(s), error.c_str());
  return s == GPUOPT_INVALID_ARGUMENT ? kUsage : kFailure;
}

// The call of an op's own verb.
int explain_options(const Options &o, int32_t op) {
  if (!o.problem.empty() || !o.log.empty())
    throw CLI::ValidationError(o.problem.empty() ? "--log" : "--problem",
                               "says which operation: it takes the place of '" + std::string(gpuopt_op_name(op)) + "'");
  CallOptions call = o.call;
  call.op = op;
  return explain_call(o, make_call(call));
}

int explain_text(const Options &o) {
  if (o.problem.empty() == o.log.empty())
    throw CLI::ValidationError("explain", "takes one of: gemm, transpose, reduce, fused_act, norm, --problem, --log");
  return o.log.empty() ? explain_call(o, parse_call("--problem", o.problem)) : explain_log(o);
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

// What is assumed of device, handle and output, whatever the call.
void add_assumptions(CLI::App *verb, const std::shared_ptr<Options> &o) {
  add_plugin_option(verb);
  verb->add_option("--pretend", o->pretend,
                   "Facts of another device: none, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120");
  verb->add_option("--device", o->device, "auto, cpu, or a CUDA ordinal");
  verb->add_option("--space", o->space, "Where the data is: auto, device, host");
  verb->add_option("--force", o->kernel, "Force this kernel, as GPUOPT_KERNEL does");
  verb->add_option("--disable", o->disable, "Disable kernels by glob, as GPUOPT_DISABLE does");
  verb->add_flag("--any-build", o->any_build, "As if every kernel had been compiled for the device");
  verb->add_flag("--capturing", o->capturing, "As inside a stream capture");
  verb->add_flag("--rejected", o->rejected_only, "Show rejected candidates only");
  verb->add_flag("--json", o->json, "As JSON");
}

void add_common(CLI::App *verb, const std::shared_ptr<Options> &o) {
  add_integer(verb, "--batch", &o->call.batch, 0, kMostExtent, "Matrices in the batch");
  add_alignment(verb, "--align", &o->align, "Bytes that every base address is a multiple of (default 256)");
  add_assumptions(verb, o);
  verb->add_flag("--allow-nondeterministic", o->call.nondeterministic, "Set GPUOPT_ALLOW_NONDETERMINISTIC");
}

void add_matrix(CLI::App *verb, const std::shared_ptr<Options> &o) {
  add_integer(verb, "--rows", &o->call.rows, 0, kMostExtent, "Rows of the input")->required();
  add_integer(verb, "--cols", &o->call.cols, 0, kMostExtent, "Columns of the input")->required();
  verb->add_option("--type", o->call.type, "Data type of the input (f32)");
  verb->add_option("--layout", o->call.layout, "row or col, of the input");
  add_integer(verb, "--ld", &o->call.lda, 0, kMostExtent, "Leading dimension of the input, in elements; 0: packed");
}

void add_stages(CLI::App *verb, const std::shared_ptr<Options> &o) {
  verb->add_option("--stage", o->call.stages, "One stage of the chain, in order, repeatable: " + stage_syntax());
  add_alignment(verb, "--stage-align", &o->stage_align, "As --align, for the stages' operands");
}

}  // namespace

void add_explain(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<Options>();
  CLI::App *explain = app.add_subcommand("explain", "Every candidate for a problem: verdict, reason, predicted time");
  explain->require_subcommand(0, 1);
  explain->add_option("--problem", o->problem, "The call as text, as the log has it (docs/call-text.md)");
  explain->add_option("--log", o->log, "Every problem of an application's log, most time first; -: standard input");
  add_integer(explain, "--top", &o->top, 1, kMostExtent, "With --log: so many problems (20; in JSON all)");
  add_assumptions(explain, o);
  explain->callback([explain, o, exit_code] {
    if (explain->get_subcommands().empty()) *exit_code = explain_text(*o);
  });

  CLI::App *gemm = explain->add_subcommand("gemm", "D = stages(alpha * A * B + beta * C)");
  add_integer(gemm, "--m", &o->call.m, 0, kMostExtent, "Rows of A and D")->required();
  add_integer(gemm, "--n", &o->call.n, 0, kMostExtent, "Columns of B and D")->required();
  add_integer(gemm, "--k", &o->call.k, 0, kMostExtent, "Columns of A, rows of B")->required();
  gemm->add_option("--type", o->call.type, "Data type of A and B (f32)");
  gemm->add_option("--a-type", o->call.a_type, "Data type of A alone");
  gemm->add_option("--b-type", o->call.b_type, "Data type of B alone");
  gemm->add_option("--c-type", o->call.c_type, "Data type of C (the table's for these inputs)");
  gemm->add_option("--d-type", o->call.d_type, "Data type of D (the table's for these inputs)");
  gemm->add_option("--compute", o->call.compute,
                   "Compute type: default, f32, tf32, f32_tensor, f64, i32, f16, f8_fast");
  gemm->add_option("--layout", o->call.layout,
                   "nn, nt, tn, tt: n row-major, t the transposed view (column-major), of A and B");
  gemm->add_option("--c-layout", o->call.c_layout, "row or col");
  gemm->add_option("--d-layout", o->call.d_layout, "row or col");
  add_integer(gemm, "--lda", &o->call.lda, 0, kMostExtent, "Leading dimension in elements; 0: packed");
  add_integer(gemm, "--ldb", &o->call.ldb, 0, kMostExtent, "Leading dimension in elements; 0: packed");
  add_integer(gemm, "--ldc", &o->call.ldc, 0, kMostExtent, "Leading dimension in elements; 0: packed");
  add_integer(gemm, "--ldd", &o->call.ldd, 0, kMostExtent, "Leading dimension in elements; 0: packed");
  add_number(gemm, "--alpha", &o->call.alpha, "1");
  add_number(gemm, "--beta", &o->call.beta, "0: C is not read");
  gemm->add_flag("--scalar-pointers", o->call.scalar_pointers, "alpha is given by pointer");
  gemm->add_flag("--scaled", o->call.scaled, "A and B have a scale (fp8)");
  gemm->add_flag("--shared-b", o->call.shared, "B has batch stride 0");
  gemm->add_flag("--allow-intermediate-rounding", o->call.intermediate_rounding,
                 "Set GPUOPT_ALLOW_INTERMEDIATE_ROUNDING");
  add_stages(gemm, o);
  add_common(gemm, o);
  gemm->callback([o, exit_code] { *exit_code = explain_options(*o, GPUOPT_OP_GEMM); });

  CLI::App *transpose = explain->add_subcommand("transpose", "dst = transpose(src)");
  add_matrix(transpose, o);
  transpose->add_option("--out-layout", o->call.out_layout, "row or col, of dst");
  add_integer(transpose, "--out-ld", &o->call.ldd, 0, kMostExtent, "Leading dimension of dst");
  transpose->add_flag("--in-place", o->call.in_place, "dst is src");
  add_common(transpose, o);
  transpose->callback([o, exit_code] { *exit_code = explain_options(*o, GPUOPT_OP_TRANSPOSE); });

  CLI::App *reduce = explain->add_subcommand("reduce", "One value per row, per column, or per matrix");
  add_matrix(reduce, o);
  reduce->add_option("--reduce", o->call.reduce, "sum, mean, min, max, prod, sumsq, nrm2, asum, argmin, argmax, dot");
  reduce->add_option("--axis", o->call.axis, "row (each row), col (each column), all");
  reduce->add_option("--out-type", o->call.out_type, "Data type of the result");
  reduce->add_flag("--value", o->call.value, "argmin, argmax: the value too");
  reduce->add_flag("--batch-invariant", o->call.batch_invariant, "Set GPUOPT_REQUIRE_BATCH_INVARIANT");
  add_common(reduce, o);
  reduce->callback([o, exit_code] { *exit_code = explain_options(*o, GPUOPT_OP_REDUCE); });

  CLI::App *fused = explain->add_subcommand("fused_act", "out = stages(x)");
  add_matrix(fused, o);
  fused->add_option("--out-type", o->call.out_type, "Data type of the result (the input's)");
  fused->add_option("--out-layout", o->call.out_layout, "row or col, of out");
  add_integer(fused, "--out-ld", &o->call.ldd, 0, kMostExtent, "Leading dimension of out");
  add_stages(fused, o);
  add_common(fused, o);
  fused->callback([o, exit_code] { *exit_code = explain_options(*o, GPUOPT_OP_FUSED_ACT); });

  CLI::App *norm = explain->add_subcommand("norm", "out = stages(norm of each row)");
  add_matrix(norm, o);
  norm->add_option("--norm", o->call.norm, "layernorm, rmsnorm, softmax, log_softmax");
  norm->add_option("--out-type", o->call.out_type, "Data type of the result (the input's)");
  norm->add_option("--out-layout", o->call.out_layout, "row or col, of out");
  add_integer(norm, "--out-ld", &o->call.ldd, 0, kMostExtent, "Leading dimension of out");
  norm->add_flag("--gamma", o->call.gamma, "With gamma");
  norm->add_flag("--beta", o->call.beta_vector, "With beta");
  norm->add_flag("--residual", o->call.residual, "A residual is added before the norm");
  norm->add_flag("--sum", o->call.sum, "... and the sum is written too");
  norm->add_flag("--statistics", o->call.statistics, "With statistics");
  add_stages(norm, o);
  add_common(norm, o);
  norm->callback([o, exit_code] { *exit_code = explain_options(*o, GPUOPT_OP_NORM); });
}

}  // namespace gpuopt_cli
