// JSON of the command line, and the same as CSV.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace gpuopt_cli {

using Json = nlohmann::ordered_json;

// To stdout. Text that is no UTF-8 becomes U+FFFD.
void print_json(const Json &json);

// An array of objects to stdout: a line of the first one's names, then a line each. A list is one field, blanks between; what is
// an object is left out.
void print_csv(const Json &rows);

}  // namespace gpuopt_cli
