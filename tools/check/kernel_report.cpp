#include "kernel_report.h"

#include <algorithm>

#include "batch_invariance.h"

namespace gpuopt_check {
namespace {

uint64_t hash_of(const std::string &text) {  // FNV-1a
  uint64_t h = 0xcbf29ce484222325u;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

bool is_machine_reason(int32_t reject) {
  return reject == GPUOPT_REJECT_ARCH || reject == GPUOPT_REJECT_NO_DEVICE || reject == GPUOPT_REJECT_NO_LIBRARY ||
         reject == GPUOPT_REJECT_DISABLED;
}

// Why no problem at all can run on this machine; empty when one can, or when the reasons are the problems' own.
std::string machine_reason(Session &session, const gpuopt_kernel &kernel) {
  const Needs needs = needs_of_kernel(kernel);
  for (size_t i = 0; i < needs.rows.size() && i < 64; ++i) {
    const Explanation e = session.explain(build_problem(plain_spec(needs, needs.rows[i]), 1));
    const Candidate *c = e.find(kernel.name);
    if (c && c->verdict == GPUOPT_VERDICT_REJECTED && is_machine_reason(c->reject)) return c->text;
  }
  return "";
}

void run_random(Session &session, const gpuopt_kernel &kernel, const CheckOptions &o, KernelReport *report) {
  const Needs needs = needs_of_kernel(kernel);
  if (needs.rows.empty()) return;
  for (int64_t i = o.first; i < o.first + o.problems; ++i) {
    const Problem p = random_problem(needs, kernel.name, o.seed, i, o.size, kAllHardRows);
    const auto fail = [&](const std::string &wrong) {
      report->failures.push_back(wrong + " in problem " + std::to_string(i) + ": " + p.text());
    };
    const Explanation e = session.explain(p);
    const Candidate *c = e.find(kernel.name);
    if (!c) {
      fail("explain does not mention it (" + e.error + ")");
    } else if (c->verdict == GPUOPT_VERDICT_REJECTED) {
      ++report->refused;
    } else {
      ++report->ran;
      const int runs = kernel.flags & GPUOPT_KERNEL_NONDETERMINISTIC ? 1 : std::max(o.runs, i % 4 == 0 ? 2 : 1);
      const std::string wrong = verify(session, p, find_truth(p), kernel.name, runs);
      if (!wrong.empty()) fail(wrong);
    }
  }
}

}  // namespace

Machine::Machine(int32_t device, bool own_stream, size_t workspace_limit) {
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  options.workspace_limit = workspace_limit;
  options.device = GPUOPT_DEVICE_CPU;
  if (gpuopt_create(&cpu_handle_, &options) != GPUOPT_OK) {
    error_ = gpuopt_last_error();
    return;
  }
  cpu_ = std::make_unique<Session>(cpu_handle_);
  if (device == GPUOPT_DEVICE_CPU) return;
  options.device = device == GPUOPT_DEVICE_AUTO ? 0 : device;
  options.cpu_fallback = GPUOPT_FALLBACK_NEVER;
  if (own_stream) options.stream = reinterpret_cast<CUstream_st *>(uintptr_t{2});  // cudaStreamPerThread
  const gpuopt_status s = gpuopt_create(&gpu_handle_, &options);
  if (s != GPUOPT_OK) {
    if (device != GPUOPT_DEVICE_AUTO || s != GPUOPT_NO_DEVICE) error_ = gpuopt_last_error();
    return;
  }
  gpu_ = std::make_unique<Session>(gpu_handle_, options.stream);
}

Machine::~Machine() {
  cpu_.reset();
  gpu_.reset();
  gpuopt_destroy(cpu_handle_);
  gpuopt_destroy(gpu_handle_);
}

Session &Machine::session_of(const gpuopt_kernel &kernel) const {
  return (kernel.flags & GPUOPT_KERNEL_HOST) || !gpu_ ? *cpu_ : *gpu_;
}

KernelReport check_kernel(const Machine &machine, const gpuopt_kernel &kernel, const CheckOptions &o) {
  KernelReport report;
  Session &session = machine.session_of(kernel);
  report.skipped = machine_reason(session, kernel);
  const uint64_t seed = o.seed ^ hash_of(kernel.name);
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  if (!report.skipped.empty()) {
    if (!(kernel.flags & GPUOPT_KERNEL_HOST) && o.declared && suitable_device(kernel, &facts)) {
      facts.cublaslt = 1;
      report.acceptance = must_accept(*machine.cpu(), kernel, &facts, seed, 0);
    }
    return report;
  }
  if (o.declared) {
    report.acceptance = must_accept(session, kernel, nullptr, seed, kAllHardRows);
    report.failures = check_batch_invariance(session, kernel, seed);
  }
  run_random(session, kernel, o, &report);
  return report;
}

Problem random_problem(const Needs &needs, const std::string &stream, uint64_t seed, int64_t index, Size size,
                       uint32_t hard_rows, bool with_values) {
  Rng rng(problem_seed(seed, hash_of(stream), uint64_t(index)));
  Spec spec = random_spec(needs, rng, size);
  const uint64_t values = rng.bits();
  Rng more(~values);
  choose_hard_rows(hard_rows, more, &spec);
  spec.mean_by_spread = (hard_rows & kFarRows) != 0;
  return build_problem(spec, values, with_values);
}

}  // namespace gpuopt_check
