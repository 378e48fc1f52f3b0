// The calls that a verb works on: of an operation's options, swept or not; of texts; of a file of texts; of a log.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "call_options.h"
#include "call_verbs.h"

namespace gpuopt_cli {

struct CallSource {
  std::shared_ptr<CallOptions> call = std::make_shared<CallOptions>();
  std::shared_ptr<Sweep> sweep = std::make_shared<Sweep>();
  std::vector<std::string> problems;  // texts
  std::string file, log;              // "-": standard input
  int64_t top = 20;                   // of the log's problems, most time first
};

// Options for texts, files and logs at the verb, one verb below it for each operation. add_more: the verb's own options, wherever
// they may stand. run: the source is whole.
void add_call_source(CLI::App *verb, const std::shared_ptr<CallSource> &source,
                     const std::function<void(CLI::App *)> &add_more, const std::function<void()> &run);

// Calls whose operands lie nowhere. Throws CLI::ValidationError; a call of options may still be none that the library takes.
std::vector<gpuopt_call::Call> calls_of(const CallSource &source);

// The call as text, or, of one that the library does not take, "".
std::string text_or_nothing(const gpuopt_call::Call &call);

}  // namespace gpuopt_cli
