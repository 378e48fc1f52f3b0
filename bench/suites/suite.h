// What the suites share: a case is one problem with all its contenders; running it measures them in both modes and adds
// rows with ratios to the record.
#pragma once
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "../core/memory.h"
#include "../core/other_build.h"
#include "../core/record.h"
#include "../core/timing.h"
#include "library.h"
#include "shape.h"

namespace gpuopt_bench {

struct Options {
  bool quick = false;                // the rows marked quick, fewer samples
  bool all_kernels = false;          // every kernel that can run, not only the chosen one
  std::string filter;                // only cases whose "suite shape type detail" contains it
  std::vector<std::string> kernels;  // globs: with all_kernels, only matching ones
  std::vector<std::string> shapes;   // in place of the suite's own (shape.h)
  bool peers = true;                 // false: no other library is measured beside ours
  int count = 0;                     // selection: problems of each op; model_rows: of all; 0: the suite's own
  uint64_t seed = 0;                 // selection, model_rows
  bool seed_given = false;           // model_rows has a seed of its own
};

// The shapes asked for, read by the suite; empty where none were.
template <class Shape>
std::vector<Shape> asked_shapes(const Options &options, Shape (*read)(const std::string &)) {
  std::vector<Shape> shapes;
  for (const std::string &text : options.shapes) shapes.push_back(read(text));
  return shapes;
}

struct Context {
  Session &session;
  Library &library;
  Record &record;
  Options options;
  const Record *earlier = nullptr;  // what this run continues, if anything
  OtherBuild *other = nullptr;      // the build that ours is compared with, if any
};

struct Case {
  std::string suite, shape, type, detail;
  double work = 0;  // useful flops or bytes
  bool is_flops = false;
  Cache cache = Cache::cold;
  std::shared_ptr<OperandSets> operands;
  std::vector<std::shared_ptr<const void>> kept;  // what the calls point to beside the operands
  int64_t bytes_per_call = 0;                     // that one call touches
  double ceiling_us = 0;                          // worked out rather than measured; 0: none
  double budget_ms = 50;  // device time for each contender and mode, roughly; --quick has its own
  std::string problem;    // suite targets: by which its numbers know it
  std::vector<Contender> contenders;
  std::vector<Role> roles;           // of each
  std::vector<std::string> kernels;  // of each that is ours
  std::vector<double> predicted_us;  // likewise; 0: no prediction
  std::string call;                  // the whole problem of ours (gpuopt_call/text.h)

  std::string label() const { return suite + " " + shape + " " + type + " " + detail; }
  void add(Role role, Contender contender, std::string kernel = "", double predicted_us = 0);
  void add(Role role, std::vector<Contender> contenders);
  // Our automatic choice, that of the build it is compared with, and, when asked, every kernel that can run.
  void add_library(Context &context, const LibraryCall &call);
};

// A case with its names alone.
Case named_case(std::string suite, std::string shape, std::string type, std::string detail);
// A row with the names of a case; its contender and times are still to come.
Row row_of(const Case &c, Mode mode);

// A case that has its names and work, and not yet its operands and contenders: what the options leave out costs nothing.
struct Plan {
  Case names;
  bool quick = true;
  bool single_only = false;                      // S, whatever its length
  std::function<void(Context &, Case *)> build;  // adds operands and contenders; throws Refused
};

// Does the kernel match the globs of the options, or are there none?
bool wanted(const Options &options, const std::string &kernel);
// True when the options leave this case out.
bool left_out(const Context &context, const Case &c, bool quick_row);
// Measures: S always, G where a call is short enough for launches to matter. Prints one line a contender.
void run_case(Context &context, const Case &c);
void run_mode(Context &context, const Case &c, Mode mode);  // this mode only
// Builds and measures what the options do not leave out.
void run_plan(Context &context, const Plan &plan);

// The plans of the shapes that were asked for, or of the suite's own.
template <class Shape, size_t N>
void run_shapes(Context &context, const std::string &suite, Shape (*read)(const std::string &), const Shape (&own)[N],
                Plan (*plan)(const std::string &suite, const Shape &shape)) {
  std::vector<Shape> shapes = asked_shapes(context.options, read);
  if (shapes.empty()) shapes.assign(std::begin(own), std::end(own));
  for (const Shape &s : shapes) run_plan(context, plan(suite, s));
}
// The measurement alone, for suites with a procedure of their own. Where ours is slower than the build it is compared with,
// it is made three times more, and that between the others counts.
std::vector<Timing> measure_case(Context &context, const Case &c, Mode mode);
std::vector<Timing> measure_against(Context &context, const std::vector<Contender> &contenders,
                                    const MeasureOptions &options);
// A case that cannot be measured here (not enough memory) is named and left out.
void report_left_out(const Case &c, const std::string &reason);
// Its place in the record, for suites that must account for every case: our automatic choice or, where it is named, one
// kernel, not timed.
void add_failure(Context &context, const Case &c, const std::string &reason, Mode mode = Mode::single,
                 const std::string &kernel = "");

void add_check(Context &context, const std::string &name, double value, double limit, const std::string &unit);

std::string shape_text(int64_t a, int64_t b, int64_t c = -1);

void run_honesty(Context &context);
void run_copy(Context &context);
void run_gemm(Context &context);
void run_gemm_layers(Context &context);
void run_gemm_invariant(Context &context);
void run_gemm_grouped(Context &context);
void run_gemm_block_scales(Context &context);
void run_transpose(Context &context);
void run_reduce(Context &context);
void run_fused_act(Context &context);
void run_fused_table(Context &context);
void run_norm(Context &context);
void run_ladder(Context &context);
void run_targets(Context &context);
void run_every_kernel(Context &context);
void run_selection(Context &context);
void run_model_rows(Context &context);
void run_host_overhead(Context &context);

// Is the text a shape of the suite? Throws BadShape.
void check_gemm_shape(const std::string &text);
void check_transpose_shape(const std::string &text);
void check_reduce_shape(const std::string &text);
void check_fused_act_shape(const std::string &text);
void check_norm_shape(const std::string &text);
void check_ladder_shape(const std::string &text);
void check_targets();  // are the problems of the targets such shapes?

}  // namespace gpuopt_bench
