// The page: head, figures, and a section for each thing that was measured.
#include "gpuopt_report/page.h"

#include <cstdio>

#include "gpuopt_roofline/markup.h"
#include "sections.h"

namespace gpuopt_report {

using gpuopt_roofline::escaped;

namespace {

std::string tile(const std::string &value, const std::string &unit, const std::string &what) {
  return "<div class=\"tile\"><b>" + value + "</b><span>" + unit + "</span><small>" + escaped(what) +
         "</small></div>\n";
}

// A memory, the arithmetic, the tensor cores, and how the claims fared.
std::string tiles(const Page &page) {
  std::string html;
  if (!page.rooflines.empty())
    for (const char *name : {"copy", "fp32 FMA", "bf16 tensor", "e4m3 tensor"})
      if (const gpuopt_roofline::Ceiling *c = page.rooflines[0].find(name))
        html +=
            c->flops ? tile(formatted(c->rate / 1000), "TFLOP/s", c->name) : tile(formatted(c->rate), "GB/s", c->name);
  size_t judged = 0, confirmed = 0;
  for (const Experiment &e : page.experiments) {
    judged += e.claimed > 0 && e.measured > 0;
    confirmed += e.claimed > 0 && verdict_class(e) == "good";
  }
  if (judged > 0)
    html += tile(std::to_string(confirmed) + " / " + std::to_string(judged), "", "claimed factors that hold here");
  return html.empty() ? "" : "<div class=\"tiles\">\n" + html + "</div>\n";
}

std::string ceilings_table(const gpuopt_roofline::Roofline &r) {
  std::string html = "<table class=\"runs\"><tr><th>ceiling</th><th>rate</th><th>measured by</th></tr>\n";
  for (const gpuopt_roofline::Ceiling &c : r.ceilings)
    html += "<tr><td>" + escaped(c.name) + "</td><td class=\"value\">" +
            (c.flops ? formatted(c.rate / 1000) + " TFLOP/s" : formatted(c.rate) + " GB/s") +
            "</td><td class=\"soft\">" + escaped(c.method) + "</td></tr>\n";
  html +=
      "</table>\n<table class=\"runs\"><tr><th>point</th><th>kernel</th><th>FLOP/B</th><th>GFLOP/s</th><th>of its bound"
      "</th><th>what next</th></tr>\n";
  for (const gpuopt_roofline::Point &p : r.points) {
    const gpuopt_roofline::Placed placed = gpuopt_roofline::place(r, p);
    html += "<tr><td>" + escaped(p.mark.empty() ? p.label : p.mark + ", " + p.label) + "</td><td class=\"mono\">" +
            escaped(p.kernel) + "</td><td class=\"value\">" + formatted(p.predicted > 0 ? p.predicted : p.intensity) +
            "</td><td class=\"value\">" + formatted(p.gflops) + "</td><td class=\"value\">" +
            (placed.bound > 0 ? formatted(100 * placed.share) + " %" : "-") + "</td><td class=\"soft\">" +
            escaped(placed.next) + "</td></tr>\n";
  }
  return html + "</table>\n";
}

std::string section(const char *id, const std::string &title, const std::string &lead, const std::string &body) {
  return std::string("<section id=\"") + id + "\"><h2>" + title + "</h2>\n<p class=\"lead\">" + lead + "</p>\n" + body +
         "</section>\n";
}

std::string roofline_section(const std::vector<gpuopt_roofline::Roofline> &rooflines) {
  std::string body;
  for (const gpuopt_roofline::Roofline &r : rooflines) {
    body += "<figure class=\"roofline\"><figcaption>" + escaped(r.device) + "</figcaption>\n" +
            gpuopt_roofline::svg_of(r) + "<details><summary>The numbers</summary>\n" + ceilings_table(r) + "</details>";
    if (!r.note.empty()) body += "<p class=\"soft\">" + escaped(r.note) + "</p>";
    body += "</figure>\n";
  }
  return section(
      "roofline", "Roofline",
      "Dashed lines are what the memories deliver, flat lines what the arithmetic units do, all of it measured on "
      "this machine. A rung of the ladder stands where its code asks for bytes, with a line to where its operands, "
      "moved once, would put it. A1, A2 and A3 are the three places of the textbook: near the slope, far below "
      "it, near the roof.",
      body);
}

std::string lab_section(const Page &page) {
  return section(
      "lab", "The lab",
      "Each technique of the teaching texts as a pair of kernels, before and after. Rings are what the text "
      "claims, dots what this machine measures; where they disagree, the list below says why. " +
          escaped(page.lab_note),
      claims_chart(page.experiments) +
          "<div class=\"filters\" hidden=\"hidden\"><button data-show=\"\">all</button><button data-show=\"good\">hold"
          "</button><button data-show=\"more\">more than claimed</button><button data-show=\"less\">less, or "
          "otherwise</button><button data-show=\"none\">not run</button></div>\n" +
          experiment_list(page.experiments));
}

}  // namespace

double Problem::rate(double us) const { return us <= 0 ? 0 : flops > 0 ? flops / us * 1e-6 : bytes / us * 1e-3; }

std::string Problem::rate_text(double us) const { return formatted(rate(us)) + (flops > 0 ? " TFLOP/s" : " GB/s"); }

std::string formatted(double value) {
  char text[48];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.3g", value);
  std::string digits = text;
  for (size_t i = digits.size(); value >= 1000 && i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string html_of(const Page &page) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src "
      "'unsafe-inline'\"/>\n<title>gpuopt on " +
      escaped(page.device) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<header><h1>" +
      escaped(page.device) +
      "</h1>\n<p class=\"soft\">What this machine can do, which kernel comes how near, and which of the "
      "textbooks\u2019 "
      "claims hold here. " +
      escaped(page.build) + ".</p>\n<nav>";
  const Problem *const ladder = ladder_of(page);
  std::string body;
  const auto add = [&](bool there, const char *id, const char *name, const std::string &what) {
    if (!there) return;
    html += std::string("<a href=\"#") + id + "\">" + name + "</a>";
    body += what;
  };
  add(ladder, "ladder", "Ladder",
      !ladder ? ""
              : section("ladder", "The ladder",
                        "One product, <span class=\"mono\">" + escaped(ladder->text) +
                            "</span>, by every kernel that can run it: each rung changes one thing.",
                        ladder_chart(*ladder)));
  add(!page.rooflines.empty(), "roofline", "Roofline", roofline_section(page.rooflines));
  add(!page.experiments.empty(), "lab", "Lab", lab_section(page));
  add(!page.problems.empty(), "bench", "Bench",
      section("bench", "Bench",
              "The kernels of each call, timed side by side; the one that the library chooses stands out.",
              bench_cards(page.problems)));
  html += "<button id=\"theme\" hidden=\"hidden\">light or dark</button></nav></header>\n<main>\n" + tiles(page) +
          body + "</main>\n<script>" + kScript + "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace gpuopt_report
