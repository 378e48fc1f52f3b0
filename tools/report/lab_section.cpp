// The lab: claims of the texts against what was measured, as a chart and as a list that opens.
#include <algorithm>
#include <cmath>

#include "gpuopt_roofline/markup.h"
#include "sections.h"

namespace gpuopt_report {

using gpuopt_roofline::escaped;
using gpuopt_roofline::number;
using gpuopt_roofline::text;

namespace {

constexpr double kLabWidth = 960, kLabNames = 420, kLabRight = 60, kLabRow = 22, kLabTop = 30;

std::string times(double ratio) { return formatted(ratio) + "\u00d7"; }

std::string cell(const std::string &words, const char *attributes = "") {
  return std::string("<td") + attributes + ">" + escaped(words) + "</td>";
}

std::string runs_table(const Experiment &e) {
  double slowest = 0;
  for (const LabRun &r : e.runs) slowest = std::max(slowest, r.us);
  std::string html = "<table class=\"runs\">\n";
  for (const LabRun &r : e.runs) {
    html += "<tr>" + cell(r.label) + "<td class=\"mono\">" + escaped(r.kernel) + "</td>";
    if (r.us > 0)
      html += "<td class=\"meter\"><i style=\"width:" + number(100 * r.us / slowest) + "%\"></i></td>" +
              cell(formatted(r.us) + " us", " class=\"value\"") + cell(r.metric, " class=\"soft\"");
    else
      html += "<td colspan=\"3\" class=\"soft\">not run: " + escaped(r.failure) + "</td>";
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

std::string lines_table(const Experiment &e) {
  std::string html = "<table class=\"runs\">\n";
  for (size_t i = 0; i < e.lines.size(); ++i) {
    html += "<tr>";
    for (const std::string &word : e.lines[i]) html += i == 0 ? "<th>" + escaped(word) + "</th>" : cell(word);
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

}  // namespace

std::string verdict_class(const Experiment &e) {
  if (e.verdict == "as claimed" || e.verdict == "shown") return "good";
  if (e.verdict == "more than claimed") return "more";
  return e.verdict == "not run" ? "none" : "less";
}

std::string claims_chart(const std::vector<Experiment> &experiments) {
  std::vector<const Experiment *> rows;
  double low = 0.5, high = 16;
  for (const Experiment &e : experiments) {
    if (e.measured <= 0) continue;
    rows.push_back(&e);
    for (const double v : {e.claimed, e.measured}) {
      if (v <= 0) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  if (rows.empty()) return "";
  low = std::exp2(std::floor(std::log2(low)));
  high = std::exp2(std::ceil(std::log2(high)));
  const auto at = [&](double ratio) {
    return kLabNames + (kLabWidth - kLabRight - kLabNames) * std::log(ratio / low) / std::log(high / low);
  };
  const double height = kLabTop + kLabRow * static_cast<double>(rows.size()) + 10;
  std::string svg = "<svg id=\"chart-claims\" class=\"chart\" viewBox=\"0 0 " + number(kLabWidth) + " " +
                    number(height) + "\" role=\"img\" aria-label=\"Gains that the texts claim, and those measured\">\n";
  for (double v = low; v <= high * 1.01; v *= high / low > 300 ? 4 : 2) {
    svg += gpuopt_roofline::line(at(v), kLabTop - 8, at(v), height - 6, v == 1 ? "class=\"limit\"" : "class=\"grid\"");
    svg += text(at(v), 14, times(v), "class=\"soft\" text-anchor=\"middle\"");
  }
  double y = kLabTop + kLabRow / 2;
  for (const Experiment *e : rows) {
    std::string name = e->technique;
    if (name.size() > 52) name = name.substr(0, name.rfind(' ', 50)) + " ...";
    svg += text(0, y + 4, e->id, "class=\"mono soft\"") + text(62, y + 4, name, "");
    const double measured = at(e->measured);
    if (e->claimed > 0) {
      svg += gpuopt_roofline::line(at(e->claimed), y, measured, y, "class=\"reach\"");
      svg += gpuopt_roofline::circle(at(e->claimed), y, 5, "class=\"claimed\"", "claimed: " + times(e->claimed));
    }
    svg += gpuopt_roofline::circle(measured, y, 5.5, "class=\"" + verdict_class(*e) + "\"",
                                   "measured: " + times(e->measured) + ", " + e->verdict);
    const bool left = e->claimed > e->measured;
    svg += text(measured + (left ? -10 : 10), y + 4, times(e->measured),
                left ? "class=\"value\" text-anchor=\"end\"" : "class=\"value\"");
    y += kLabRow;
  }
  return svg + "</svg>\n";
}

std::string experiment_list(const std::vector<Experiment> &experiments) {
  std::string html;
  for (const Experiment &e : experiments) {
    html += "<details class=\"experiment\" data-verdict=\"" + verdict_class(e) +
            "\"><summary><span class=\"mono soft\">" + escaped(e.id) + "</span><span>" + escaped(e.technique) +
            "</span><span class=\"value\">" + (e.measured > 0 ? times(e.measured) : "") +
            "</span><span class=\"verdict " + verdict_class(e) + "\">" + escaped(e.verdict) +
            "</span></summary>\n<p><b>The text:</b> " + escaped(e.claim);
    if (e.claimed > 0) html += " (" + times(e.claimed) + ")";
    html += ".";
    if (e.measured > 0)
      html += " <b>Here:</b> " + times(e.measured) + ", \u201c" + escaped(e.after) + "\u201d against \u201c" +
              escaped(e.before) + "\u201d.";
    html += "</p>\n" + runs_table(e);
    if (!e.lines.empty()) html += lines_table(e);
    html += "<p>" + escaped(e.why) + "</p>\n";
    if (!e.note.empty()) html += "<p class=\"soft\">" + escaped(e.note) + "</p>\n";
    html += "</details>\n";
  }
  return html;
}

}  // namespace gpuopt_report
