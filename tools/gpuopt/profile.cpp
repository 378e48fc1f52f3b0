// `gpuopt profile KERNEL`: one forced call under Nsight Compute, and what it is bound by; or its timeline by Nsight Systems.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "advice_text.h"
#include "call_source.h"
#include "commands.h"
#include "gpuopt/kernel.h"
#include "ncu.h"
#include "nearest.h"
#include "numbers.h"
#include "program.h"
#include "progress.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

struct ProfileArguments {
  std::shared_ptr<CallSource> source = std::make_shared<CallSource>();
  std::string kernel, device = "auto", data = "uniform", timeline;
  std::vector<std::string> plugins;
  bool json = false;
};

void check_kernel(const std::string &name) {
  if (name.empty()) throw CLI::ValidationError("KERNEL", "must be given before the call: the kernel to force");
  const gpuopt_kernel *const k = gpuopt_kernel_find(name.c_str());
  if (!k) {
    std::vector<std::string> names;
    for (size_t i = 0; i < gpuopt_kernel_count(); ++i) names.push_back(gpuopt_kernel_get(i)->name);
    reject_word("KERNEL", name, "must be a kernel of this build; nearest: " + nearest_word(name, names));
  }
  if (k->flags & GPUOPT_KERNEL_HOST)
    reject_word("KERNEL", name, "must be a kernel that runs on a GPU: Nsight Compute sees no others");
}

// The call, made by this program: what ncu and nsys run.
std::vector<std::string> call_command(const ProfileArguments &o, const std::string &problem, int64_t repeat) {
  std::vector<std::string> words = {own_program(), "run"};
  for (const std::string &plugin : o.plugins) words.insert(words.end(), {"--plugin", plugin});
  words.insert(words.end(), {"--problem", problem, "--force", o.kernel, "--device", o.device, "--data", o.data,
                             "--repeat", std::to_string(repeat), "--unchecked"});
  return words;
}

// A timeline is no report: nsys writes it to a file, and its tables to stdout.
int show_timeline(const ProfileArguments &o, const std::string &problem) {
  const std::string nsys = find_program("nsys");
  if (nsys.empty()) {
    std::fprintf(stderr,
                 "gpuopt profile: %s: it comes with the CUDA toolkit (package nsight-systems), and from "
                 "developer.nvidia.com/nsight-systems\n",
                 found_nowhere("nsys of Nsight Systems").c_str());
    return kFailure;
  }
  setenv("GPUOPT_NVTX", "1", 1);
  std::vector<std::string> words = {nsys,       "profile",  "--trace=cuda,nvtx",     "--stats=true",
                                    "--output", o.timeline, "--force-overwrite=true"};
  const std::vector<std::string> call = call_command(o, problem, 5);
  words.insert(words.end(), call.begin(), call.end());
  const int code = run_lines(words, [](const std::string &line) { std::printf("%s\n", line.c_str()); });
  return code == 0 ? kOk : kFailure;
}

int profile(const ProfileArguments &o) {
  check_kernel(o.kernel);
  const std::vector<gpuopt_call::Call> calls = calls_of(*o.source);
  if (calls.size() != 1)
    throw CLI::ValidationError("the call", "must be one; these are " + std::to_string(calls.size()));
  const std::string problem = text_or_nothing(calls[0]);
  if (problem.empty()) throw CLI::ValidationError("the call", gpuopt_last_error());
  if (!o.timeline.empty()) return show_timeline(o, problem);
  Progress progress("profile");
  progress.show("ncu counts");
  try {
    const auto report = profile_command(call_command(o, problem, 0), 1000);
    progress.clear();
    return print_report(report, "", o.json);
  } catch (const NoReport &failure) {
    progress.clear();
    std::fprintf(stderr, "gpuopt profile: %s\n", failure.what());
    return kFailure;
  }
}

}  // namespace

void add_profile(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<ProfileArguments>();
  CLI::App *verb =
      app.add_subcommand("profile", "One forced call under Nsight Compute, and what its kernels are bound by");
  verb->add_option("KERNEL", o->kernel, "Forced, as GPUOPT_KERNEL does");
  const auto more = [o](CLI::App *v) {
    v->add_option("--device", o->device, "auto, or a CUDA ordinal");
    v->add_option("--data", o->data, "Values of the operands: uniform, normal, zeros");
    v->add_option("--timeline", o->timeline,
                  "A timeline by Nsight Systems instead, of six calls, written to this file");
    add_plugin_option(v, &o->plugins);
    v->add_flag("--json", o->json, "As JSON");
  };
  add_call_source(verb, o->source, more, [o, exit_code] { *exit_code = profile(*o); });
}

}  // namespace gpuopt_cli
