#include "suite_report.h"

#include <cstdio>

#include "text.h"

namespace gpuopt_cli {

Json suite_json(const SuiteReport &r) {
  Json all = {
      {"seed", r.seed}, {"count", r.count}, {"left", r.left}, {"numbers", Json::array()}, {"judged", Json::array()}};
  for (const auto &n : gpuopt_measure::numbers_of(r.judged))
    all["numbers"].push_back({{"number", n.what},
                              {"value", n.known ? n.value : 0},
                              {"bound", n.bound},
                              {"met", n.met},
                              {"known", n.known},
                              {"of", n.of}});
  for (const auto &j : r.judged)
    all["judged"].push_back({{"op", j.op},
                             {"problem", j.problem},
                             {"tuned_half", j.tuned_half},
                             {"by_entry", j.by_entry},
                             {"ratio", j.ratio}});
  return all;
}

void print_suite(const SuiteReport &r) {
  Table table({"half", "op", "problems", "by an entry", "geometric mean", "least"});
  for (const size_t column : {2, 3, 4, 5}) table.align_right(column);
  std::vector<std::string> ops = r.ops;
  ops.push_back("");
  for (const bool tuned_half : {false, true})
    for (const std::string &op : ops) {
      const gpuopt_measure::Half h = gpuopt_measure::half_of(r.judged, tuned_half, op);
      table.add({tuned_half ? "tuned" : "other", op.empty() ? "all" : op, std::to_string(h.problems),
                 std::to_string(h.by_entry), h.problems ? formatted(h.mean, "%.4f") : "-",
                 h.problems ? formatted(h.least, "%.4f") : "-"},
                op.empty() ? Style::strong : Style::plain);
    }
  table.print();
  std::printf("\n");
  for (const auto &n : gpuopt_measure::numbers_of(r.judged))
    std::printf("%s  %s: %s (at least %.2f)%s%s\n", n.known ? n.met ? "met  " : "short" : "-    ", n.what.c_str(),
                n.known ? formatted(n.value, "%.4f").c_str() : "not measured", n.bound, n.of.empty() ? "" : ": ",
                n.of.c_str());
  if (r.left > 0)
    std::printf(
        "%zu problems there was no time for: the same command with the same --record and --tune-cache goes on\n",
        r.left);
}

}  // namespace gpuopt_cli
