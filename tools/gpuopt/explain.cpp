// `gpuopt explain`: every candidate for a call, its verdict, its reason, its predicted time. The call is given by options, or by
// its text; or it is every call of a log (explain_log.cpp).
#include "explain.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "call_verbs.h"
#include "commands.h"
#include "common_options.h"
#include "numbers.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {

Explainer::Explainer(const ExplainOptions &o) {
  stated_.capturing = o.capturing;
  stated_.any_build = o.any_build;
  stated_.all_needs = o.all_needs;
  if (o.space == "device")
    stated_.space = GPUOPT_SPACE_DEVICE;
  else if (o.space == "host")
    stated_.space = GPUOPT_SPACE_HOST;
  else if (o.space != "auto")
    reject_word("--space", o.space, "must be one of: auto, device, host");
  const bool pretends = !o.pretend.empty();
  if (pretends) {
    facts_ = parse_pretend(o.pretend);
    stated_.pretend = &facts_;
  }
  wants_gpu_ = !pretends && o.device == "auto";
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  // A device that is pretended needs none: CUDA, which takes a quarter of a second, is not started for it.
  options.device = pretends && o.device == "auto" ? GPUOPT_DEVICE_CPU : parse_device(o.device);
  options.kernel = o.kernel.empty() ? nullptr : o.kernel.c_str();
  options.disable = o.disable.empty() ? nullptr : o.disable.c_str();
  options.tune_cache = o.tune_cache.empty() ? nullptr : o.tune_cache.c_str();
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

std::string Explainer::note(const Verdicts &verdicts) const {
  return facts_.cc != 0 || wants_gpu_ ? build_note(facts_, verdicts) : "";
}

namespace {

using Options = ExplainOptions;

int explain_call(const Options &o, const gpuopt_call::Call &call) {
  Explainer explainer(o);
  Explained found;
  found.device = explainer.facts();
  found.status = explainer.explain(call, Verdicts::take, &found.verdicts);
  if (found.status != GPUOPT_OK) found.error = gpuopt_last_error();
  found.verdicts.sort();
  found.note = explainer.note(found.verdicts);
  print_explained(o, found);
  if (found.status == GPUOPT_OK) return kOk;
  std::fprintf(stderr, "gpuopt explain: %s: %s\n", gpuopt_status_name(found.status), found.error.c_str());
  return found.status == GPUOPT_INVALID_ARGUMENT ? kUsage : kFailure;
}

// The call of an op's own verb.
int explain_options(const Options &o) {
  if (!o.problem.empty() || !o.log.empty())
    throw CLI::ValidationError(
        o.problem.empty() ? "--log" : "--problem",
        "says which operation: it takes the place of '" + std::string(gpuopt_op_name(o.call->op)) + "'");
  return explain_call(o, make_call(*o.call));
}

int explain_text(const Options &o) {
  if (o.problem.empty() == o.log.empty())
    throw CLI::ValidationError("explain", "takes one of: " + op_names() + ", --problem, --log");
  return o.log.empty() ? explain_call(o, parse_call("--problem", o.problem)) : explain_log(o);
}

// What is assumed of device, handle and output, whatever the call.
void add_assumptions(CLI::App *verb, const std::shared_ptr<Options> &o) {
  add_plugin_option(verb);
  verb->add_option("--pretend", o->pretend,
                   "Facts of another device: none, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, t4, a100, a40, "
                   "l40s, h100, h200, b200");
  add_device(verb, &o->device);
  verb->add_option("--space", o->space, "Where the data is: auto, device, host");
  add_choice(verb, &o->kernel, &o->tune_cache);
  verb->add_option("--disable", o->disable, "Disable kernels by glob, as GPUOPT_DISABLE does");
  verb->add_flag("--any-build", o->any_build, "As if every kernel had been compiled for the device");
  verb->add_flag("--capturing", o->capturing, "As inside a stream capture");
  add_integer(verb, "--top", &o->top, 1, kMostExtent,
              "So many kernels that can run (all); with --log: so many problems (20; in JSON all)");
  CLI::Option *rejected = verb->add_flag("--rejected", o->rejected_only, "Show rejected candidates only, each");
  verb->add_flag("--accepted", o->accepted_only, "Show candidates that can run only")->excludes(rejected);
  verb->add_flag("--all-needs", o->all_needs, "Of a rejected kernel all that the call lacks, not the first alone");
  add_formats(verb, &o->json, &o->csv);
}

}  // namespace

void add_explain(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<Options>();
  CLI::App *explain = app.add_subcommand("explain", "Every candidate for a problem: verdict, reason, predicted time");
  explain->require_subcommand(0, 1);
  explain->add_option("--problem", o->problem, "The call as text, as the log has it (docs/call-text.md)");
  explain->add_option("--log", o->log, "Every problem of an application's log, most time first; -: standard input");
  add_assumptions(explain, o);
  explain->callback([explain, o, exit_code] {
    if (explain->get_subcommands().empty()) *exit_code = explain_text(*o);
  });
  CallVerbs verbs;
  verbs.verb = explain;
  verbs.call = o->call;
  verbs.add_more = [o](CLI::App *verb) { add_assumptions(verb, o); };
  verbs.run = [o, exit_code] { *exit_code = explain_options(*o); };
  add_call_verbs(verbs);
#if GPUOPT_CLI_HAVE_DIST
  add_explain_dist(explain, exit_code);
#endif
}

}  // namespace gpuopt_cli
