// Every kernel that runs on a GPU, forced by name on the one problem that represents it (representative.h), beside our
// automatic choice, the op's peers and its ceiling: after it a record has a row for every kernel.
#include <algorithm>
#include <cstdio>

#include "plans.h"
#include "representative.h"

namespace gpuopt_bench {
namespace {

constexpr const char *kSuite = "every_kernel";

struct Work {
  std::string problem;
  std::vector<std::string> kernels;
};

// Has another suite of this record a time of the kernel on this problem? One is enough.
bool judged_elsewhere(const Context &context, const Representative &r) {
  const std::string call = call_text(r.problem);
  for (const Record *record : {static_cast<const Record *>(&context.record), context.earlier})
    for (size_t i = 0; record != nullptr && i < record->rows.size(); ++i) {
      const Row &row = record->rows[i];
      const bool ours = row.role == Role::automatic || row.role == Role::kernel;
      if (ours && row.suite != kSuite && row.kernel == r.kernel->name && row.call == call && row.timing.ok() &&
          row.cache == Cache::cold && row.against_ceiling > 0)
        return true;
    }
  return false;
}

// Kernels of the same problem are measured together.
std::vector<Work> work_of(const Context &context, const std::vector<Representative> &all) {
  std::vector<Work> work;
  for (const Representative &r : all) {
    if (r.problem.empty() || !wanted(context.options, r.kernel->name)) continue;
    if (judged_elsewhere(context, r)) continue;
    auto found = std::find_if(work.begin(), work.end(), [&](const Work &w) { return w.problem == r.problem; });
    if (found == work.end()) found = work.insert(found, {r.problem, {}});
    found->kernels.push_back(r.kernel->name);
  }
  return work;
}

bool has_row(const Context &context, const std::string &kernel) {
  return std::any_of(context.record.rows.begin(), context.record.rows.end(),
                     [&](const Row &r) { return r.suite == kSuite && r.kernel == kernel; });
}

}  // namespace

void run_every_kernel(Context &context) {
  gpuopt_device_facts device = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_get_device(context.library.handle(), &device);
  const std::vector<Representative> all = representatives(context.library.handle(), device);
  Context own = context;
  own.options.all_kernels = true;
  for (const Work &w : work_of(context, all)) {
    own.options.kernels = w.kernels;
    Plan plan = plan_problem(kSuite, w.problem);
    plan.names.budget_ms = 30;
    run_plan(own, plan);
    if (left_out(own, plan.names, plan.quick)) continue;
    for (const std::string &kernel : w.kernels)
      if (!has_row(context, kernel)) add_failure(context, plan.names, "did not run", Mode::single, kernel);
  }
  for (const Representative &r : all)
    if (r.problem.empty()) std::printf("no problem for %s: %s\n", r.kernel->name, r.reason.c_str());
}

}  // namespace gpuopt_bench
