// A card a problem: its fastest kernels, and how near they come to what the device can do.
#include <algorithm>

#include "gpuopt_roofline/markup.h"
#include "sections.h"

namespace gpuopt_report {

using gpuopt_roofline::escaped;
using gpuopt_roofline::number;

std::string bench_cards(const std::vector<Problem> &problems) {
  constexpr size_t kShown = 7;
  std::string html = "<div class=\"cards\">\n";
  for (const Problem &p : problems) {
    std::vector<Kernel> kernels = p.kernels;
    std::sort(kernels.begin(), kernels.end(), [](const Kernel &a, const Kernel &b) { return a.us < b.us; });
    if (kernels.empty()) continue;
    const double full = p.bound_us > 0 ? std::min(p.bound_us, kernels[0].us) : kernels[0].us;
    html += "<article class=\"card\"><h3 class=\"mono\">" + escaped(p.text) + "</h3>\n<table class=\"runs\">\n";
    for (size_t i = 0; i < kernels.size(); ++i) {
      const Kernel &k = kernels[i];
      if (i >= kShown && !k.chosen) continue;
      html += std::string("<tr") + (k.chosen ? " class=\"chosen\"" : "") + "><td class=\"mono\">" + escaped(k.name) +
              "</td><td class=\"meter\"><i style=\"width:" + number(100 * full / k.us) +
              "%\"></i></td><td class=\"value\">" + formatted(k.us) + " us</td><td class=\"value soft\">" +
              escaped(p.rate_text(k.us)) + "</td></tr>\n";
    }
    html += "</table>\n<p class=\"soft\">";
    if (p.bound_us > 0)
      html += "A full bar is the bound by " + escaped(p.bound_by) + ", " + formatted(p.bound_us) + " us. ";
    if (kernels.size() > kShown) html += "Of " + std::to_string(kernels.size()) + " kernels the fastest.";
    html += "</p></article>\n";
  }
  return html + "</div>\n";
}

}  // namespace gpuopt_report
