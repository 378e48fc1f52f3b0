// `gpuopt run`: one call, on data of a distribution or of files: which kernel ran it, how long, and how far it is from the truth.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <stdexcept>

#include "bench_timer.h"
#include "call_source.h"
#include "commands.h"
#include "common_options.h"
#include "data_file.h"
#include "deviation.h"
#include "gpuopt_call/work.h"
#include "json.h"
#include "numbers.h"
#include "operand_fill.h"
#include "output.h"
#include "progress.h"
#include "samples.h"
#include "session.h"
#include "text.h"
#include "verdicts.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

constexpr int64_t kMostOperandBytes = int64_t{1} << 34;

struct RunArguments {
  std::shared_ptr<CallSource> source = std::make_shared<CallSource>();
  std::string device = "auto", force, tune_cache, data = "normal";
  std::vector<std::string> read, write;  // NAME=FILE
  uint64_t seed = 1;
  int64_t repeat = 5;
  bool unchecked = false, json = false, csv = false;
};

struct File {
  std::string operand, path;
};

File parse_file(const std::string &argument, const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    reject_word(argument, text, "must be written as OPERAND=FILE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

gpuopt_check::Tensor *operand_of(const std::string &argument, const File &file, gpuopt_check::Problem *p, bool output) {
  gpuopt_check::Tensor *const t = gpuopt_check::find_tensor(p, file.operand);
  if (!t || !t->present()) reject_word(argument, file.operand, "must be an operand of the call");
  if (t->output != output)
    reject_word(argument, file.operand,
                output ? "must be an operand that the call writes" : "must be one that it reads");
  if (!is_data_file(file.path)) reject_word(argument, file.path, "must end in .npy or .csv");
  return t;
}

gpuopt_check::Problem make_problem(const RunArguments &o, const gpuopt_call::Call &call) {
  if (gpuopt_check::image_bytes(call) > kMostOperandBytes)
    throw CLI::ValidationError("the call", "must have operands within " + std::to_string(kMostOperandBytes) + " bytes");
  gpuopt_check::Problem p = gpuopt_check::problem_of(call, parse_data("--data", o.data), o.seed);
  std::set<std::string> read;
  for (const std::string &text : o.read) {
    const File file = parse_file("--read", text);
    if (!read.insert(file.operand).second) reject_word("--read", file.operand, "must be given one file");
    const gpuopt_check::Tensor *const t = operand_of("--read", file, &p, false);
    try {
      take_data(file.path, read_data(file.path), *t, &p);
    } catch (const std::runtime_error &bad) {
      throw CLI::ValidationError("--read", bad.what());
    }
  }
  for (const std::string &text : o.write) {
    const File file = parse_file("--write", text);
    operand_of("--write", file, &p, true);
    OutputFile("run", "--write", file.path);  // a bad path is refused before the call is made
  }
  return p;
}

struct Ran {
  std::string problem, note;
  gpuopt_device_facts device = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_measure::Samples times;
  gpuopt_check::Deviation deviation;
  double flops = 0;
};

// kOk, or the exit code of a call that did not run.
int run_problem(const RunArguments &o, gpuopt_handle *handle, const gpuopt_check::Problem &p, Ran *ran) {
  gpuopt_check::Session session(handle);
  Progress progress("run");
  progress.show("the call");
  const char *const forced = std::getenv("GPUOPT_KERNEL");
  const std::string kernel = !o.force.empty() ? o.force : forced ? forced : "";
  const gpuopt_check::Outcome first = session.run(p, kernel);
  if (first.status != GPUOPT_OK) {
    std::fprintf(stderr, "gpuopt run: %s: %s\n", gpuopt_status_name(first.status), first.error.c_str());
    return first.status == GPUOPT_INVALID_ARGUMENT ? kUsage : kFailure;
  }
  gpuopt_last_kernel(handle, &ran->info);
  progress.show("the truth, and how far the results are from it");
  if (!o.unchecked) ran->deviation = gpuopt_check::deviation(p, gpuopt_check::find_truth(p), first.after);
  for (const std::string &text : o.write) {
    const File file = parse_file("--write", text);
    const gpuopt_check::Tensor &written = *gpuopt_check::find_tensor(p, file.operand);
    if (!OutputFile("run", "--write", file.path).write(data_text(file.path, p, written, first.after))) return kFailure;
  }
  gpuopt_set_profiling(handle, ran->device.cc != 0);
  for (int64_t i = 0; i < o.repeat; ++i) {
    progress.show(static_cast<size_t>(i) + 1, static_cast<size_t>(o.repeat), "timed calls");
    if (session.upload(p) != GPUOPT_OK || gpuopt_synchronize(handle) != GPUOPT_OK ||
        gpuopt_reset_counters(handle) != GPUOPT_OK)
      throw_last_error();
    const gpuopt_check::Outcome again = session.call(p, kernel);
    if (again.status != GPUOPT_OK) throw std::runtime_error(again.error);
    ran->times.add(counted_us(handle));
  }
  return kOk;
}

void print(const RunArguments &o, const Ran &r) {
  const gpuopt_check::Deviation &d = r.deviation;
  const double us = r.times.count() ? r.times.quantile(0.5) : 0;
  const std::string kernel = r.info.kernel ? r.info.kernel : "";  // nullptr of a call without output
  const Json json = {{"problem", r.problem},
                     {"device", r.device.name},
                     {"note", r.note},
                     {"kernel", kernel},
                     {"how", how_name(r.info.how)},
                     {"predicted_us", r.info.predicted_us},
                     {"workspace_bytes", r.info.workspace_bytes},
                     {"us", r.times.count() ? Json(us) : Json(nullptr)},
                     {"calls", r.times.count()},
                     {"right", o.unchecked ? Json(nullptr) : Json(d.wrong.empty())},
                     {"wrong", d.wrong},
                     {"checked", d.checked},
                     {"sampled", d.sampled},
                     {"largest_error", d.largest},
                     {"relative_error", d.relative},
                     {"share_of_error_class", d.share}};
  if (o.json) return print_json(json);
  if (o.csv) return print_csv(Json::array({json}));
  std::printf("%s\ndevice: %s\n", r.problem.c_str(), r.device.name);
  if (!r.note.empty()) std::printf("%s\n", r.note.c_str());
  if (kernel.empty())
    std::printf("kernel: none, for the call writes nothing\n");
  else
    std::printf("kernel: %s (%s%s)\n", kernel.c_str(), how_name(r.info.how),
                r.info.predicted_us > 0 ? formatted(r.info.predicted_us, ", %.2f us predicted").c_str() : "");
  if (r.times.count())
    std::printf("time: %.2f us in the kernel, median of %zu%s\n", us, r.times.count(),
                r.flops > 0 && us > 0 ? formatted(r.flops / us * 1e-6, "; %.4g TFLOP/s").c_str() : "");
  if (o.unchecked)
    std::printf("not checked\n");
  else if (!d.wrong.empty())
    std::printf("%s: %s\n", painted("WRONG", Style::bad).c_str(), d.wrong.c_str());
  else
    std::printf("right: %lld elements%s; largest error %.3g, %.3g of the largest value, %.3g of what is allowed\n",
                static_cast<long long>(d.checked), d.sampled ? " of a sample of rows" : "", d.largest, d.relative,
                d.share);
}

int run(const RunArguments &o) {
  const std::vector<gpuopt_call::Call> calls = calls_of(*o.source);
  if (calls.size() != 1)
    throw CLI::ValidationError("the call", "must be one; these are " + std::to_string(calls.size()));
  gpuopt_call::Call call = calls[0];
  Ran ran;
  size_t length = 0;
  if (gpuopt_call_text(call.args(), nullptr, nullptr, 0, &length) != GPUOPT_OK) {
    std::fprintf(stderr, "gpuopt run: %s\n", gpuopt_last_error());
    return kUsage;
  }
  ran.problem = text_or_nothing(call);
  ran.flops = gpuopt_call::flops_of(call);
  TimerOptions t;
  t.device = parse_device(o.device);
  t.tune_cache = o.tune_cache;
  const gpuopt_check::Problem problem = make_problem(o, call);
  const std::unique_ptr<gpuopt_handle, void (*)(gpuopt_handle *)> handle(make_handle(t, nullptr), gpuopt_destroy);
  gpuopt_get_device(handle.get(), &ran.device);
  if (ran.device.cc != 0 && (call.captured || call.space == GPUOPT_SPACE_HOST))
    ran.note = "run outside of a capture, with its data in the device's memory";
  const int code = run_problem(o, handle.get(), problem, &ran);
  if (code != kOk) return code;
  print(o, ran);
  return ran.deviation.wrong.empty() ? kOk : kFailure;
}

}  // namespace

void add_run(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<RunArguments>();
  CLI::App *verb = app.add_subcommand("run", "One call: which kernel runs it, how long, how far from the truth");
  const auto more = [o](CLI::App *v) {
    add_plugin_option(v);
    v->add_option("--read", o->read, "OPERAND=FILE: values from an .npy or .csv file, repeatable");
    v->add_option("--write", o->write, "OPERAND=FILE: what the call wrote, to an .npy or .csv file, repeatable");
    add_data(v, &o->data, "the other operands");
    add_seed(v, &o->seed, "those values");
    add_choice(v, &o->force, &o->tune_cache);
    add_device(v, &o->device);
    add_integer(v, "--repeat", &o->repeat, 0, 1000000, "Timed calls after the first (5)");
    v->add_flag("--unchecked", o->unchecked,
                "The results are not held to the oracle, which takes long for large problems");
    add_formats(v, &o->json, &o->csv);
  };
  add_call_source(verb, o->source, more, [o, exit_code] { *exit_code = run(*o); });
}

}  // namespace gpuopt_cli
