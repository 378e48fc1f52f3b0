// The record of a `gpuopt tune suite`, a line of JSON each step, so that a run that was cut off goes on where it stopped.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "halves.h"
#include "json.h"
#include "tuner.h"

namespace gpuopt_cli {

class SuiteRecord {
 public:
  // Reads what is there and adds to it; path "": keeps all in memory. begin: the first line, which says of what the record is.
  // Throws CLI::ValidationError where the file is another's or cannot be written.
  SuiteRecord(const std::string &path, const Json &begin);

  const TunedProblem *tuned(const std::string &problem) const;  // or nullptr
  void add(const TunedProblem &problem);
  std::vector<TunedProblem> all_tuned() const;
  // A problem is about to be tuned: what ends the process is known by it in the next.
  void begin(const std::string &problem);
  int begun(const std::string &problem) const;  // how often

  // The time of `other` over that of `automatic`, as it was measured; 0: it was not.
  double ratio(const std::string &problem, const std::string &automatic, const std::string &other) const;
  void add(const std::string &problem, const std::string &automatic, const std::string &other, double ratio);

 private:
  void write(const Json &line);
  void take(const Json &line);
  std::string path_;
  std::map<std::string, TunedProblem> tuned_;
  std::map<std::string, int> begun_;
  std::map<std::string, double> ratios_;
};

}  // namespace gpuopt_cli
