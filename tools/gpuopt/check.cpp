// `gpuopt check`: kernels against the oracle, explain against the calls.
#include <cstdio>
#include <memory>
#include <string>

#include "agree.h"
#include "commands.h"
#include "common_options.h"
#include "json.h"
#include "many_kernels.h"
#include "numbers.h"
#include "progress.h"
#include "soak.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

using namespace gpuopt_check;

struct CheckArguments {
  std::string op, kernel = "*", device = "auto", size = "small";
  int64_t problems = 20, first = 0, agree = 0, shown = 3, workspace = 0;
  uint64_t seed = 1;
  int threads = 1, runs = 1;
  int soak_seconds = 0;
  bool no_skip = false, only_random = false, json = false, csv = false;
  bool for_programs() const { return json || csv; }
};

constexpr int64_t kMostProblems = int64_t(1) << 40;

struct CheckTotals {
  int passed = 0, failed = 0, skipped = 0;
  Json rows = Json::array();  // of what was checked
};

Json json_of(const std::string &name, const char *verdict, const std::string &skipped, int64_t declared,
             int64_t accepted, int64_t ran, int64_t refused, const std::vector<std::string> &failures) {
  return {{"name", name},         {"verdict", verdict}, {"skipped", skipped}, {"declared", declared},
          {"accepted", accepted}, {"ran", ran},         {"refused", refused}, {"failures", failures}};
}

Size parse_size(const std::string &word) {
  if (word == "tiny") return Size::tiny;
  if (word == "small") return Size::small;
  if (word == "large") return Size::large;
  reject_word("--size", word, "must be one of: tiny, small, large");
}

void print_failures(const std::vector<std::string> &failures, int64_t shown) {
  for (size_t i = 0; i < failures.size() && int64_t(i) < shown; ++i) std::printf("        %s\n", failures[i].c_str());
  if (int64_t(failures.size()) > shown) std::printf("        and %zu more\n", failures.size() - size_t(shown));
}

void print_kernel_report(const gpuopt_kernel &k, const KernelReport &r, const CheckArguments &o, CheckTotals *totals) {
  const bool skipped = !r.skipped.empty(), failed = r.failed() || (skipped && o.no_skip);
  ++(failed ? totals->failed : skipped ? totals->skipped : totals->passed);
  if (o.for_programs()) {
    std::vector<std::string> failures = r.acceptance.failures;
    failures.insert(failures.end(), r.failures.begin(), r.failures.end());
    totals->rows.push_back(json_of(k.name,
                                   failed    ? "failed"
                                   : skipped ? "skipped"
                                             : "passed",
                                   r.skipped, r.acceptance.declared, r.acceptance.accepted, r.acceptance.ran + r.ran,
                                   r.refused, failures));
    return;
  }
  std::string line = std::string(failed ? "FAIL" : skipped ? "skip" : "ok  ") + "  " + k.name;
  line.resize(line.size() < 44 ? 44 : line.size(), ' ');
  if (r.acceptance.declared)
    line += "  declared " + std::to_string(r.acceptance.accepted) + "/" + std::to_string(r.acceptance.declared);
  if (skipped)
    line += std::string(r.acceptance.declared ? " (explained only)" : "") + "  " + r.skipped;
  else
    line += "  ran " + std::to_string(r.acceptance.ran) + " and " + std::to_string(r.ran) + " random, refused " +
            std::to_string(r.refused);
  std::printf("%s\n", line.c_str());
  print_failures(r.acceptance.failures, o.shown);
  print_failures(r.failures, o.shown);
  std::fflush(stdout);
}

// False when no kernel matches. error: what kept the machine from being used.
bool check_kernels(const CheckArguments &o, int32_t op, CheckTotals *totals, std::string *error) {
  CheckOptions c;
  c.seed = o.seed;
  c.first = o.first;
  c.problems = o.problems;
  c.runs = o.runs;
  c.declared = !o.only_random;
  c.workspace_limit = size_t(o.workspace);
  c.size = parse_size(o.size);
  std::vector<const gpuopt_kernel *> kernels;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel *k = gpuopt_kernel_get(i);
    if ((op == 0 || k->op == op) && matches_kernel(o.kernel, *k)) kernels.push_back(k);
  }
  Progress progress("check");
  size_t done = 0;
  if (!kernels.empty()) progress.show(1, kernels.size(), kernels[0]->name);
  *error =
      check_many(parse_device(o.device), kernels, c, o.threads, [&](const gpuopt_kernel &k, const KernelReport &r) {
        progress.clear();
        print_kernel_report(k, r, o, totals);
        if (++done < kernels.size()) progress.show(done + 1, kernels.size(), kernels[done]->name);
      });
  return !kernels.empty();
}

// Explain against forced and automatic calls, on random problems of an op at large.
void check_agreement(Session &session, const char *where, const CheckArguments &o, int32_t op, CheckTotals *totals) {
  const Needs needs = needs_of_op(op);
  int ran = 0, refused = 0;
  std::vector<std::string> failures;
  Progress progress("check --agree");
  for (int64_t i = o.first; i < o.first + o.agree; ++i) {
    progress.show(static_cast<size_t>(i - o.first) + 1, static_cast<size_t>(o.agree), gpuopt_op_name(op));
    const Problem p = random_problem(needs, "agree", o.seed, i, parse_size(o.size), kAllHardRows);
    const Agreement a = agree(session, p);
    ran += a.ran;
    refused += a.refused;
    for (const std::string &f : a.failures)
      failures.push_back(f + " in problem " + std::to_string(i) + ": " + p.text());
  }
  progress.clear();
  if (ran == 0) failures.push_back("no kernel runs any of the problems");  // where all is refused, nothing is compared
  ++(failures.empty() ? totals->passed : totals->failed);
  if (o.for_programs()) {
    totals->rows.push_back(json_of(std::string("agree ") + gpuopt_op_name(op) + " on the " + where,
                                   failures.empty() ? "passed" : "failed", "", 0, 0, ran, refused, failures));
    return;
  }
  std::printf("%s  agree %s on the %s: %lld problems, %d calls ran, %d refused as explained\n",
              failures.empty() ? "ok  " : "FAIL", gpuopt_op_name(op), where, static_cast<long long>(o.agree), ran,
              refused);
  print_failures(failures, o.shown);
  std::fflush(stdout);
}

// What was checked, for programs.
void print_checked(const CheckArguments &o, int passed, int failed, int skipped, const Json &rows) {
  if (o.json)
    print_json({{"build", gpuopt_build_info()},
                {"seed", o.seed},
                {"passed", passed},
                {"failed", failed},
                {"skipped", skipped},
                {"checked", rows}});
  if (o.csv) print_csv(rows);
}

// The same calls by one thread and by many for a while.
int check_soak(const CheckArguments &o) {
  SoakOptions s;
  s.device = parse_device(o.device);
  s.seconds = o.soak_seconds;
  s.threads = o.threads;
  s.seed = o.seed;
  s.size = parse_size(o.size);
  Progress progress("check --soak");
  progress.show("of " + std::to_string(o.soak_seconds));
  const SoakReport r = soak(s);
  progress.clear();
  if (o.for_programs()) {
    const bool good = r.failures.empty();
    const Json row = {{"name", "soak"},
                      {"verdict", good ? "passed" : "failed"},
                      {"problems", r.problems},
                      {"calls", r.calls},
                      {"captured", r.captured},
                      {"threads", o.threads},
                      {"seconds", o.soak_seconds},
                      {"host_bytes", {r.host_bytes[0], r.host_bytes[1]}},
                      {"device_bytes", {r.device_bytes[0], r.device_bytes[1]}},
                      {"owning_graphs", r.owning},
                      {"kept_by_cuda", r.kept_by_cuda},
                      {"failures", r.failures}};
    print_checked(o, good ? 1 : 0, good ? 0 : 1, 0, Json::array({row}));
    return good ? kOk : kFailure;
  }
  const auto megabytes = [](int64_t bytes) { return double(bytes) / (1 << 20); };
  std::printf(
      "%s  soak: %lld calls of %lld problems, %lld captured, by %d threads in %d s; host memory %.1f to %.1f MiB, "
      "device memory %.1f to %.1f MiB; CUDA kept %.0f bytes of the heap for each of %lld graphs that owned memory\n",
      r.failures.empty() ? "ok  " : "FAIL", static_cast<long long>(r.calls), static_cast<long long>(r.problems),
      static_cast<long long>(r.captured), o.threads, o.soak_seconds, megabytes(r.host_bytes[0]),
      megabytes(r.host_bytes[1]), megabytes(r.device_bytes[0]), megabytes(r.device_bytes[1]), r.kept_by_cuda,
      static_cast<long long>(r.owning));
  print_failures(r.failures, o.shown);
  return r.failures.empty() ? kOk : kFailure;
}

int check(const CheckArguments &o) {
  parse_size(o.size);  // what is wrong is told before anything is done
  if (o.soak_seconds > 0) return check_soak(o);
  const int32_t op = o.op.empty() ? 0 : parse_op("--op", o.op);
  const Machine machine(parse_device(o.device), true,
                        size_t(o.workspace));  // a stream of its own, which can be captured
  if (!machine.error().empty()) {
    std::fprintf(stderr, "gpuopt check: %s\n", machine.error().c_str());
    return kFailure;
  }
  if (!o.for_programs())
    std::printf("%s\nseed %llu, %s\n", gpuopt_build_info(), static_cast<unsigned long long>(o.seed),
                machine.gpu() ? "CPU and GPU kernels run" : "no GPU is used: GPU kernels are skipped, not passed");
  std::fflush(stdout);
  CheckTotals totals;
  bool any = false;
  std::string error;
  if (o.problems > 0 || o.agree == 0) any = check_kernels(o, op, &totals, &error);
  if (!error.empty()) {
    std::fprintf(stderr, "gpuopt check: %s\n", error.c_str());
    return kFailure;
  }
  for (int32_t each = GPUOPT_OP_GEMM; o.agree > 0 && each < GPUOPT_OP_COUNT_; ++each) {
    if (op && op != each) continue;
    any = true;
    check_agreement(*machine.cpu(), "CPU", o, each, &totals);
    if (machine.gpu()) check_agreement(*machine.gpu(), "GPU", o, each, &totals);
  }
  if (!any) {
    std::fprintf(stderr, "gpuopt check: --kernel '%s' matches no kernel%s\n", o.kernel.c_str(),
                 op ? " of this op" : "");
    return kUsage;
  }
  print_checked(o, totals.passed, totals.failed, totals.skipped, totals.rows);
  if (o.for_programs()) return totals.failed ? kFailure : kOk;
  std::printf("seed %llu: %d passed, %d failed, %d skipped\n", static_cast<unsigned long long>(o.seed), totals.passed,
              totals.failed, totals.skipped);
  return totals.failed ? kFailure : kOk;
}

}  // namespace

void add_check(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<CheckArguments>();
  CLI::App *verb =
      app.add_subcommand("check", "Every kernel against the oracle: what it declares, and random problems");
  add_plugin_option(verb);
  verb->add_option("--op", o->op, "Only this op: " + op_names());
  verb->add_option("--kernel", o->kernel, "Only kernels whose names match one of these globs (a comma list)");
  add_integer(verb, "--problems", &o->problems, 0, kMostProblems, "Random problems for each kernel (20)");
  add_integer(verb, "--first", &o->first, 0, kMostProblems, "Index of the first random problem, to run one again (0)");
  add_seed(verb, &o->seed, "the problems");
  verb->add_option("--size", o->size, "Extents of random problems: tiny, small, large");
  verb->add_option("--device", o->device, "auto, cpu (no GPU is used), or a CUDA ordinal");
  add_integer(verb, "--threads", &o->threads, 1, 256, "Kernels and problems checked at a time (1)");
  add_integer(verb, "--runs", &o->runs, 1, 1000000,
              "Runs of each random problem, all of which must give the same bits (1)");
  add_integer(
      verb, "--soak", &o->soak_seconds, 1, 86400,
      "In place of all else: for so many seconds --threads threads make random calls, some captured, which must give "
      "the bits that one thread got");
  add_integer(verb, "--agree", &o->agree, 0, kMostProblems,
              "Also compare explain with forced and automatic calls on N random problems per op");
  add_integer(
      verb, "--workspace", &o->workspace, 1, kMostProblems,
      "Bytes of workspace that a call may use, not a handle's 256 MiB; what a kernel declares, it may then refuse");
  add_integer(verb, "--show", &o->shown, 0, kMostProblems, "Failures shown for each kernel (3)");
  verb->add_flag("--random-only", o->only_random, "Leave out what the descriptors declare");
  verb->add_flag("--no-skip", o->no_skip, "A kernel that cannot run on this machine is a failure");
  add_formats(verb, &o->json, &o->csv);
  verb->callback([o, exit_code] { *exit_code = check(*o); });
}

}  // namespace gpuopt_cli
