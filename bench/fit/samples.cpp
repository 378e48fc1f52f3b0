#include "samples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "../core/compared.h"
#include "../core/explain_on.h"
#include "gpuopt_call/text.h"

namespace gpuopt_bench {
namespace {

// Kernels that run nothing and remember every problem they are asked about.
std::vector<gpuopt_problem> *g_seen = nullptr;

int remember(const gpuopt_problem *p, gpuopt_reject *reject) {
  if (g_seen != nullptr) g_seen->push_back(*p);
  // For its stages: then a gemm is asked about once more, as the first of two steps.
  *reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, 0, 0, "nothing: it only looks"};
  return 0;
}
gpuopt_status no_launch(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_INTERNAL; }

void register_witnesses() {
  static gpuopt_kernel kernels[GPUOPT_OP_COUNT_];
  static std::string names[GPUOPT_OP_COUNT_];
  static constexpr gpuopt_signature kAny[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
  if (kernels[1].op != 0) return;
  for (int32_t op = 1; op < GPUOPT_OP_COUNT_; ++op) {
    gpuopt_kernel &k = kernels[op];
    names[op] = std::string(gpuopt_op_name(op)) + "_synthetic_witness";
    k.struct_size = sizeof k;
    k.name = names[op].c_str();
    k.summary = "remembers problems";
    k.op = op;
    k.version = 1;
    k.understands = ~0u;
    k.stage_kinds = (1ull << GPUOPT_STAGE_COUNT_) - 2;
    k.max_stages = GPUOPT_MAX_STAGES;
    if (op == GPUOPT_OP_REDUCE) k.variants = (1u << GPUOPT_REDUCE_COUNT_) - 2;
    if (op == GPUOPT_OP_REDUCE) k.axes = 1u << GPUOPT_EACH_ROW | 1u << GPUOPT_EACH_COL | 1u << GPUOPT_ALL;
    if (op == GPUOPT_OP_NORM) k.variants = (1u << GPUOPT_NORM_COUNT_) - 2;
    k.signatures = kAny;
    k.signature_count = 1;
    k.can_run = remember;
    k.launch = no_launch;
    if (gpuopt_register_kernel(&k) != GPUOPT_OK) throw std::runtime_error(gpuopt_last_error());
  }
}

// A call as kernels see it: whole, and in two steps where it is a gemm with stages.
struct Seen {
  std::shared_ptr<gpuopt_problem> whole, first, second;
  std::set<std::string> able;
  std::string failure;
};

void take_able(void *user, const gpuopt_candidate *c) {
  if (c->verdict != GPUOPT_VERDICT_REJECTED) static_cast<Seen *>(user)->able.insert(c->kernel);
}

Seen look_at(const std::string &text, gpuopt_handle *handle, const gpuopt_device_facts *device) {
  Seen seen;
  std::vector<gpuopt_problem> problems;
  const gpuopt_explain_options o = explain_on(*device);
  try {
    gpuopt_call::Call call = gpuopt_call::read_call(text);
    g_seen = &problems;
    const gpuopt_status status = gpuopt_explain(handle, call.args(), &o, take_able, &seen);
    g_seen = nullptr;
    if (status != GPUOPT_OK) seen.failure = "nothing runs the call here";
  } catch (const gpuopt_call::BadCallText &) {
    seen.failure = "the call's text does not read";
  }
  for (gpuopt_problem &p : problems) {
    p.device = device;
    auto kept = std::make_shared<gpuopt_problem>(p);
    if (seen.whole == nullptr)
      seen.whole = kept;
    else if (seen.whole->op == GPUOPT_OP_GEMM)
      (p.op == GPUOPT_OP_GEMM ? seen.first : seen.second) = kept;
  }
  if (seen.whole == nullptr && seen.failure.empty()) seen.failure = "no problem came of the call";
  return seen;
}

// Why not, or "".
std::string add_parts(const Seen &seen, FitSample *sample) {
  if (!seen.failure.empty()) return seen.failure;
  const size_t plus = sample->kernel.find('+');
  const gpuopt_kernel *first = gpuopt_kernel_find(sample->kernel.substr(0, plus).c_str());
  if (first == nullptr) return "no such kernel: " + sample->kernel;
  if (plus == std::string::npos) {
    if (seen.able.count(first->name) == 0) return "cannot run it now: " + sample->kernel;
    sample->parts = {{first, seen.whole}};
  } else {
    const gpuopt_kernel *second = gpuopt_kernel_find(sample->kernel.substr(plus + 1).c_str());
    if (second == nullptr) return "no such kernel: " + sample->kernel;
    if (seen.first == nullptr || seen.second == nullptr) return "not in two steps now: " + sample->kernel;
    sample->parts = {{first, seen.first}, {second, seen.second}};
  }
  for (const FitPart &part : sample->parts)
    if (part.kernel->predict_us == nullptr) return "makes no prediction now: " + sample->kernel;
  const double us = predict(*sample);
  return us > 0 && std::isfinite(us) ? "" : "makes no prediction now: " + sample->kernel;
}

bool is_regular(const gpuopt_problem &p) {
  constexpr int64_t kLeast = 256;
  if (p.op != GPUOPT_OP_GEMM || p.batch != 1 || std::min({p.m, p.n, p.k}) < kLeast) return false;
  for (const int i : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B, GPUOPT_OPERAND_D})
    if (std::min(p.operand[i].align, p.operand[i].ld_align) < 16) return false;
  return true;
}

gpuopt_device_facts facts_of(const Record &record) {
  gpuopt_device_facts facts = record.facts;
  if (facts.struct_size != 0) return facts;
  facts.struct_size = sizeof facts;  // a record from before it told
  const std::string name = "sm_" + std::to_string(record.device.cc);
  if (gpuopt_pretend_device(name.c_str(), &facts) != GPUOPT_OK) throw std::runtime_error(gpuopt_last_error());
  return facts;
}

}  // namespace

void add_samples(const Record &record, gpuopt_handle *handle, FitSamples *samples) {
  register_witnesses();
  samples->devices.push_back(facts_of(record));
  std::map<std::string, Seen> seen;
  std::set<std::string> have;   // one row of each kernel and call
  std::set<std::string> named;  // kernels and calls
  for (const Row &r : record.rows) named.insert(r.kernel + " " + r.call);
  const std::vector<double> us = compared_us(record.rows);
  for (size_t i = 0; i < record.rows.size(); ++i) {
    const Row &r = record.rows[i];
    if (us[i] <= 0 || r.kernel.empty() || r.predicted_us <= 0) continue;
    FitSample s;
    s.selection = r.suite.rfind("selection_", 0) == 0;
    const std::string key = r.kernel + " " + r.call;
    if (samples->have.count(key) != 0 || (!have.insert(key).second && !s.selection)) continue;
    s.op = r.call.substr(0, r.call.find(' '));
    s.call = r.call;
    s.where = r.suite + " " + r.shape + " " + r.type + " " + r.detail;
    s.kernel = r.kernel;
    s.chosen = r.role == Role::automatic;
    s.measured_us = us[i];
    s.recorded_us = r.predicted_us;
    auto found = seen.find(r.call);
    if (found == seen.end()) found = seen.emplace(r.call, look_at(r.call, handle, &samples->devices.back())).first;
    std::string why = add_parts(found->second, &s);
    // Under a former name beside the present one: of a kernel that is gone.
    if (why.empty() && s.parts.front().kernel->name != s.kernel.substr(0, s.kernel.find('+')) &&
        named.count(s.parts.front().kernel->name + s.kernel.substr(std::min(s.kernel.find('+'), s.kernel.size())) +
                    " " + s.call) != 0)
      why = "another kernel's name now: " + s.kernel;
    if (!why.empty()) {
      ++samples->left_out[why];
      continue;
    }
    s.regular = is_regular(*s.parts.front().problem);
    samples->all.push_back(std::move(s));
  }
  samples->have.insert(have.begin(), have.end());
}

std::unique_ptr<FitSamples> fit_samples(const Record &record, gpuopt_handle *handle) {
  auto samples = std::make_unique<FitSamples>();
  add_samples(record, handle, samples.get());
  return samples;
}

double predict(const FitSample &sample) {
  double us = 0;
  for (const FitPart &part : sample.parts) us += part.kernel->predict_us(part.problem.get());
  return us;
}

}  // namespace gpuopt_bench
