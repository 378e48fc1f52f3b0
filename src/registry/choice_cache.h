// Remembers the selection for problems already seen by a handle, by every fact that selection may depend on.
#pragma once
#include <cstdint>
#include <vector>

#include "select.h"
#include "word_hash.h"

namespace gpuopt {

// The facts of a problem in a fixed-size record that compares and hashes as words. Pointers appear only as
// alignment.
class ProblemKey {
 public:
  explicit ProblemKey(const gpuopt_problem &problem);
  uint64_t hash() const { return hash_.value(); }
  bool operator==(const ProblemKey &other) const;

 private:
  static constexpr int kMost = 9 + 7 * 4 + 1 + GPUOPT_MAX_STAGES * 11;
  void put(uint64_t word) {
    words_[count_++] = word;
    hash_.add(word);
  }
  void put(const gpuopt_operand &operand);
  WordHash hash_;
  int count_ = 0;
  uint64_t words_[kMost];
};

class ChoiceCache {
 public:
  struct Entry {
    ProblemKey key;
    Selection choice;
    bool prepared = false;  // its kernels' prepare() has run
    Refusals refused;
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
