// The ladder: a bar a kernel, up to what the device can do at most.
#include <algorithm>

#include "gpuopt_roofline/markup.h"
#include "sections.h"

namespace gpuopt_report {

using gpuopt_roofline::escaped;
using gpuopt_roofline::number;
using gpuopt_roofline::text;

const Problem *ladder_of(const Page &page) {
  const Problem *found = nullptr;
  for (const Problem &p : page.problems)
    if (p.flops > 0 && p.kernels.size() >= 3 && (!found || p.kernels.size() > found->kernels.size())) found = &p;
  return found;
}

std::string ladder_chart(const Problem &p) {
  constexpr double kWidth = 960, kNames = 250, kValues = 110, kRow = 24, kTop = 34;
  std::vector<Kernel> kernels = p.kernels;
  std::sort(kernels.begin(), kernels.end(), [](const Kernel &a, const Kernel &b) { return a.us > b.us; });
  const double limit = p.bound_us > 0 ? p.rate(p.bound_us) : 0;
  double most = limit;
  for (const Kernel &k : kernels) most = std::max(most, p.rate(k.us));
  const double height = kTop + kRow * static_cast<double>(kernels.size()) + 12, span = kWidth - kNames - kValues;
  const auto at = [&](double rate) { return kNames + span * rate / most; };
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"chart-ladder\" class=\"chart\" viewBox=\"0 0 " + number(kWidth) +
      " " + number(height) +
      "\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\"><title>Rates of the kernels of " +
      escaped(p.text) +
      "</title>\n<style>#chart-ladder text{fill:var(--ink,#64748b)}.bar{fill:var(--bar,#9db4cf)}"
      ".chosen{fill:var(--accent,#0f766e)}.peer{fill:var(--peer,#d6a24a)}.limit{stroke:var(--soft,#667085);"
      "stroke-dasharray:4 4}</style>\n";
  if (limit > 0) {
    svg += gpuopt_roofline::line(at(limit), kTop - 10, at(limit), height - 8, "class=\"limit\"");
    svg += text(at(limit), 14, "limit, " + p.bound_by + ": " + p.rate_text(p.bound_us),
                "class=\"soft\" text-anchor=\"end\"");
  }
  double y = kTop;
  for (const Kernel &k : kernels) {
    const bool peer = k.name.find("_cublas") != std::string::npos;
    const double width = std::max(at(p.rate(k.us)) - kNames, 1.5);
    svg += text(kNames - 10, y + 15, k.name, "class=\"mono\" text-anchor=\"end\"");
    svg += "<rect x=\"" + number(kNames) + "\" y=\"" + number(y + 2) + "\" width=\"" + number(width) + "\" height=\"" +
           number(kRow - 6) + "\" rx=\"3\" class=\"" +
           (k.chosen ? "bar chosen"
            : peer   ? "bar peer"
                     : "bar") +
           "\"><title>" + escaped(k.name + ": " + formatted(k.us) + " us") + "</title></rect>\n";
    svg += text(kNames + width + 8, y + 15, p.rate_text(k.us) + (k.chosen ? ", chosen" : ""), "class=\"value\"");
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string ladder_svg(const Page &page) {
  const Problem *const ladder = ladder_of(page);
  return ladder ? ladder_chart(*ladder) : "";
}

}  // namespace gpuopt_report
