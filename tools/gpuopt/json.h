// JSON of the command line.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace gpuopt_cli {

using Json = nlohmann::ordered_json;

// To stdout. Text that is no UTF-8 becomes U+FFFD.
void print_json(const Json &json);

}  // namespace gpuopt_cli
