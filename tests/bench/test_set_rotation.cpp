// Cold calls: operand sets take turns, in graphs too, or L2 is cleared.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/set_rotation.h"

using namespace gpuopt_bench;

TEST_CASE("cold: an operand set comes again only after all others") {
  for (const int sets : {1, 2, 3, 7}) {
    SetRotation rotation(sets);
    std::vector<int> used;
    for (int call = 0; call < 4 * sets + 1; ++call) {
      const int set = rotation.next();
      const auto since = used.end() - std::min<std::ptrdiff_t>(std::distance(used.begin(), used.end()), sets - 1);
      CHECK(std::find(since, used.end(), set) == used.end());
      CHECK((set >= 0 && set < sets));
      used.push_back(set);
    }
  }
  SetRotation none(0);
  CHECK(none.next() == 0);
}

namespace {

// Of which set the L2 may still hold something: less than twice its size was used since. -1: of none.
class Cached {
 public:
  Cached(int64_t l2_bytes, int64_t bytes_per_set) : l2_bytes_(l2_bytes), bytes_(bytes_per_set) {}
  void clear() { used_.clear(); }
  bool use(int set) {
    const auto last = std::find(used_.rbegin(), used_.rend(), set);
    const bool holds = last != used_.rend() && (std::distance(used_.rbegin(), last) + 1) * bytes_ < 2 * l2_bytes_;
    used_.push_back(set);
    return holds;
  }

 private:
  int64_t l2_bytes_, bytes_;
  std::vector<int> used_;
};

}  // namespace

TEST_CASE("cold: replays of graphs of any length, in turn, find no operand set in L2") {
  constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;
  int cleared = 0, rotated = 0;
  for (const int64_t l2 : {4 * kMiB, 50 * kMiB, 60 * kMiB, 126 * kMiB})
    for (const int64_t bytes : {kKiB, 64 * kKiB, 512 * kKiB, 1500 * kKiB, 3 * kMiB, 40 * kMiB, 70 * kMiB, 1024 * kMiB})
      for (const std::vector<double> &us : std::vector<std::vector<double>>{{2.5}, {4.7}, {150}, {1, 9}, {8, 2, 1200}})
        for (const int least : {64, 2}) {
          const int sets = sets_past_l2(l2, bytes);
          std::vector<int> calls;
          for (const double each : us) calls.push_back(calls_in_graph(each, least, sets));
          const bool clear = needs_clearing(l2, bytes, sets, calls);
          (clear ? cleared : rotated) += 1;
          Cached cached(l2, bytes);
          int held = 0;
          for (int round = 0; round < 3; ++round)
            for (const int count : calls) {
              if (clear) cached.clear();
              for (int node = 0; node < count; ++node) held += cached.use(node % sets);
            }
          CHECK_MESSAGE(held == 0, held << " calls of " << bytes << " bytes, L2 of " << l2 << ", " << sets << " sets, "
                                        << calls[0] << " in the first graph");
        }
  CHECK(cleared > 10);
  CHECK(rotated > 10);
}

TEST_CASE("cold: a graph has calls for 0.3 ms, and comes round as a whole") {
  CHECK(calls_in_graph(0.1, 64, 256) == 256);
  CHECK(calls_in_graph(3, 64, 201) == 100);
  CHECK(calls_in_graph(3, 64, 3) == 99);
  CHECK(calls_in_graph(100, 64, 201) == 64);
  CHECK(calls_in_graph(100, 64, 64) == 64);
  CHECK(calls_in_graph(100, 64, 43) == 43);
  CHECK(calls_in_graph(100, 64, 42) == 84);
  CHECK(calls_in_graph(1000, 2, 3) == 2);
  CHECK(calls_in_graph(3, 64, 1) == 100);
  // 512 KiB a call, 50 MiB of L2: 201 sets go past it, a graph of 64 of them does not.
  CHECK(sets_past_l2(50 << 20, 512 << 10) == 201);
  CHECK_FALSE(needs_clearing(50 << 20, 512 << 10, 201, {}));
  CHECK_FALSE(needs_clearing(50 << 20, 512 << 10, 201, {201, 256}));
  CHECK(needs_clearing(50 << 20, 512 << 10, 201, {256, 64}));
}
