// A file of src/kernels and every file of it that it includes, directly or not, as a reader of the kernel meets them.
#pragma once
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace gpuopt_test {

inline const std::filesystem::path kProject = std::filesystem::path(GPUOPT_TEST_SOURCE_DIR).parent_path();
inline const std::filesystem::path kKernels = kProject / "src" / "kernels";

struct Source {
  int lines = 0, code_lines = 0;                // code: neither blank nor a comment alone
  std::vector<std::filesystem::path> includes;  // of files below src/kernels
};

// Read once.
inline const Source &source_of(const std::filesystem::path &file) {
  static std::map<std::filesystem::path, Source> known;
  static const std::regex include("\\s*#\\s*include\\s*\"([^\"]+)\".*"), no_code("\\s*(//.*)?");
  const auto [at, is_new] = known.emplace(file, Source());
  Source &source = at->second;
  if (!is_new) return source;
  std::ifstream in(file);
  REQUIRE_MESSAGE(in, "cannot read " << file.string());
  for (std::string line; std::getline(in, line); ++source.lines) {
    source.code_lines += !std::regex_match(line, no_code);
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    for (const std::filesystem::path &folder : {file.parent_path(), kKernels}) {
      if (!std::filesystem::exists(folder / match[1].str())) continue;
      source.includes.push_back((folder / match[1].str()).lexically_normal());
      break;
    }
  }
  return source;
}

inline std::set<std::filesystem::path> include_closure(const std::filesystem::path &file) {
  std::set<std::filesystem::path> seen = {file};
  std::vector<std::filesystem::path> left = {file};
  while (!left.empty()) {
    const std::filesystem::path next = left.back();
    left.pop_back();
    for (const std::filesystem::path &included : source_of(next).includes)
      if (seen.insert(included).second) left.push_back(included);
  }
  return seen;
}

}  // namespace gpuopt_test
