#include "regress.h"

#include <map>

namespace gpuopt_measure {

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
    c.slower = beats(c.before.time, r.time);
    c.faster = beats(r.time, c.before.time);
    all.push_back(c);
  }
  return all;
}

}  // namespace gpuopt_measure
