// How calls are timed: by the host's clock; on a GPU by the library's own events, or, in a build with the benchmarks' timer, on
// the device without the host's part (bench/core/timing.h: modes S and G).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bench_call.h"
#include "of_call.h"
#include "race.h"
#include "samples.h"

namespace gpuopt_cli {

struct TimerOptions {
  gpuopt_call::Call call;  // that the library takes; its operands lie nowhere
  int32_t device = GPUOPT_DEVICE_CPU;
  std::string tune_cache;  // as gpuopt_options has it; of the choice between kernels it decides nothing
  int64_t repeat = 0;      // samples; 0: until the noise is little enough or the budget spent
  double noise = 0.01, budget_seconds = 1;  // of each kernel
  bool cold = false;                        // no operand is in a cache
  gpuopt_check::Data data = gpuopt_check::Data::normal;
  // Times are wanted to choose by, KernelTime::to_choose(): graphs of few calls, for who is compared is compared at one
  // temperature; of calls that are short also S from cold caches, whatever cold says; of long ones S alone.
  bool to_choose = false;
};

struct KernelTime {
  std::string kernel;
  bool chosen = false;
  gpuopt_measure::Time time;  // by the host's clock or the library's events, or mode S
  double p10_us = 0, p90_us = 0;
  gpuopt_measure::Time graph;  // mode G, where it was measured
  int64_t samples = 0;
  bool short_call = false;  // time and graph both count
  std::string failure;
  // A graph shows what a kernel takes, a single call also what its launch does; graphs are what there is more of.
  const gpuopt_measure::Time &best() const { return graph.us > 0 ? graph : time; }
  gpuopt_measure::Time to_choose() const { return short_call ? gpuopt_measure::both_modes(time, graph) : best(); }
};

class BenchTimer {
 public:
  virtual ~BenchTimer() = default;
  virtual gpuopt_handle *handle() = 0;
  virtual const char *method() const = 0;  // a sentence for the table's head
  virtual bool has_graphs() const = 0;     // measures mode G, too
  // A call on memory that lives as long as this; the first of the sets.
  virtual BenchCall &call() = 0;
  // What the device tells of its clocks: where its NVML knows it by; "" where it cannot be asked.
  virtual std::string pci_bus_id() const { return ""; }
  // Fills in the times of kernels that can run the call. The handle is left without a forced kernel.
  void time(std::vector<KernelTime> *kernels) { time_within(kernels, 1); }
  virtual void time_within(std::vector<KernelTime> *kernels, double share_of_budget) = 0;
  // Takes single samples, of what to_choose() is of, of kernels by their index: until the next of these functions is called. Those
  // that fail give 0 from then on.
  virtual gpuopt_measure::Sampler sampler(const std::vector<std::string> &kernels) = 0;
};

// Throws std::runtime_error when the device cannot be used or has no room.
std::unique_ptr<BenchTimer> make_timer(const TimerOptions &options);
std::unique_ptr<BenchTimer> make_host_timer(const TimerOptions &options);
// nullptr: this build has no device timer.
std::unique_ptr<BenchTimer> make_device_timer(const TimerOptions &options);

// Without a forced kernel, whatever the environment says: what fills operands must not be forced.
gpuopt_handle *make_handle(const TimerOptions &options, struct CUstream_st *stream);
// The ordinal that a handle has for what --device says; GPUOPT_DEVICE_CPU for the CPU.
int32_t ordinal_of(int32_t device);

// The time that the handle's kernels took since the counters were reset, microseconds.
double counted_us(gpuopt_handle *handle);

[[noreturn]] void throw_last_error();  // std::runtime_error

}  // namespace gpuopt_cli
