// What the verbs that read logs say alike.
#pragma once
#include <string>
#include <vector>

#include "gpuopt_log/sum.h"
#include "json.h"

namespace gpuopt_cli {

// Reads a log; path "-": standard input. Throws CLI::ValidationError where it cannot.
gpuopt_log::LogSum parse_log(const std::string &argument, const std::string &path);

// What was read, and what of it is in no sum: a sentence each.
std::vector<std::string> log_sentences(const gpuopt_log::LogSum &sum);
Json log_counts(const gpuopt_log::LogSum &sum);

}  // namespace gpuopt_cli
