// The numbers that the library is held to, as data, and how rows of a record are judged by them. No CUDA: a table and its
// judging are the same everywhere, and tested everywhere. The suite that measures the problems is targets.cpp.
#pragma once
#include <string>
#include <vector>

#include "../core/record.h"

namespace gpuopt_bench {

// What is judged. The first five are at least the limit, the others at most.
enum class Measure {
  ratio,     // the other's time over ours
  rate,      // GB/s of useful bytes
  of_copy,   // percent of copy speed
  of_read,   // percent of read speed
  of_bound,  // percent of the chain's own bound: the slowest of copy, instructions, special functions
  slowdown,  // our time over the other's
  us,        // microseconds
  us_over,   // microseconds more than the other takes
  behind,    // how far behind the other, of what is allowed: 1 % of its time or 64 ns, whichever is more
};
enum class Fold { one, geometric_mean, worst };  // of several problems

struct Target {
  std::vector<std::string> problems;  // "<suite> <shape as --shape takes it>"
  Measure measure = Measure::ratio;
  double limit = 0;
  Mode mode = Mode::single;
  std::string other = {};  // name or glob: who is compared with; "": the best peer
  std::string ours = {};   // name or glob of kernels, the fastest counts; "": the automatic choice
  Fold fold = Fold::one;
  Cache cache = Cache::cold;
  std::string title = {};  // in place of the problem
  bool strict = false;     // more than the limit, not at least
  bool quick = false;      // of those that --quick measures
};

// All of them, in the order of the report. Each op's numbers are in targets_<what>.cpp.
const std::vector<Target> &targets();
void add_gemm_targets(std::vector<Target> *all);
void add_memory_targets(std::vector<Target> *all);  // transpose, reduce
void add_fused_targets(std::vector<Target> *all);   // fused_act, norm

std::string name_of(const Target &target);  // "transpose 8192x8192:f32"; no two alike
Bound bound_of(const Target &target);
// Whom a target may compare with that is no peer and no kernel: the suite adds them to the problem's contenders.
constexpr const char *kEmptyKernel = "empty_kernel", *kOneStage = "one_stage";

// The verdict on every target that has a row with one of its problems in its mode and cache; where others are missing, the
// target is short and names them.
std::vector<Check> judged(const std::vector<Target> &targets, const std::vector<Row> &rows);
// Puts the verdicts on a record's own rows among its checks, in place of earlier ones.
void judge_targets(Record *record);

}  // namespace gpuopt_bench
