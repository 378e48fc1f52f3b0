// JSON of the command line, and the same as CSV.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gpuopt_cli {

using Json = nlohmann::ordered_json;

// To stdout. Text that is no UTF-8 becomes U+FFFD.
void print_json(const Json &json);

// What a file holds that an argument names. Throws CLI::ValidationError where it cannot be read.
std::string text_of_file(const std::string &argument, const std::string &path);

// A row for each of what an object of the outer array has in its list: the outer's values of these names, then its own. head comes
// before both.
Json rows_below(const Json &outer, const std::vector<std::string> &names, const std::string &list,
                const Json &head = Json::object());

// An array of objects to stdout: a line of the first one's names, then a line each. A list is one field, blanks between; what is
// an object is left out.
void print_csv(const Json &rows);

}  // namespace gpuopt_cli
