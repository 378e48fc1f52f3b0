// Whole numbers on a command line, and lists of them.
#include <doctest/doctest.h>

#include "core/counts.h"

TEST_CASE("counts: one is an integer of its range and nothing else") {
  int count = 7;
  CHECK(gpuopt_bench::read_count("0", 0, 99, &count));
  CHECK(count == 0);
  CHECK(gpuopt_bench::read_count("99", 0, 99, &count));
  CHECK(count == 99);
  for (const char *bad : {"", "100", "-1", "1.5", "1 ", "+1", "0x1", "9223372036854775808"}) {
    CAPTURE(bad);
    CHECK_FALSE(gpuopt_bench::read_count(bad, 0, 99, &count));
  }
  CHECK(count == 99);
}

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
