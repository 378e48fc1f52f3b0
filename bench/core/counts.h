// Counts of a command line.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuopt_bench {

// "512,2048": integers from 1 on, each with nothing beside it. false, and *counts is as it was: the text is something else.
inline bool read_counts(const std::string &list, std::vector<int64_t> *counts) {
  std::vector<int64_t> read;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    int64_t count = 0;
    const auto [behind, error] = std::from_chars(list.data() + at, list.data() + end, count);
    if (error != std::errc() || behind != list.data() + end || count < 1) return false;
    read.push_back(count);
    at = end + 1;
  }
  *counts = read;
  return true;
}

}  // namespace gpuopt_bench
