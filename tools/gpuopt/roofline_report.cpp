#include <cstdio>

#include "roofline_measure.h"
#include "text.h"

namespace gpuopt_cli {

void print_roofline(const gpuopt_roofline::Roofline &r) {
  std::printf("device: %s\n", r.device.c_str());
  Table ceilings({"ceiling", "rate", "", "ridge FLOP/B", "measured by"});
  ceilings.align_right(1);
  ceilings.align_right(3);
  const gpuopt_roofline::Ceiling *const memory = gpuopt_roofline::memory_of(r);
  for (const gpuopt_roofline::Ceiling &c : r.ceilings)
    ceilings.add({c.name, formatted(c.flops ? c.rate / 1000 : c.rate, "%.4g"), c.flops ? "TFLOP/s" : "GB/s",
                  c.flops && memory ? formatted(gpuopt_roofline::ridge(*memory, c), "%.3g") : "", c.method});
  ceilings.print();
  std::printf("\n");
  Table points({"", "FLOP/B", "predicted", "counted", "us", "GFLOP/s", "% bound", "bound", "kernel", "what next"});
  for (size_t c = 1; c <= 6; ++c) points.align_right(c);
  for (const gpuopt_roofline::Point &p : r.points) {
    const gpuopt_roofline::Placed placed = gpuopt_roofline::place(r, p);
    points.add({p.mark.empty() ? p.label : p.mark + " " + p.label, formatted(p.intensity, "%.4g"),
                p.predicted > 0 ? formatted(p.predicted, "%.4g") : "-",
                p.counted > 0 ? formatted(p.counted, "%.4g") : "-", formatted(p.us, "%.2f"),
                formatted(p.gflops, "%.4g"), placed.bound > 0 ? formatted(100 * placed.share, "%.1f") : "-",
                placed.bound <= 0     ? "-"
                : placed.memory_bound ? "memory"
                                      : p.roof,
                p.kernel, placed.next});
  }
  points.print();
  if (!r.note.empty()) std::printf("note: %s\n", r.note.c_str());
}

}  // namespace gpuopt_cli
