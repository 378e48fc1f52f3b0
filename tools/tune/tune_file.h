// A tuned-choice file as text (docs/tuning.md), for whoever writes one: lines are known by their keys, and whatever is no
// entry stays as it is and where it is.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpuopt_tune {

// The library reads no more of a file.
constexpr size_t kMostBytes = size_t{16} << 20, kMostEntries = 65536;

struct Entry {
  std::string key;  // of gpuopt_tune_key()
  std::string
      choice;  // "": the key is to have no entry. "kernel=gemm_tiled_32 version=1", and what is known of it: "us=12.5 untuned_us=14"
};

class TuneFile {
 public:
  // No text is a file without entries. False where it is not ours to change: it begins otherwise.
  bool parse(std::string_view text, std::string *fault);
  std::string text() const;

  size_t size() const { return by_key_.size(); }
  std::vector<Entry> entries() const;                       // in their order, comments left out
  const std::string *choice(const std::string &key) const;  // or nullptr
  bool set(const Entry &entry);                             // in place of that key's; true: it is a new one

 private:
  struct Line {
    std::string key, choice;  // of an entry
    std::string other;        // of any other line
    bool gone = false;        // an entry that was taken out
  };
  void add_line(std::string_view line);
  std::vector<Line> lines_;
  std::unordered_map<std::string, size_t> by_key_;
};

}  // namespace gpuopt_tune
