#include "regress.h"

#include <map>

namespace gpuopt_measure {
namespace {

// Two runs of one program differ by so much, of which the samples of neither tell: where its memory lies, clocks, heat.
constexpr double kBetweenRuns = 1.02;

bool beats_by_more(const Time &a, Time b) {
  b.us /= kBetweenRuns;
  return beats(a, b);
}

}  // namespace

std::vector<Change> changes(const std::vector<Row> &before, const std::vector<Row> &after) {
  const auto key = [](const Row &r) { return r.device + "\n" + r.problem + "\n" + r.kernel; };
  std::map<std::string, const Row *> known;
  for (const Row &r : before)
    if (r.time.us > 0) known[key(r)] = &r;
  std::vector<Change> all;
  for (const Row &r : after) {
    const auto found = known.find(key(r));
    if (r.time.us <= 0 || found == known.end()) continue;
    Change c;
    c.before = *found->second;
    c.after = r;
    c.ratio = r.time.us / c.before.time.us;
    c.known = c.before.time.noise < 1 && r.time.noise < 1;
    c.slower = beats_by_more(c.before.time, r.time);
    c.faster = beats_by_more(r.time, c.before.time);
    all.push_back(c);
  }
  return all;
}

}  // namespace gpuopt_measure
