// A log summed up by problem: which kernels ran it, how often, how long. In memory that its problems bound, not its lines.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "gpuopt_log/median.h"

namespace gpuopt_log {

struct Exec;

// One kernel's calls of one problem.
struct KernelCalls {
  std::string kernel;
  std::map<std::string, int64_t> how;  // calls by how they were chosen: "predicted", "forced" ...
  int64_t calls = 0;
  double ms = 0;            // of those whose time is known: median.count()
  Median median;            // microseconds
  double predicted_us = 0;  // 0: it predicts nothing

  bool always_forced() const { return how.size() == 1 && how.begin()->first == "forced"; }
};

struct ProblemCalls {
  std::string device;                // "cpu", "cuda0:sm_90"
  std::string problem;               // the call's text
  std::vector<KernelCalls> kernels;  // most time first, of equal times most calls

  int64_t calls() const;
  double ms() const;
  // The kernel with the least median of those with a time; nullptr: none has one.
  const KernelCalls *best() const;
  // What the calls that have a time and were not forced would have taken less with the best kernel: as far as the log knows.
  double could_win_ms() const;
};

// Where the facts of a device come from.
enum class FactsOf { log, pretended, nobody };
struct DeviceFacts {
  gpuopt_device_facts facts;
  FactsOf source = FactsOf::nobody;
};

class LogSum {
 public:
  // One line, without its break. The last of a log may be cut off: whole says that its break is there.
  void take(std::string_view line, bool whole = true);
  // Puts the problems in order, most time first, of equal times most calls. After the last line.
  void finish();

  std::vector<ProblemCalls> problems;
  // Every line is counted once among these.
  int64_t lines = 0, calls = 0, other = 0, version_1 = 0, unknown_version = 0, foreign = 0, malformed = 0;
  bool truncated = false;       // the last line
  int64_t further_calls = 0;    // of calls: of problems beyond the most that are kept, not summed
  int64_t untimed_calls = 0;    // of calls: of no known time
  int64_t lost = 0;             // lines that the log's writer says it could not write
  int64_t first_malformed = 0;  // its number
  std::string first_malformed_why;

  double ms() const;
  double could_win_ms() const;
  // As the log says, else those of gpuopt_pretend_device of that architecture.
  DeviceFacts facts_of(const std::string &device) const;

  static constexpr size_t kMostRows = 65536;  // kernels of problems

 private:
  std::string add(const Exec &exec);
  std::unordered_map<std::string, size_t> index_;       // device and problem: place in problems
  std::unordered_map<std::string, std::string> wrong_;  // problems that do not read, and why
  std::map<std::string, gpuopt_device_facts> devices_;
  std::string key_;
  size_t rows_ = 0;
};

}  // namespace gpuopt_log
