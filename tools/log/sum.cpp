#include "gpuopt_log/sum.h"

#include <algorithm>

#include "gpuopt_call/text.h"
#include "gpuopt_log/lines.h"

namespace gpuopt_log {
namespace {

constexpr size_t kLongestLine = 4095;  // docs/environment.md
constexpr size_t kMostWrong = 1024;    // problems that do not read, remembered

bool comes_before(double ms_a, int64_t calls_a, double ms_b, int64_t calls_b) {
  return ms_a != ms_b ? ms_a > ms_b : calls_a > calls_b;
}

}  // namespace

int64_t ProblemCalls::calls() const {
  int64_t all = 0;
  for (const KernelCalls &k : kernels) all += k.calls;
  return all;
}

double ProblemCalls::ms() const {
  double all = 0;
  for (const KernelCalls &k : kernels) all += k.ms;
  return all;
}

const KernelCalls *ProblemCalls::best() const {
  const KernelCalls *best = nullptr;
  for (const KernelCalls &k : kernels)
    if (k.median.count() > 0 && (!best || k.median.value() < best->median.value())) best = &k;
  return best;
}

double ProblemCalls::could_win_ms() const {
  const KernelCalls *const least = best();
  double win = 0;
  for (const KernelCalls &k : kernels) {
    if (!least || k.median.count() == 0 || k.always_forced()) continue;
    const auto forced = k.how.find("forced");
    const double free =
        1 - (forced == k.how.end() ? 0 : static_cast<double>(forced->second) / static_cast<double>(k.calls));
    win += (k.median.value() - least->median.value()) * 1e-3 * free * static_cast<double>(k.median.count());
  }
  return win;
}

void LogSum::take(std::string_view text, bool whole) {
  ++lines;
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  const auto is_malformed = [&](const std::string &why) {
    if (malformed++ > 0) return;
    first_malformed = lines;
    first_malformed_why = why;
  };
  const Line line = read_line(text);
  if (!whole && may_be_ours(text)) {
    truncated = true;  // even where it reads: its last number may have had more digits
    return;
  }
  if (text.size() > kLongestLine && line.kind != Kind::foreign)
    return is_malformed("it is longer than a line of a log");
  switch (line.kind) {
    case Kind::exec:
      if (const std::string wrong = add(line.exec); !wrong.empty()) is_malformed(wrong);
      break;
    case Kind::device:
      ++other;
      devices_[line.device] = line.facts;
      break;
    case Kind::lost:
      ++other;
      lost += line.lost;
      break;
    case Kind::other:
      ++other;
      break;
    case Kind::version_1:
      ++version_1;
      break;
    case Kind::unknown_version:
      ++unknown_version;
      break;
    case Kind::foreign:
      ++foreign;
      break;
    case Kind::malformed:
      is_malformed(line.why);
      break;
  }
}

// Adds a call; returns what is wrong with its problem, or "".
std::string LogSum::add(const Exec &e) {
  key_.assign(e.device);
  key_ += '\n';
  key_ += e.problem;
  auto found = index_.find(key_);
  if (found == index_.end()) {
    const std::string problem(e.problem);
    if (const auto known = wrong_.find(problem); known != wrong_.end()) return known->second;
    try {
      gpuopt_call::read_call(problem);
    } catch (const gpuopt_call::BadCallText &bad) {
      if (wrong_.size() < kMostWrong) wrong_.emplace(problem, bad.what());
      return bad.what();
    }
    if (rows_ < kMostRows) {
      found = index_.emplace(key_, problems.size()).first;
      problems.push_back({std::string(e.device), problem, {}});
    }
  }
  ++calls;
  if (e.ms < 0) ++untimed_calls;
  KernelCalls *kernel = nullptr;
  if (found != index_.end()) {
    std::vector<KernelCalls> &kernels = problems[found->second].kernels;
    for (KernelCalls &k : kernels)
      if (k.kernel == e.kernel) kernel = &k;
    if (!kernel && rows_ < kMostRows) {
      ++rows_;
      kernels.emplace_back();
      kernel = &kernels.back();
      kernel->kernel = std::string(e.kernel);
    }
  }
  if (!kernel) {
    ++further_calls;
    return "";
  }
  ++kernel->calls;
  ++kernel->how[std::string(e.how)];
  if (e.predicted_us > 0) kernel->predicted_us = e.predicted_us;
  if (e.ms < 0) return "";
  kernel->ms += e.ms;
  kernel->median.add(e.ms * 1e3);
  return "";
}

void LogSum::finish() {
  for (ProblemCalls &p : problems)
    std::stable_sort(p.kernels.begin(), p.kernels.end(), [](const KernelCalls &a, const KernelCalls &b) {
      return comes_before(a.ms, a.calls, b.ms, b.calls);
    });
  std::stable_sort(problems.begin(), problems.end(), [](const ProblemCalls &a, const ProblemCalls &b) {
    return comes_before(a.ms(), a.calls(), b.ms(), b.calls());
  });
  index_.clear();
}

double LogSum::ms() const {
  double all = 0;
  for (const ProblemCalls &p : problems) all += p.ms();
  return all;
}

double LogSum::could_win_ms() const {
  double all = 0;
  for (const ProblemCalls &p : problems) all += p.could_win_ms();
  return all;
}

DeviceFacts LogSum::facts_of(const std::string &device) const {
  DeviceFacts out = {GPUOPT_DEVICE_FACTS_INIT, FactsOf::nobody};
  const auto found = devices_.find(device);
  if (found != devices_.end()) return {found->second, FactsOf::log};
  const size_t sm = device.find("sm_");
  if (sm != std::string::npos && gpuopt_pretend_device(device.substr(sm).c_str(), &out.facts) == GPUOPT_OK)
    out.source = FactsOf::pretended;
  return out;
}

}  // namespace gpuopt_log
