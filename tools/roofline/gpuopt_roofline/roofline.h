// A roofline: what a machine can do at most, and where kernels stand below that. Rates are GB/s and GFLOP/s, intensity is FLOP/B.
#pragma once
#include <string>
#include <vector>

namespace gpuopt_roofline {

struct Ceiling {
  std::string name;    // "copy", "fp32 FMA", "bf16 tensor"
  bool flops = false;  // a flat roof, else a slope
  double rate = 0;     // GFLOP/s or GB/s
  std::string method;
};

struct Point {
  std::string label, kernel, problem, mark;  // mark: "A1", "A2", "A3" of text 003; or ""
  std::string roof;                          // the flat roof that it stands below
  double intensity = 0;                      // flops over the bytes that operands have, each once
  double gflops = 0;
  double us = 0;
  // Flops over the bytes that the code asks of the memory behind its tiles, 0.25 times the tile's width for a square one; 0:
  // nothing is said of it. counted: the same of the bytes that ncu saw asked of L2; 0: it did not.
  double predicted = 0, counted = 0;
};

struct Roofline {
  std::string device, note;  // note: what could not be measured, and why
  std::vector<Ceiling> ceilings;
  std::vector<Point> points;

  const Ceiling *find(const std::string &name) const;
};

// The slope that points stand below, "read" or "copy", whichever is the faster; nullptr: none was measured.
const Ceiling *memory_of(const Roofline &roofline);
// FLOP/B where slope and roof meet.
double ridge(const Ceiling &memory, const Ceiling &roof);

struct Placed {
  double bound = 0;           // GFLOP/s at its intensity
  bool memory_bound = false;  // left of the ridge
  double share = 0;           // of the bound
  std::string next;           // what to do about it, in the words of text 003
};
// bound 0: the roofline has not what it takes.
Placed place(const Roofline &roofline, const Point &point);

std::string svg_of(const Roofline &roofline);  // colours are a page's --ink, --soft, --line, --card, where it has them

}  // namespace gpuopt_roofline
