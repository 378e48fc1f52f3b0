// A report of Nsight Compute as data: what `ncu --csv` prints, by either page.
//
// `--page raw` has a row a kernel launch and a column a metric, and a row of units below the head. `--page details` has a row a
// value: its section, name, unit and value, and rows of ncu's own rules. Before, between and behind may lie lines of ncu's
// ("==PROF== ...") and, before the head, of the application. Several tables may follow each other.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpuopt_advise/csv.h"

namespace gpuopt_advise {

struct Kernel {
  std::string name, grid, block, cc;  // as written: "(1024, 1, 1)", "9.0"; empty: not in the report
  int64_t line = 0;                   // of its first row
  // By name: that of the counter, or in a details page the label that stands for it, with its unit behind it where that is a
  // percentage ("Memory Throughput [%]"), since labels repeat. Bytes, microseconds, hertz and percent, whatever the prefixes.
  std::map<std::string, double> metrics;
  std::vector<std::string> remarks;  // of ncu's own rules
};

struct Report {
  std::vector<Kernel> kernels;
  int64_t other_lines = 0;  // of the application's and of ncu's
};

// Throws ReportError for text without a table, for a row that is cut off or too long, and for a value that a rule would read
// and that is no number ("n/a" and nothing are: it was not measured).
Report read_report(std::string_view text);

}  // namespace gpuopt_advise
