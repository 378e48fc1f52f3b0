// What a run of the benchmarks leaves behind: one JSON document and a short markdown table.
#pragma once
#include <string>
#include <vector>

#include "device.h"
#include "gpuopt/gpuopt.h"
#include "measurement.h"

namespace gpuopt_bench {

// Where a contender stands: our automatic choice, one of our kernels forced, somebody else's, a ceiling of the machine, or
// something that a target alone compares with (an empty kernel, a shorter chain).
enum class Role { automatic, kernel, peer, ceiling, reference };

struct Row {
  std::string suite, shape, type, detail;
  std::string contender, kernel;  // kernel: of ours, the one that ran
  Role role = Role::peer;
  Mode mode = Mode::single;
  Cache cache = Cache::cold;
  Timing timing;
  double rate = 0;  // TFLOP/s or GB/s (1e9) of useful work
  std::string unit;
  std::string best_peer;       // in the same measurement
  double against_peer = 0;     // best peer's time over ours: above 1 we are faster; 0: there was none
  double against_ceiling = 0;  // the ceiling's time over ours
  double against_bound = 0;    // fused_table: that of the slowest of bytes, instructions and special functions
  std::string problem;         // suite targets: whose numbers this row is judged by (suites/targets.h)
  std::string call;            // of ours: the whole problem (gpuopt_call/text.h)
  double predicted_us = 0;     // of ours; 0: it makes no prediction
};

enum class Bound { at_most, at_least, above };

// Of the harness itself; or a target, a number that the library is held to. A failed check of the harness makes the run
// fail, a target that is not reached does not: it is "short".
struct Check {
  std::string name;
  double value = 0, limit = 0;  // value: not a number where it could not be measured
  std::string unit;
  bool ok = false;
  bool target = false;
  Bound bound = Bound::at_most;
  std::string note = {};  // of a target: what is missing, or the worst case of a list
};

struct Record {
  std::string commit, date, build, arguments;
  DeviceInfo device;
  gpuopt_device_facts facts = {};  // what predictions knew of it; struct_size 0: not told
  Clocks before, after;
  std::vector<Row> rows;
  std::vector<Check> checks;

  bool checks_ok() const;    // those of the harness
  std::string json() const;  // compact: words once, rows of one case together (record_json.cpp)
  std::string markdown() const;
};

const char *word(Mode mode);    // "S", "G"
const char *word(Cache cache);  // "cold", "resident"
const char *word(Role role);
const char *word(Bound bound);  // "<=", ">=", ">"

std::string utc_now();  // "2026-01-31T12:00:00Z"
// The commit that `git` tells of this folder, with "+" when there are changes; "unknown" without git.
std::string git_commit();
// As a whole: where it fails, what throws std::runtime_error, the earlier file is still there.
void write_file(const std::string &path, const std::string &text);
// Why what an option names cannot be written, asked before anything is measured; "": it can be, or path is "".
std::string output_fault(const std::string &option, const std::string &path);

// The words of a command line as a record has them: of files their names alone, for folders say nothing to others.
std::string recorded_arguments(const std::vector<std::string> &words);

}  // namespace gpuopt_bench
