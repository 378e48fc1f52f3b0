// The experiments of the five teaching texts that this project began with, as rows of data: what is run, what the text claims of
// it, which metric proves it. `gpuopt lab` runs them.
#pragma once
#include <string>
#include <vector>

#include "gpuopt_lab/metric.h"

namespace gpuopt_lab {

// One way to do the work. Several calls, one after the other, have ';' between their texts and between their kernels.
struct Run {
  std::string label;
  std::string kernel;   // forced; "": the automatic choice; "cpu:NAME": on the CPU, also where there is a GPU
  std::string problem;  // a call as text (docs/call-text.md)
  std::string data = "normal";
  double computed = -1;  // the metric's value as it follows from the code; below 0: it does not
  // Lines of code, no comments, of all that was written for it; 0: not counted. source: where they stand, a .cu file with all of
  // src/kernels that it includes, or FILE.py:FUNCTION.
  int lines = 0;
  std::string source = "";
};

enum class Kind {
  calls,            // runs
  bytes_in_flight,  // copy kernels with more and more of an SM's memory under way
  latencies,        // one load after the other, from each memory
  transfer,         // a product's operands to the device, the product, its result back
};

struct Experiment {
  std::string id;         // the text's number and section, and a letter: "004.1b"
  std::string technique;  // what after does that before does not
  std::string claim;      // the text's
  double claimed = 0;     // times as fast, after over before; 0: it claims no such number
  std::vector<Run> runs;
  size_t before = 0, after = 1;  // of runs
  Metric metric = Metric::none;
  std::string why;      // where today's hardware and the claim disagree
  bool errors = false;  // of the results, beside the times
  Kind kind = Kind::calls;
  bool of_bound = false;  // each time also as a share of the least that the first run's call can take
};

const std::vector<Experiment> &experiments();
// Kernels of examples/plugin_triton beside ours; they need its plugin.
const std::vector<Experiment> &twins();
// Both, in this order.
std::vector<const Experiment *> every_experiment();
// Those of "all" (without the twins), of "triton" (the twins), of an id, or of a section: "004.1" has 004.1a and 004.1b, not
// 004.10a. "001.6" may be an experiment itself.
std::vector<const Experiment *> find_experiments(const std::string &id);

// A call that is all memory, as several experiments make it.
constexpr const char *kRelu = "fused_act x=16384x8192:f32 out=16384x8192:f32 stage=RELU";

// By file: products, memory, warps.
std::vector<Experiment> gemm_experiments();
std::vector<Experiment> memory_experiments();
std::vector<Experiment> warp_experiments();
std::vector<Experiment> triton_experiments();

}  // namespace gpuopt_lab
