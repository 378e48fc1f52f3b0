// Lists of names and globs, as options have them.
#pragma once
#include <fnmatch.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace gpuopt_bench {

// Of "a,b": a and b; of nothing, nothing.
inline std::vector<std::string> comma_list(const std::string &text) {
  std::vector<std::string> all;
  std::stringstream in(text);
  for (std::string one; std::getline(in, one, ',');) all.push_back(one);
  return all;
}

inline bool matches_one(const std::vector<std::string> &globs, const std::string &name) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string &glob) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}
// Without globs every name does.
inline bool matches(const std::vector<std::string> &globs, const std::string &name) {
  return globs.empty() || matches_one(globs, name);
}

}  // namespace gpuopt_bench
