// A page of what was measured: times of kernels, the machine's roofline, the experiments of the lab. One file of HTML with its
// charts as SVG, in the reader's light or dark; nothing of it comes from elsewhere, and without scripts only the buttons are gone.
#pragma once
#include <string>
#include <vector>

#include "gpuopt_roofline/roofline.h"

namespace gpuopt_report {

struct Kernel {
  std::string name;
  bool chosen = false;  // by the library, for this problem
  double us = 0;
};

struct Problem {
  std::string text;              // docs/call-text.md
  double flops = 0, bytes = 0;   // flops 0: rates are GB/s
  double bound_us = 0;           // what the device takes at least; 0: not known
  std::string bound_by;          // "fp32", "memory"
  std::vector<Kernel> kernels;   // that ran
  double rate(double us) const;  // TFLOP/s or GB/s
  std::string rate_text(double us) const;
};

struct LabRun {
  std::string label, kernel, failure;
  double us = 0;       // 0: it did not run
  std::string metric;  // "32 sectors a load request (computed)"; "": there is none
};

struct Experiment {
  std::string id, technique, claim, why, before, after, verdict, note;
  double claimed = 0, measured = 0;  // times as fast; 0: the text gives no number, it was not measured
  std::vector<LabRun> runs;
  std::vector<std::vector<std::string>> lines;  // of an experiment that compares no calls: a head and rows
};

struct Page {
  std::string device, build;
  std::vector<Problem> problems;
  std::vector<gpuopt_roofline::Roofline> rooflines;
  std::string lab_note;  // whether metrics were counted
  std::vector<Experiment> experiments;
};

std::string html_of(const Page &page);
// The ladder alone, a drawing of its own: the product of which the most kernels were timed. Empty: there is none.
std::string ladder_svg(const Page &page);

}  // namespace gpuopt_report
