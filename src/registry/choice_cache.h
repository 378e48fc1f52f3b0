// Remembers the selection for problems already seen by a handle, by every fact that selection may depend on.
#pragma once
#include <cstdint>
#include <vector>

#include "select.h"

namespace gpuopt {

// The facts of a problem in a fixed-size record that compares and hashes as words. Pointers appear only as
// alignment.
class ProblemKey {
 public:
  explicit ProblemKey(const gpuopt_problem &problem);
  uint64_t hash() const { return hash_; }
  bool operator==(const ProblemKey &other) const;

 private:
  static constexpr int kMost = 9 + 7 * 3 + GPUOPT_MAX_STAGES * 11;
  // Every word times an odd number of its own: products do not wait for each other. The high bits are the good ones.
  void put(uint64_t word) {
    words_[count_++] = word;
    hash_ += word * odd_;
    odd_ += 2 * UINT64_C(0x9E3779B97F4A7C15);
  }
  void put(const gpuopt_operand &operand);
  uint64_t hash_ = 0, odd_ = UINT64_C(0x9E3779B97F4A7C15);
  int count_ = 0;
  uint64_t words_[kMost];
};

class ChoiceCache {
 public:
  struct Entry {
    ProblemKey key;
    Selection choice;
    bool prepared = false;                       // its kernels' prepare() has run
    std::vector<const gpuopt_kernel *> refused;  // whose prepare() said NOT_SUPPORTED
  };
  // The entry of that key, or nullptr.
  Entry *find(const ProblemKey &key);
  // Takes the slot of an older entry when the set is full.
  Entry *insert(const ProblemKey &key, Selection choice);
  void clear() { sets_.clear(); }

 private:
  static constexpr size_t kSetBits = 8, kSets = 1 << kSetBits, kWays = 4;
  static size_t set_of(const ProblemKey &key) { return static_cast<size_t>(key.hash() >> (64 - kSetBits)); }
  struct Set {
    std::vector<Entry> ways;
    size_t next = 0;
  };
  std::vector<Set> sets_;
};

}  // namespace gpuopt
