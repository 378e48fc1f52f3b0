// Where kernels stand below a roofline, and its drawing.
#include "support.h"

#include <algorithm>
#include <cctype>

#include "gpuopt_roofline/intensity.h"
#include "gpuopt_roofline/roofline.h"

using namespace gpuopt_roofline;
using namespace gpuopt_test;

namespace {

Roofline example() {
  Roofline r;
  r.device = "a <GPU> & \"more\"";
  r.ceilings = {{"copy", false, 4000, "m"},
                {"read", false, 4400, "m"},
                {"fp32 FMA", true, 60000, "m"},
                {"bf16 tensor", true, 700000, "gemm"}};
  const auto point = [&](const char *label, const char *mark, double intensity, double gflops) {
    Point p;
    p.label = label;
    p.mark = mark;
    p.kernel = "k";
    p.roof = "fp32 FMA";
    p.intensity = intensity;
    p.gflops = gflops;
    r.points.push_back(p);
  };
  point("relu", "A1", 0.125, 500);
  point("naive", "A2", 0.25, 300);
  point("product", "A3", 1365, 51000);
  r.points[1].predicted = 0.25;
  r.points[1].counted = 0.4;
  return r;
}

// Whether tags close in the order in which they opened, and no bare & or < is in between.
std::string fault_of(const std::string &text) {
  std::vector<std::string> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const size_t end = text.find(';', i);
      if (end == std::string::npos || end - i > 6) return "bare & at " + std::to_string(i);
    }
    if (text[i] != '<' || text.compare(i, 2, "<!") == 0) continue;
    const size_t end = text.find('>', i);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = text.substr(i + 1, end - i - 1);
    if (tag.empty() || tag.find('<') != std::string::npos) return "a bare < at " + std::to_string(i);
    if (std::count(tag.begin(), tag.end(), '"') % 2) return "an open quote in " + tag;
    size_t length = tag[0] == '/' ? 1 : 0;
    while (length < tag.size() && std::isalnum(static_cast<unsigned char>(tag[length]))) ++length;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1, length - 1)) return "</" + tag + " closes nothing";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, length));
    }
    i = end;
  }
  return open.empty() ? "" : open.back() + " is never closed";
}

}  // namespace

TEST_CASE("roofline: a kernel left of the ridge is bound by memory, right of it by arithmetic") {
  const Roofline r = example();
  CHECK(memory_of(r)->name == "read");
  CHECK(ridge(*memory_of(r), *r.find("fp32 FMA")) == doctest::Approx(60000.0 / 4400));
  const Placed relu = place(r, r.points[0]), naive = place(r, r.points[1]), product = place(r, r.points[2]);
  CHECK(relu.memory_bound);
  CHECK(relu.bound == doctest::Approx(550));
  CHECK(relu.share == doctest::Approx(500.0 / 550));
  CHECK(contains(relu.next, "near the slope"));
  CHECK(contains(naive.next, "far below the slope"));
  CHECK(!product.memory_bound);
  CHECK(product.bound == 60000);
  CHECK(contains(product.next, "near the roof"));
}

TEST_CASE("roofline: without a ceiling nothing is said of a kernel's bound") {
  Roofline r = example();
  r.ceilings.clear();
  CHECK(memory_of(r) == nullptr);
  CHECK(place(r, r.points[0]).bound == 0);
}

TEST_CASE("roofline: a tile multiplies the intensity of the naive product by its width") {
  CHECK(tiled_intensity(1, 1) == 0.25);
  for (const double width : {16.0, 32.0, 64.0}) CHECK(tiled_intensity(width, width) == doctest::Approx(0.25 * width));
  CHECK(rung_intensity("gemm_naive") == 0.25);
  CHECK(rung_intensity("gemm_tiled_32") == 8);
  CHECK(rung_intensity("gemm_cublaslt") == 0);
}

TEST_CASE("roofline: the drawing is well formed and holds every ceiling and point") {
  const Roofline r = example();
  const std::string svg = svg_of(r);
  CHECK(fault_of(svg) == "");
  for (const char *text : {"read", "fp32 FMA", "bf16 tensor", "A1 relu", "A2 naive", "A3 product", "&lt;GPU&gt;"})
    CHECK_MESSAGE(contains(svg, text), text);
}

TEST_CASE("roofline: an empty one is drawn too") { CHECK(fault_of(svg_of(Roofline())) == ""); }
