// Times by the host's clock, from the call to the end; on a GPU by the events of the library's profiling, so that the launch and
// the wait are not in them.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "bench_timer.h"
#include "evict.h"
#include "operand_fill.h"

namespace gpuopt_cli {
namespace {

constexpr size_t kMostSamples = 2000;
constexpr int64_t kMostSets = 64;
constexpr double kMostBudgets = 10;
constexpr size_t kCopiedAtOnce = size_t{4} << 20;
constexpr double kLeastSampleUs = 20;  // shorter calls are timed several at once, or the clock's own time would count

// Bytes of the last cache before the memory that operands lie in.
int64_t last_cache(gpuopt_handle *handle, bool gpu) {
  int64_t known = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (gpu) {
    gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
    if (gpuopt_get_device(handle, &facts) != GPUOPT_OK) throw_last_error();
    known = facts.l2_bytes;
  }
  return known > 0 ? known : int64_t{64} << 20;
}

// Operand sets that together are twice that cache, as far as there may be so many.
int64_t sets_past_cache(int64_t bytes_per_set, int64_t cache) {
  return std::clamp<int64_t>(2 * cache / std::max<int64_t>(bytes_per_set, 1) + 1, 2, kMostSets);
}

class HostTimer : public BenchTimer {
 public:
  explicit HostTimer(const TimerOptions &options) : options_(options), handle_(make_handle(options, nullptr)) {
    try {
      const auto none = [](gpuopt_dtype, int64_t) -> void * { return nullptr; };
      const int64_t bytes = make_bench_call(options.call, none)->bytes, cache = last_cache(handle_, on_gpu());
      const int64_t sets = options.cold ? sets_past_cache(bytes, cache) : 1;
      for (int64_t i = 0; i < sets; ++i) {
        first_block_.push_back(blocks_.size());
        calls_.push_back(
            make_bench_call(options.call, [this](gpuopt_dtype type, int64_t count) { return memory(type, count); }));
      }
      first_block_.push_back(blocks_.size());
      if (options.cold && sets * bytes < 2 * cache) clear_before_calls(cache);
      for (const auto &call : calls_) fill_groups(handle_, &call->call);
      if (on_gpu()) gpuopt_set_profiling(handle_, 1);
    } catch (...) {
      release();
      throw;
    }
  }
  ~HostTimer() override { release(); }
  HostTimer(const HostTimer &) = delete;
  HostTimer &operator=(const HostTimer &) = delete;

  gpuopt_handle *handle() override { return handle_; }
  bool has_graphs() const override { return false; }
  const char *method() const override {
    if (on_gpu())
      return clears_         ? "events around each call, cold cache, cleared before each"
             : options_.cold ? "events around each call, cold cache"
                             : "events around each call, operands reused";
    return clears_         ? "host time from the call to the end, cold cache, operands flushed before each"
           : options_.cold ? "host time from the call to the end, cold cache"
                           : "host time from the call to the end, operands reused";
  }
  BenchCall &call() override { return *calls_[0]; }

  // In turn, round by round, until each is known well enough.
  void time_within(std::vector<KernelTime> *kernels, double share_of_budget) override {
    std::vector<Run> runs(kernels->size());
    const double budget_us = options_.budget_seconds * share_of_budget * 1e6;
    bool more = false;
    for (size_t i = 0; i < runs.size(); ++i) {
      runs[i].calls = calls_in_sample(&(*kernels)[i]);
      runs[i].done = !(*kernels)[i].failure.empty();
      more = more || !runs[i].done;
    }
    while (more) {
      more = false;
      for (size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].done) continue;
        add_sample(&(*kernels)[i], &runs[i], budget_us);
        more = more || !runs[i].done;
      }
    }
    gpuopt_set_kernel(handle_, nullptr);
    for (size_t i = 0; i < runs.size(); ++i) {
      KernelTime &k = (*kernels)[i];
      k.time = runs[i].samples.time();
      k.p10_us = runs[i].samples.quantile(0.1);
      k.p90_us = runs[i].samples.quantile(0.9);
      k.samples = static_cast<int64_t>(runs[i].samples.count());
    }
  }

  gpuopt_measure::Sampler sampler(const std::vector<std::string> &names) override {
    std::vector<KernelTime> kernels(names.size());
    std::vector<int64_t> calls;
    for (size_t i = 0; i < names.size(); ++i) {
      kernels[i].kernel = names[i];
      calls.push_back(calls_in_sample(&kernels[i]));
    }
    return [this, kernels, calls](size_t i) mutable {
      const double us = sample(&kernels[i], calls[i]);
      gpuopt_set_kernel(handle_, nullptr);
      return us;
    };
  }

 private:
  struct Run {
    gpuopt_measure::Samples samples;
    double spent_us = 0;
    int64_t calls = 1;  // of one sample
    bool done = false;
  };

  void add_sample(KernelTime *k, Run *run, double budget_us) {
    const double us = sample(k, run->calls);
    if (!k->failure.empty()) {
      run->done = true;
      return;
    }
    run->samples.add(us);
    run->spent_us += us * static_cast<double>(run->calls) + clearing_us_;
    const size_t count = run->samples.count();
    if (options_.repeat > 0) {
      run->done = static_cast<int64_t>(count) >= options_.repeat;
      return;
    }
    const bool little = count >= 12 && count % 4 == 0 && run->samples.time().noise <= options_.noise;
    // Of a slow kernel, too, so many that something can be said of it, if that is not far too long.
    const double budgets = run->spent_us / budget_us;
    run->done = little || count >= kMostSamples || budgets > kMostBudgets ||
                (budgets > 1 && count >= gpuopt_measure::Samples::kFew);
  }

  int64_t calls_in_sample(KernelTime *k) {
    sample(k, 1);  // the first call prepares
    const double us = sample(k, 1);
    return options_.cold || us >= kLeastSampleUs ? 1 : static_cast<int64_t>(kLeastSampleUs / std::max(us, 0.1)) + 1;
  }

  // The mean of so many calls, microseconds.
  double sample(KernelTime *k, int64_t calls) {
    if (!k->failure.empty()) return 0;
    gpuopt_status s = gpuopt_set_kernel(handle_, k->kernel.c_str());
    if (s == GPUOPT_OK && on_gpu()) s = gpuopt_reset_counters(handle_);
    // The handle forgets its choices when another kernel is forced: the next call would choose anew, as an application's
    // repeated call does not.
    if (s == GPUOPT_OK) s = gpuopt_prepare(handle_, calls_[(next_ + 1) % calls_.size()]->call.args());
    if (s == GPUOPT_OK && clears_) s = clear();
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < calls && s == GPUOPT_OK; ++i) s = next_call().run(handle_);
    if (s == GPUOPT_OK) s = gpuopt_synchronize(handle_);
    const double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    if (s != GPUOPT_OK) {
      k->failure = gpuopt_last_error();
      return 0;
    }
    return (on_gpu() ? counted_us(handle_) : us) / static_cast<double>(calls);
  }

  gpuopt_call::Call &next_call() {
    next_ = (next_ + 1) % calls_.size();
    return calls_[next_]->call;
  }

  bool on_gpu() const { return options_.device >= 0; }

  // The sets of small calls stay in the cache together.
  void clear_before_calls(int64_t cache) {
    if (on_gpu()) {
      cleared_bytes_ = 2 * static_cast<size_t>(cache);
      cleared_ = static_cast<char *>(allocate(kCopiedAtOnce + cleared_bytes_));
      clears_ = true;
    } else {
      clears_ = gpuopt_measure::evict(calls_.data(), 1);  // can it?
    }
  }

  // A GPU's by reading other memory, piece by piece to one place: many written lines would be written back at the expense of the
  // call that follows. The host's of the operands alone, out of the caches of all cores.
  gpuopt_status clear() {
    const auto start = std::chrono::steady_clock::now();
    gpuopt_status s = GPUOPT_OK;
    if (on_gpu()) {
      for (size_t at = 0; at < cleared_bytes_ && s == GPUOPT_OK; at += kCopiedAtOnce)
        s = gpuopt_copy(handle_, cleared_, cleared_ + kCopiedAtOnce + at, std::min(kCopiedAtOnce, cleared_bytes_ - at));
    } else {
      const size_t set = (next_ + 1) % calls_.size();
      for (size_t i = first_block_[set]; i < first_block_[set + 1]; ++i)
        gpuopt_measure::evict(blocks_[i].data, blocks_[i].bytes);
    }
    clearing_us_ = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    return s;
  }

  void *allocate(size_t bytes) {
    void *data = nullptr;
    if (gpuopt_malloc(handle_, &data, bytes) != GPUOPT_OK) throw_last_error();
    blocks_.push_back({data, bytes});
    return data;
  }

  void *memory(gpuopt_dtype type, int64_t count) {
    void *const data = allocate(static_cast<size_t>(std::max<int64_t>(count * gpuopt_dtype_size(type), 1)));
    fill_operand(handle_, data, type, count, options_.data);
    return data;
  }

  void release() {
    for (const Block &b : blocks_) gpuopt_free(handle_, b.data);
    blocks_.clear();
    gpuopt_destroy(handle_);
    handle_ = nullptr;
  }

  TimerOptions options_;
  gpuopt_handle *handle_ = nullptr;
  struct Block {
    void *data;
    size_t bytes;
  };
  std::vector<Block> blocks_;
  std::vector<size_t> first_block_;  // of each set, and behind the last one
  bool clears_ = false;              // before each call
  char *cleared_ = nullptr;          // of a GPU: a place to copy to, and behind it what is read
  size_t cleared_bytes_ = 0;
  double clearing_us_ = 0;  // what it took the host last
  std::vector<std::unique_ptr<BenchCall>> calls_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<BenchTimer> make_host_timer(const TimerOptions &options) {
  return std::make_unique<HostTimer>(options);
}

std::unique_ptr<BenchTimer> make_timer(const TimerOptions &options) {
  std::unique_ptr<BenchTimer> timer = options.device >= 0 ? make_device_timer(options) : nullptr;
  return timer ? std::move(timer) : make_host_timer(options);
}

gpuopt_handle *make_handle(const TimerOptions &options, struct CUstream_st *stream) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = options.device;
  o.stream = stream;
  o.tune_cache = options.tune_cache.empty() ? nullptr : options.tune_cache.c_str();
  gpuopt_handle *handle = nullptr;
  if (gpuopt_create(&handle, &o) != GPUOPT_OK) throw_last_error();
  gpuopt_set_kernel(handle, nullptr);
  return handle;
}

int32_t ordinal_of(int32_t device) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = device;
  gpuopt_handle *handle = nullptr;
  if (gpuopt_create(&handle, &o) != GPUOPT_OK) throw_last_error();
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  const gpuopt_status s = gpuopt_get_device(handle, &facts);
  gpuopt_destroy(handle);
  if (s != GPUOPT_OK) throw_last_error();
  return facts.ordinal;
}

double counted_us(gpuopt_handle *handle) {
  size_t count = 0;
  gpuopt_counters(handle, nullptr, 0, &count);
  std::vector<gpuopt_counter> counters(count);
  if (gpuopt_counters(handle, counters.data(), count, &count) != GPUOPT_OK) throw_last_error();
  double ms = 0;
  for (const gpuopt_counter &c : counters) ms += c.ms;
  return ms * 1e3;
}

void throw_last_error() { throw std::runtime_error(gpuopt_last_error()); }

}  // namespace gpuopt_cli
