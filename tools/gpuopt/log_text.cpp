#include "log_text.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <stdexcept>

#include "gpuopt_log/read.h"
#include "text.h"

namespace gpuopt_cli {
gpuopt_log::LogSum parse_log(const std::string &argument, const std::string &path) {
  try {
    return gpuopt_log::sum_file(path);
  } catch (const std::runtime_error &failure) {
    throw CLI::ValidationError(argument, failure.what());
  }
}

std::vector<std::string> log_sentences(const gpuopt_log::LogSum &s) {
  std::vector<std::string> said = {counted(s.lines, "line", "lines") + ", " + counted(s.calls, "call", "calls") +
                                   " of " + counted(static_cast<int64_t>(s.problems.size()), "problem", "problems")};
  if (s.untimed_calls)
    said.push_back(counted(s.untimed_calls, "call has", "calls have") +
                   " no time: GPUOPT_VERBOSE=profile takes that of GPU kernels, but not in a stream capture");
  if (s.further_calls)
    said.push_back(counted(s.further_calls, "call is", "calls are") + " of more problems than are kept (" +
                   std::to_string(gpuopt_log::LogSum::kMostRows) + " kernels of problems), and in no sum");
  if (s.version_1)
    said.push_back(counted(s.version_1, "line is", "lines are") +
                   " of version 1, whose problems are not whole: not summed");
  if (s.unknown_version)
    said.push_back(counted(s.unknown_version, "line is", "lines are") + " of a version that is not known: not summed");
  if (s.malformed)
    said.push_back(counted(s.malformed, "line does", "lines do") + " not read; the first, line " +
                   std::to_string(s.first_malformed) + ": " + s.first_malformed_why);
  if (s.foreign) said.push_back(counted(s.foreign, "line is", "lines are") + " not the library's");
  if (s.truncated) said.push_back("the last line is cut off: not summed");
  if (s.lost) said.push_back(counted(s.lost, "line was", "lines were") + " lost when the log was written");
  return said;
}

Json log_counts(const gpuopt_log::LogSum &s) {
  Json j;
  j["lines"] = s.lines;
  j["calls"] = s.calls;
  j["untimed_calls"] = s.untimed_calls;
  j["further_calls"] = s.further_calls;
  j["other_lines"] = s.other;
  j["version_1_lines"] = s.version_1;
  j["unknown_version_lines"] = s.unknown_version;
  j["malformed_lines"] = s.malformed;
  j["first_malformed"] = s.malformed ? Json{{"line", s.first_malformed}, {"why", s.first_malformed_why}} : Json();
  j["foreign_lines"] = s.foreign;
  j["truncated"] = s.truncated;
  j["lost_lines"] = s.lost;
  return j;
}

}  // namespace gpuopt_cli
