// The six operations as verbs below a verb, each with the options of its call; once for every verb that takes a call.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "call_options.h"

namespace gpuopt_cli {

// Several values of extents, batch and type: the calls of all combinations, the last option varying fastest.
class Sweep {
 public:
  using Set = std::function<void(CallOptions *, const std::string &)>;
  void add(const std::string &option, const std::vector<std::string> &values, Set set);
  std::vector<CallOptions> calls(const CallOptions &fixed) const;
  static constexpr size_t kMostCalls = 10000;

 private:
  struct Axis {
    std::string option;
    std::vector<std::string> values;
    Set set;
  };
  std::vector<Axis> axes_;
};

struct CallVerbs {
  CLI::App *verb = nullptr;
  std::shared_ptr<CallOptions> call;
  std::shared_ptr<Sweep> sweep;  // nullptr: one value of each
  int64_t least_extent = 0;
  std::function<void(CLI::App *of_op)> add_more;
  std::function<void()> run;  // the call is whole
};
void add_call_verbs(const CallVerbs &verbs);

// "64", "64,128,256", "64:512:64" (steps of 64), "64:4096:x2" (doubled each time); several with commas. Throws
// CLI::ValidationError.
std::vector<std::string> parse_extents(const std::string &option, const std::string &text, int64_t least);

}  // namespace gpuopt_cli
