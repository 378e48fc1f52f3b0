// The roofline as a page of its own: the drawing and its tables, no script and nothing from elsewhere.
#include "gpuopt_roofline/roofline.h"
#include "markup.h"

namespace gpuopt_roofline {
namespace {

std::string row(const std::vector<std::string> &cells, const char *tag) {
  std::string out = "<tr>";
  for (const std::string &cell : cells) out += std::string("<") + tag + ">" + escaped(cell) + "</" + tag + ">";
  return out + "</tr>\n";
}

// The drawing and its tables.
std::string section_of(const Roofline &r) {
  std::string html = "<h1>Roofline of " + escaped(r.device) + "</h1>\n" + svg_of(r);
  if (!r.note.empty()) html += "<p>" + escaped(r.note) + "</p>\n";
  html += "<table>\n" + row({"ceiling", "rate", "unit", "measured by"}, "th");
  for (const Ceiling &c : r.ceilings)
    html += row({c.name, number(c.flops ? c.rate / 1000 : c.rate), c.flops ? "TFLOP/s" : "GB/s", c.method}, "td");
  html +=
      "</table>\n<table>\n" +
      row({"", "kernel", "FLOP/B", "predicted", "counted", "GFLOP/s", "of its bound", "bound by", "what next"}, "th");
  for (const Point &p : r.points) {
    const Placed placed = place(r, p);
    html += row({p.mark.empty() ? p.label : p.mark + ": " + p.label, p.kernel, number(p.intensity),
                 p.predicted > 0 ? number(p.predicted) : "-", p.counted > 0 ? number(p.counted) : "-", number(p.gflops),
                 placed.bound > 0 ? number(100 * placed.share) + " %" : "-",
                 placed.bound <= 0     ? "-"
                 : placed.memory_bound ? "memory"
                                       : p.roof,
                 placed.next},
                "td");
  }
  return html + "</table>\n";
}

}  // namespace

std::string page_of(const std::vector<Roofline> &rooflines) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>Roofline</title>\n"
      "<style>body{font:15px system-ui,sans-serif;max-width:1040px;margin:2em auto;padding:0 1em;color:#1e293b}"
      "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;border-bottom:1px solid "
      "#cbd5e1;text-align:left}"
      "svg{width:100%;height:auto;border:1px solid #cbd5e1}</style></head>\n<body>\n";
  for (const Roofline &r : rooflines) html += section_of(r);
  return html +
         "<p>Dashed: what the memories deliver. Flat: what the arithmetic units do. All of it measured on this "
         "machine. A "
         "rung of the ladder stands at the intensity that its code asks of the memory behind its tiles, with a line to "
         "the small "
         "point where its operands, each moved once, would put it; an x is where the traffic that was counted puts "
         "it.</p>\n"
         "</body></html>\n";
}

}  // namespace gpuopt_roofline
