// Lists of counts on a command line, as dist_layers takes them.
#include <doctest/doctest.h>

#include "core/counts.h"

TEST_CASE("counts: a list is integers from 1 on and nothing else") {
  std::vector<int64_t> counts;
  CHECK(gpuopt_bench::read_counts("512", &counts));
  CHECK(counts == std::vector<int64_t>{512});
  CHECK(gpuopt_bench::read_counts("1,2048,8192", &counts));
  CHECK(counts == std::vector<int64_t>{1, 2048, 8192});
  for (const char *bad :
       {"", "abc", "512,abc", "512,", ",512", "512,,1", "0", "-5", "1x", " 1", "9223372036854775808"}) {
    CAPTURE(bad);
    CHECK_FALSE(gpuopt_bench::read_counts(bad, &counts));
  }
  CHECK(counts.size() == 3);
}
