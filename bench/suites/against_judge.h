// Two builds by the same rows: our automatic choices against those of another build (core/other_build.h), in alternation.
#pragma once
#include <string>
#include <vector>

#include "../core/record.h"

namespace gpuopt_bench {

inline constexpr char kOtherBuild[] = "other_build";  // the contender's name
inline constexpr double kSlower = 0.98;               // the other's time over ours: below it a row is slower

struct SuiteAgainst {
  std::string suite;
  int rows = 0, slower = 0;
  double mean = 0, least = 0;  // of the other's time over ours; mean: geometric
  std::string least_where;
};
// Of each suite with such rows, in their order.
std::vector<SuiteAgainst> summarise_against(const std::vector<Row> &rows);
// The table of them, then a line for each row that is slower, with the kernels that both chose. "" where nothing was compared.
std::string against_table(const std::vector<Row> &rows);
// Puts the summary among the record's checks, as numbers that are met or short.
void judge_against(Record *record);

bool is_slower(const Timing &ours, const Timing &other);
// Of three measurements of the same contenders, that which stands between the others in the other's time over ours. ours: the
// place among them, which the other build's follows.
size_t middle_of_three(const std::vector<std::vector<Timing>> &three, size_t ours);

}  // namespace gpuopt_bench
