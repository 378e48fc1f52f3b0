// Cold calls: operand sets take turns.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/set_rotation.h"

using gpuopt_bench::SetRotation;

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
