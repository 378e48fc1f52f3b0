// Whole numbers of a command line.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt_bench {

// An integer from least to most with nothing beside it. false, and *count is as it was: the text is something else.
template <class Count>
bool read_count(std::string_view text, Count least, Count most, Count *count) {
  Count read{};
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc() || behind != text.data() + text.size() || read < least || read > most) return false;
  *count = read;
  return true;
}

// "512,2048": integers from 1 on, each with nothing beside it. false, and *counts is as it was: the text is something else.
inline bool read_counts(const std::string &list, std::vector<int64_t> *counts) {
  std::vector<int64_t> read;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    int64_t count = 0;
    if (!read_count<int64_t>(std::string_view(list).substr(at, end - at), 1, INT64_MAX, &count)) return false;
    read.push_back(count);
    at = end + 1;
  }
  *counts = read;
  return true;
}

}  // namespace gpuopt_bench
