// `gpuopt lab`: the techniques and experiments of the teaching texts, run here and now.
#include <cstdio>
#include <memory>

#include "commands.h"
#include "common_options.h"
#include "lab_run.h"
#include "nearest.h"
#include "numbers.h"
#include "progress.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

struct LabArguments {
  LabOptions lab;
  std::vector<std::string> ids;
  bool json = false, no_ncu = false;
};

int lab(const LabArguments &o) {
  if (o.ids.size() == 1 && o.ids[0] == "list") {
    print_lab_list(o.json);
    return kOk;
  }
  std::vector<const gpuopt_lab::Experiment *> chosen;
  for (const std::string &id : o.ids) {
    const std::vector<const gpuopt_lab::Experiment *> found = gpuopt_lab::find_experiments(id);
    if (found.empty()) {
      std::vector<std::string> ids = {"list", "all", "triton"};
      for (const gpuopt_lab::Experiment *e : gpuopt_lab::every_experiment()) ids.push_back(e->id);
      reject_word("ID", id, "must be list, all, triton or an experiment; nearest: " + nearest_word(id, ids));
    }
    chosen.insert(chosen.end(), found.begin(), found.end());
  }
  LabOptions options = o.lab;
  options.ncu = !o.no_ncu;
  Lab lab(options);
  std::vector<LabResult> results;
  size_t whole = 0, empty = 0;
  Progress progress("lab");
  for (size_t i = 0; i < chosen.size(); ++i) {
    progress.show(i + 1, chosen.size(), chosen[i]->id);
    results.push_back(lab.run(*chosen[i]));
    whole += results.back().verdict != gpuopt_lab::Verdict::not_run;
    empty += results.back().is_empty();
  }
  progress.clear();
  print_lab(lab, results, o.json);
  if (whole < chosen.size())
    std::fprintf(stderr, "gpuopt lab: %zu of %zu could not be run whole here, for the reasons given\n",
                 chosen.size() - whole, chosen.size());
  return empty < chosen.size() ? kOk : kFailure;
}

}  // namespace

void add_lab(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<LabArguments>();
  CLI::App *verb = app.add_subcommand("lab", "The techniques of the teaching texts, before and after, measured here");
  add_plugin_option(verb);
  verb->add_option("ID", o->ids,
                   "list, all, an experiment (004.1a), all of a section (004.1), or triton: the kernels of a plugin in "
                   "Triton beside ours")
      ->required();
  add_device(verb, &o->lab.device);
  add_positive(verb, "--seconds", &o->lab.seconds, "Measure each kernel for so long (0.2)");
  verb->add_flag("--no-ncu", o->no_ncu, "Compute metrics, also where ncu could count them");
  verb->add_flag("--json", o->json, "As JSON");
  verb->callback([o, exit_code] { *exit_code = lab(*o); });
}

}  // namespace gpuopt_cli
