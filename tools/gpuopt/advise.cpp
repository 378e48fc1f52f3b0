// `gpuopt advise`: what kernels are bound by, from a report of Nsight Compute on any program, and what to do about it.
#include <cstdio>
#include <memory>

#include "advice_text.h"
#include "commands.h"
#include "gpuopt_advise/quantities.h"
#include "ncu.h"
#include "numbers.h"

namespace gpuopt_cli {
namespace {

struct AdviseArguments {
  std::vector<std::string> words;  // files, or with --run the command
  std::string kernel;
  int64_t launches = 20;
  bool run = false, metrics = false, rules = false, json = false;
};

int print_metrics() {
  std::string list;
  for (const std::string &name : gpuopt_advise::wanted_metrics()) list += (list.empty() ? "" : ",") + name;
  std::printf("%s\n", list.c_str());
  return kOk;
}

int fail(const NoReport &why) {
  std::fprintf(stderr, "gpuopt advise: %s\n", why.what());
  return kFailure;
}

int advise(const AdviseArguments &o) {
  if (o.metrics) return print_metrics();
  if (o.rules) {
    print_rules();
    return kOk;
  }
  if (o.words.empty())
    throw CLI::ValidationError(o.run ? "--run" : "FILE",
                               o.run ? "must be followed by -- and a command"
                                     : "must be a report of ncu: ncu --csv --page raw, or --page "
                                       "details, or an .ncu-rep; -: standard input");
  gpuopt_advise::Report report;
  if (o.run) {
    try {
      report = profile_command(o.words, o.launches);
    } catch (const NoReport &failure) {
      return fail(failure);
    }
    return print_report(report, o.kernel, o.json);
  }
  for (const std::string &path : o.words) {
    try {
      gpuopt_advise::Report one = read_report_file(path);
      for (gpuopt_advise::Kernel &k : one.kernels) report.kernels.push_back(std::move(k));
    } catch (const NoNcu &missing) {
      return fail(missing);
    } catch (const NoReport &wrong) {
      throw CLI::ValidationError("FILE", wrong.what());
    }
  }
  return print_report(report, o.kernel, o.json);
}

}  // namespace

void add_advise(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<AdviseArguments>();
  CLI::App *verb =
      app.add_subcommand("advise", "What kernels are bound by, from reports of Nsight Compute, and what to do");
  verb->add_option("FILE", o->words,
                   "What ncu --csv printed (--page raw or details), or an .ncu-rep; -: standard input");
  verb->add_flag("--run", o->run,
                 "What stands behind -- is a command: ncu runs it with the metrics that the rules read");
  add_integer(verb, "--launches", &o->launches, 1, 1000000, "With --run: so many kernel launches (20)");
  verb->add_option("--kernel", o->kernel, "Globs of kernel names; any of a comma list");
  verb->add_flag("--metrics", o->metrics, "Print the metrics that the rules read, for ncu --metrics, and nothing else");
  verb->add_flag("--rules", o->rules, "Print the rules as markdown, and nothing else: docs/rules.md");
  verb->add_flag("--json", o->json, "As JSON");
  verb->callback([o, exit_code] { *exit_code = advise(*o); });
}

}  // namespace gpuopt_cli
