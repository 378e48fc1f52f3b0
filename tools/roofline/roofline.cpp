#include "gpuopt_roofline/roofline.h"

#include <algorithm>

namespace gpuopt_roofline {

const Ceiling *Roofline::find(const std::string &name) const {
  for (const Ceiling &c : ceilings)
    if (c.name == name && c.rate > 0) return &c;
  return nullptr;
}

const Ceiling *memory_of(const Roofline &r) {
  const Ceiling *const read = r.find("read"), *const copy = r.find("copy");
  return !read || (copy && copy->rate > read->rate) ? copy : read;
}

double ridge(const Ceiling &memory, const Ceiling &roof) { return roof.rate / memory.rate; }

Placed place(const Roofline &r, const Point &p) {
  Placed placed;
  const Ceiling *const memory = memory_of(r), *const roof = r.find(p.roof);
  if (!memory || p.intensity <= 0) return placed;
  const double slope = memory->rate * p.intensity;
  placed.memory_bound = !roof || slope < roof->rate;
  placed.bound = placed.memory_bound ? slope : roof->rate;
  placed.share = p.gflops / placed.bound;
  constexpr double kNear = 0.7;
  if (placed.memory_bound)
    placed.next = placed.share >= kNear ? "near the slope: only fewer bytes help, by fusing or reuse"
                                        : "far below the slope: mend its accesses, have more under way";
  else
    placed.next = placed.share >= kNear ? "near the roof"
                                        : "below the roof: fewer bytes and instructions for a flop, or other units";
  return placed;
}

}  // namespace gpuopt_roofline
