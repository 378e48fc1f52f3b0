// The drawing: both axes logarithmic, slopes and roofs as lines, kernels as points.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gpuopt_roofline/markup.h"
#include "gpuopt_roofline/roofline.h"

namespace gpuopt_roofline {
namespace {

constexpr double kWidth = 960, kHeight = 560, kLeft = 70, kRight = 190, kTop = 24, kBottom = 52;
constexpr const char *kColours[] = {"#2563eb", "#dc2626", "#059669", "#d97706",
                                    "#7c3aed", "#0891b2", "#be185d", "#4d7c0f"};
constexpr size_t kColourCount = sizeof kColours / sizeof kColours[0];

// Decades around all that is drawn.
struct Axis {
  double low, high, from, to;  // values, and where they lie
  double at(double value) const {
    const double v = std::min(std::max(value, low), high);
    return from + (std::log10(v) - std::log10(low)) / (std::log10(high) - std::log10(low)) * (to - from);
  }
};

double decade_below(double value) { return std::pow(10, std::floor(std::log10(value))); }
double decade_above(double value) { return std::pow(10, std::ceil(std::log10(value))); }

Axis intensities(const Roofline &r) {
  double low = 0.1, high = 100;
  for (const Point &p : r.points) {
    for (const double v : {p.intensity, p.predicted, p.counted}) {
      if (v <= 0) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  return {decade_below(low), decade_above(high * 1.01), kLeft, kWidth - kRight};
}

Axis rates(const Roofline &r, const Axis &x) {
  double low = 1e30, high = 0;
  for (const Point &p : r.points) {
    if (p.gflops <= 0) continue;
    low = std::min(low, p.gflops);
    high = std::max(high, p.gflops);
  }
  for (const Ceiling &c : r.ceilings)
    if (c.flops) high = std::max(high, c.rate);
  if (const Ceiling *memory = memory_of(r)) low = std::min(low, memory->rate * x.low);
  if (high <= 0) high = 1000;
  return {decade_below(std::min(low, high / 10)), decade_above(high * 1.01), kHeight - kBottom, kTop};
}

std::string tick_text(double value) {
  if (value >= 1e6) return number(value / 1e6) + "M";
  if (value >= 1e3) return number(value / 1e3) + "k";
  return number(value);
}

void draw_axes(const Axis &x, const Axis &y, std::string *svg) {
  for (double v = x.low; v <= x.high * 1.001; v *= 10) {
    *svg += line(x.at(v), kTop, x.at(v), kHeight - kBottom, "class=\"grid\"");
    *svg += text(x.at(v), kHeight - kBottom + 18, tick_text(v), "text-anchor=\"middle\"");
  }
  for (double v = y.low; v <= y.high * 1.001; v *= 10) {
    *svg += line(kLeft, y.at(v), kWidth - kRight, y.at(v), "class=\"grid\"");
    *svg += text(kLeft - 6, y.at(v) + 4, tick_text(v), "text-anchor=\"end\"");
  }
  *svg += text((kLeft + kWidth - kRight) / 2, kHeight - 12, "arithmetic intensity, FLOP/B", "text-anchor=\"middle\"");
  *svg += text(16, kTop + 200, "GFLOP/s", "text-anchor=\"middle\" transform=\"rotate(-90 16 224)\"");
}

// Along the slope, above it but for the copy's: read and copy lie close.
void draw_slope_name(const Ceiling &c, const Axis &x, const Axis &y, double intensity, std::string *svg) {
  const double px = x.at(intensity), py = y.at(intensity * c.rate);
  const double angle =
      std::atan2(y.at(10 * intensity * c.rate) - py, x.at(10 * intensity) - px) * 180 / 3.14159265358979;
  char rate[32];
  std::snprintf(rate, sizeof rate, " %.0f GB/s", c.rate);
  *svg += text(px, py + (c.name == "copy" ? 14 : -6), c.name + rate,
               "class=\"name\" text-anchor=\"middle\" transform=\"rotate(" + number(angle) + " " + number(px) + " " +
                   number(py) + ")\"");
}

// A slope ends at the highest roof, a roof begins at the steepest slope of the memory.
void draw_ceilings(const Roofline &r, const Axis &x, const Axis &y, std::string *svg) {
  const Ceiling *const memory = memory_of(r);
  double highest = 0;
  for (const Ceiling &c : r.ceilings)
    if (c.flops) highest = std::max(highest, c.rate);
  if (highest <= 0) highest = y.high;
  double last_label = -100;
  std::vector<const Ceiling *> roofs;
  for (const Ceiling &c : r.ceilings) {
    if (c.rate <= 0) continue;
    if (c.flops) {
      roofs.push_back(&c);
      continue;
    }
    const double from = std::max(x.low, y.low / c.rate), to = std::min(x.high, highest / c.rate);
    if (from >= to) continue;
    *svg += line(x.at(from), y.at(from * c.rate), x.at(to), y.at(to * c.rate), "class=\"slope\"");
    draw_slope_name(c, x, y, std::sqrt(from * to), svg);
  }
  std::sort(roofs.begin(), roofs.end(), [](const Ceiling *a, const Ceiling *b) { return a->rate > b->rate; });
  for (const Ceiling *c : roofs) {
    const double from = memory ? std::min(x.high, c->rate / memory->rate) : x.low;
    *svg += line(x.at(from), y.at(c->rate), kWidth - kRight, y.at(c->rate), "class=\"roof\"");
    const double at = std::max(y.at(c->rate) + 4, last_label + 13);
    last_label = at;
    *svg += text(kWidth - kRight + 6, at, c->name + " " + number(c->rate / 1000) + " TF", "class=\"name\"");
  }
}

struct Box {
  double left, top, right, bottom;
  bool meets(const Box &b) const { return left < b.right && b.left < right && top < b.bottom && b.top < bottom; }
};

// Beside its point, at the first of some places that is free; the last of them where none is.
std::string label_of(const std::string &words, double x, double y, std::vector<Box> *taken) {
  constexpr double kLetter = 6.2, kHeightOfText = 11;
  const double width = kLetter * static_cast<double>(words.size());
  Box box = {};
  bool left = false;
  for (const double down : {-4.0, 14.0, -17.0, 27.0, 40.0, -30.0}) {
    for (const bool to_left : {false, true}) {
      left = to_left;
      const double from = left ? x - 9 - width : x + 9;
      box = {from, y + down - kHeightOfText + 2, from + width, y + down + 2};
      if (std::none_of(taken->begin(), taken->end(), [&](const Box &b) { return b.meets(box); })) {
        taken->push_back(box);
        return text(left ? box.right : box.left, box.bottom - 2, words,
                    left ? "class=\"point\" text-anchor=\"end\"" : "class=\"point\"");
      }
    }
  }
  return text(box.left, box.bottom - 2, words, "class=\"point\"");
}

void draw_points(const Roofline &r, const Axis &x, const Axis &y, std::string *svg) {
  size_t colour = 0;
  std::vector<Box> taken;
  const auto stands = [](const Point &p) { return p.gflops > 0 && p.intensity > 0; };
  const auto place_of = [&](const Point &p) { return x.at(p.predicted > 0 ? p.predicted : p.intensity); };
  for (const Point &p : r.points)
    if (stands(p)) taken.push_back({place_of(p) - 5, y.at(p.gflops) - 5, place_of(p) + 5, y.at(p.gflops) + 5});
  for (const Point &p : r.points) {
    if (!stands(p)) continue;
    const std::string fill = std::string("fill=\"") + kColours[colour++ % kColourCount] + "\"";
    const double px = place_of(p), py = y.at(p.gflops);
    if (p.predicted > 0)
      *svg += line(px, py, x.at(p.intensity), py, "class=\"operands\"") + circle(x.at(p.intensity), py, 2.5, fill);
    if (p.counted > 0) *svg += text(x.at(p.counted), py + 4, "x", "text-anchor=\"middle\" class=\"counted\"");
    *svg += circle(px, py, p.mark.empty() ? 4.5 : 7, fill,
                   p.label + " (" + p.kernel + "): " + number(p.gflops) + " GFLOP/s");
    *svg += label_of(p.mark.empty() ? p.label : p.mark + " " + p.label, px, py, &taken);
  }
}

}  // namespace

std::string svg_of(const Roofline &r) {
  const Axis x = intensities(r), y = rates(r, x);
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) + " " + number(kHeight) +
      "\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>Roofline of " +
      escaped(r.device) +
      "</title>\n<style>.grid{stroke:var(--line,#8884)}.slope,.roof{stroke:var(--soft,#475569);stroke-width:1.4}"
      ".slope{stroke-dasharray:6 3}.operands{stroke:var(--line,#8886)}.name{fill:var(--soft,#475569);font-size:11px}"
      ".point{font-size:11px}.counted{font-weight:bold}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"var(--card,#ffffff)\"/>\n";
  draw_axes(x, y, &svg);
  draw_ceilings(r, x, y, &svg);
  draw_points(r, x, y, &svg);
  return svg + "</svg>\n";
}

}  // namespace gpuopt_roofline
