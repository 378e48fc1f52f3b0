// What the verbs that read logs say alike.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpuopt_log/sum.h"

namespace gpuopt_cli {

// Reads a log; path "-": standard input. Throws CLI::ValidationError where it cannot.
gpuopt_log::LogSum parse_log(const std::string &argument, const std::string &path);

// What was read, and what of it is in no sum: a sentence each.
std::vector<std::string> log_sentences(const gpuopt_log::LogSum &sum);
nlohmann::ordered_json log_counts(const gpuopt_log::LogSum &sum);

// Text that is no UTF-8 becomes U+FFFD.
void print_json(const nlohmann::ordered_json &json);

}  // namespace gpuopt_cli
