// Times on the device, by the benchmarks' timer.
#include "bench_timer.h"

#if GPUOPT_CLI_HAVE_BENCH_CORE
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/memory.h"
#include "core/timing.h"
#include "operand_fill.h"

namespace gpuopt_cli {
namespace {

using namespace gpuopt_bench;

class DeviceTimer : public BenchTimer {
 public:
  explicit DeviceTimer(const TimerOptions &options) : options_(options), session_(options.device) {
    handle_ = make_handle(options, session_.stream());
    try {
      const auto none = [](gpuopt_dtype, int64_t) -> void * { return nullptr; };
      const int sets = options.cold ? sets_past_l2(session_.device(), make_bench_call(options.call, none)->bytes) : 1;
      for (int i = 0; i < sets; ++i)
        calls_.push_back(
            make_bench_call(options.call, [this](gpuopt_dtype type, int64_t count) { return memory(type, count); }));
      for (const auto &call : calls_) fill_groups(handle_, &call->call);
      BENCH_CUDA(cudaStreamSynchronize(session_.stream()));
    } catch (...) {
      gpuopt_destroy(handle_);
      throw;
    }
  }
  ~DeviceTimer() override {
    end_sampler();
    gpuopt_destroy(handle_);
  }
  DeviceTimer(const DeviceTimer &) = delete;
  DeviceTimer &operator=(const DeviceTimer &) = delete;

  gpuopt_handle *handle() override { return handle_; }
  const char *method() const override {
    return options_.cold ? "device time, cold cache: S a single call behind a spin, G per call in a graph"
                         : "device time, operands resident: S a single call behind a spin, G per call in a graph";
  }
  bool has_graphs() const override { return true; }
  std::string pci_bus_id() const override { return session_.device().pci_bus_id; }
  BenchCall &call() override { return *calls_[0]; }

  void time_within(std::vector<KernelTime> *kernels, double share_of_budget) override {
    warm_up(kLongestWarmUpMs);
    std::vector<Contender> contenders;
    for (const KernelTime &k : *kernels) contenders.push_back(contender(k.kernel));
    std::vector<size_t> all(kernels->size());
    std::iota(all.begin(), all.end(), size_t{0});
    MeasureOptions single = measure_options(Mode::single, share_of_budget);
    if (options_.to_choose) single.least = single.most = 1;  // a look at which are short
    time_single(single, contenders, all, kernels);
    double least_us = INFINITY;
    std::vector<size_t> in_graph, alone;
    for (const size_t i : all) {
      const KernelTime &k = (*kernels)[i];
      if (!k.failure.empty()) continue;
      (k.time.us > kLongestInGraphUs ? alone : in_graph).push_back(i);
      least_us = std::min(least_us, k.time.us);
    }
    const std::vector<Timing> graph =
        session_.measure(chosen(contenders, in_graph), measure_options(Mode::graph, share_of_budget));
    std::vector<size_t> both;
    for (size_t i = 0; i < graph.size(); ++i) {
      (graph[i].ok() ? both : alone).push_back(in_graph[i]);
      if (graph[i].ok()) (*kernels)[in_graph[i]].graph = {graph[i].median_us, graph[i].noise};
    }
    if (options_.to_choose) {
      time_single(measure_options(Mode::single, share_of_budget), contenders, alone, kernels);
      if (least_us <= gpuopt_measure::kLongestShortUs) {
        time_single(alone_options(share_of_budget), contenders, both, kernels);
        for (const size_t i : both) (*kernels)[i].short_call = true;
      }
    }
    done();
  }

  gpuopt_measure::Sampler sampler(const std::vector<std::string> &kernels) override {
    warm_up(kShortWarmUpMs);  // what is compared is of one round
    std::vector<Contender> contenders;
    for (const std::string &k : kernels) contenders.push_back(contender(k));
    alone_ = std::make_unique<Contest>(&session_, contenders, measure_options(Mode::single, 1));
    double least_us = INFINITY, most_us = 0;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (!alone_->failure(i).empty()) continue;
      least_us = std::min(least_us, alone_->estimate_us(i));
      most_us = std::max(most_us, alone_->estimate_us(i));
    }
    if (most_us <= kLongestInGraphUs)
      in_graph_ = std::make_unique<Contest>(&session_, contenders, measure_options(Mode::graph, 1));
    // Who can run and not be captured is compared with the others by single calls.
    for (size_t i = 0; i < kernels.size(); ++i)
      if (in_graph_ && alone_->failure(i).empty() && !in_graph_->failure(i).empty()) in_graph_.reset();
    const bool both = in_graph_ && least_us <= gpuopt_measure::kLongestShortUs;
    if (both) alone_ = std::make_unique<Contest>(&session_, contenders, alone_options(1));
    return [this, both](size_t i) {
      double us = in_graph_ ? in_graph_->sample(i) : alone_->sample(i);
      if (both && us > 0) us = gpuopt_measure::both_modes(alone_->sample(i), us);
      done();
      return us;
    };
  }

 private:
  // The clocks of a device that has just worked are up.
  void warm_up(double longest_ms) {
    end_sampler();
    session_.warm_up(std::min(longest_ms, idle_ms()));
  }
  void end_sampler() {
    alone_.reset();
    in_graph_.reset();
  }
  void done() {
    gpuopt_set_kernel(handle_, nullptr);
    worked_ = std::chrono::steady_clock::now();
  }

  Contender contender(const std::string &name) {
    return {name, [this, name](cudaStream_t, int set) { run(name, set, run_call); },
            [this, name](int set) { run(name, set, prepare_call); }};
  }
  static std::vector<Contender> chosen(const std::vector<Contender> &all, const std::vector<size_t> &index) {
    std::vector<Contender> some;
    for (const size_t i : index) some.push_back(all[i]);
    return some;
  }

  MeasureOptions measure_options(Mode mode, double share_of_budget) const {
    MeasureOptions o;
    o.mode = mode;
    o.cache = options_.cold ? Cache::cold : Cache::resident;
    o.sets = static_cast<int>(calls_.size());
    o.bytes_per_set = calls_[0]->bytes;
    o.budget_ms = 100 * options_.budget_seconds * share_of_budget;
    o.noise = options_.repeat ? 0 : options_.noise;
    if (options_.repeat) o.least = o.most = static_cast<int>(options_.repeat);
    if (options_.to_choose) o.least_nodes = kFewNodes;
    return o;
  }
  // A call that stands alone finds nothing of its own in the caches, neither operands nor code; the cache is cleared before each,
  // also where sets are many: a graph that takes turns with it has used some of them. Larger sets are out of it without that.
  MeasureOptions alone_options(double share_of_budget) const {
    MeasureOptions o = measure_options(Mode::single, share_of_budget);
    o.cache = Cache::cold;
    if (needs_clearing(static_cast<int64_t>(session_.device().l2_bytes), o.bytes_per_set, 1, {})) o.sets = 1;
    return o;
  }

  void time_single(const MeasureOptions &o, const std::vector<Contender> &contenders, const std::vector<size_t> &index,
                   std::vector<KernelTime> *kernels) {
    const std::vector<Timing> single = session_.measure(chosen(contenders, index), o);
    for (size_t i = 0; i < single.size(); ++i) {
      KernelTime &k = (*kernels)[index[i]];
      k.time = {single[i].median_us, single[i].noise};
      k.p10_us = single[i].p10_us;
      k.p90_us = single[i].p90_us;
      k.samples = single[i].samples;
      k.failure = single[i].failure;
    }
  }

  static double idle_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - worked_).count();
  }
  static constexpr double kLongestInGraphUs = 1000, kLongestWarmUpMs = 200, kShortWarmUpMs = 20;
  static constexpr int kFewNodes = 2;  // rounds are short, so that who is compared is compared at one temperature
  static std::chrono::steady_clock::time_point worked_;  // when a timer of this process was last done

  static gpuopt_status run_call(gpuopt_handle *h, gpuopt_call::Call *call) { return call->run(h); }
  static gpuopt_status prepare_call(gpuopt_handle *h, gpuopt_call::Call *call) {
    return gpuopt_prepare(h, call->args());
  }
  void run(const std::string &kernel, int set, gpuopt_status (*action)(gpuopt_handle *, gpuopt_call::Call *)) {
    gpuopt_status s = gpuopt_set_kernel(handle_, kernel.c_str());
    if (s == GPUOPT_OK) s = action(handle_, &calls_[static_cast<size_t>(set)]->call);
    if (s == GPUOPT_OK) return;
    if (s == GPUOPT_CUDA_ERROR) throw CudaError(gpuopt_last_error());
    throw Refused(gpuopt_last_error());
  }

  void *memory(gpuopt_dtype type, int64_t count) {
    blocks_.emplace_back(static_cast<size_t>(count * gpuopt_dtype_size(type)));
    if (options_.data == gpuopt_check::Data::normal)
      fill_normal(blocks_.back().data(), type, count, blocks_.size(), session_.stream());
    else
      fill_operand(handle_, blocks_.back().data(), type, count, options_.data);
    return blocks_.back().data();
  }

  TimerOptions options_;
  Session session_;
  std::vector<DeviceMemory> blocks_;
  gpuopt_handle *handle_ = nullptr;
  std::vector<std::unique_ptr<BenchCall>> calls_;
  std::unique_ptr<Contest> alone_, in_graph_;  // of the sampler
};

std::chrono::steady_clock::time_point DeviceTimer::worked_;

}  // namespace

std::unique_ptr<BenchTimer> make_device_timer(const TimerOptions &options) {
  return std::make_unique<DeviceTimer>(options);
}

}  // namespace gpuopt_cli
#else

namespace gpuopt_cli {
std::unique_ptr<BenchTimer> make_device_timer(const TimerOptions &) { return nullptr; }
}  // namespace gpuopt_cli
#endif
