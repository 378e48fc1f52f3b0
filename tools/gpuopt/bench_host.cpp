// Times by the host's clock. Works on any handle; on a GPU it includes the launch and the wait.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <stdexcept>

#include "../../bench/core/stats.h"
#include "bench_timer.h"

namespace gpuopt_cli {
namespace {

constexpr double kBudgetSeconds = 1;  // for each kernel
constexpr int64_t kLeast = 3, kMost = 200;

class HostTimer : public BenchTimer {
 public:
  HostTimer(const BenchOptions &options, int32_t device) : options_(options) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = device;
    if (gpuopt_create(&handle_, &o) != GPUOPT_OK) throw_last_error("gpuopt_create");
    try {
      make_normals();
      call_ = make_bench_call(options, [this](gpuopt_dtype type, int64_t count) { return memory(type, count); });
    } catch (...) {
      release();
      throw;
    }
  }
  ~HostTimer() override { release(); }
  HostTimer(const HostTimer &) = delete;
  HostTimer &operator=(const HostTimer &) = delete;

  gpuopt_handle *handle() override { return handle_; }
  const char *method() const override { return "host time from the call to the end, operands reused"; }
  BenchCall &call() override { return *call_; }

  // In turn, round by round; a slow kernel takes part in fewer rounds.
  void time(std::vector<KernelTime> *kernels) override {
    std::vector<std::vector<double>> samples(kernels->size());
    std::vector<int64_t> wanted;
    int64_t rounds = 0;
    for (KernelTime &k : *kernels) {
      timed_us(&k);  // the first call prepares
      const double us = timed_us(&k);
      const double fit = us > 0 ? kBudgetSeconds * 1e6 / us : double(kMost);
      wanted.push_back(!k.failure.empty() ? 0
                       : options_.repeat  ? options_.repeat
                                          : int64_t(std::clamp(fit, double(kLeast), double(kMost))));
      rounds = std::max(rounds, wanted.back());
    }
    for (int64_t r = 0; r < rounds; ++r)
      for (size_t i = 0; i < kernels->size(); ++i)
        if ((r + 1) * wanted[i] / rounds > r * wanted[i] / rounds) samples[i].push_back(timed_us(&(*kernels)[i]));
    gpuopt_set_kernel(handle_, nullptr);
    for (size_t i = 0; i < kernels->size(); ++i) {
      KernelTime &k = (*kernels)[i];
      const gpuopt_bench::Spread s = gpuopt_bench::spread_of(samples[i]);
      k.us = s.median;
      k.p10_us = s.p10;
      k.p90_us = s.p90;
      k.samples = int64_t(samples[i].size());
    }
  }

 private:
  double timed_us(KernelTime *k) {
    if (!k->failure.empty()) return 0;
    const std::string name = k->kernel;
    if (gpuopt_set_kernel(handle_, name.c_str()) != GPUOPT_OK) {
      k->failure = gpuopt_last_error();
      return 0;
    }
    const auto start = std::chrono::steady_clock::now();
    if (call_->call.run(handle_) != GPUOPT_OK || gpuopt_synchronize(handle_) != GPUOPT_OK)
      k->failure = gpuopt_last_error();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }

  // Random normal values, repeated where an operand is larger.
  void make_normals() {
    std::mt19937_64 bits(1);
    std::normal_distribution<float> normal;
    normals_.resize(1 << 18);
    for (float &x : normals_) x = normal(bits);
  }

  void *allocate(int64_t bytes) {
    void *data = nullptr;
    if (gpuopt_malloc(handle_, &data, size_t(bytes)) != GPUOPT_OK) throw_last_error("gpuopt_malloc");
    blocks_.push_back(data);
    return data;
  }

  void *memory(gpuopt_dtype type, int64_t count) {
    const int64_t bytes = count * gpuopt_dtype_size(type);
    void *data = allocate(std::max<int64_t>(bytes, 1));
    if (count == 0) return data;
    const bool convertible = type != GPUOPT_I64 && type != GPUOPT_B128;
    // As fp32, or as bytes of the type itself.
    const int64_t staged = convertible ? count * int64_t(sizeof(float)) : bytes;
    std::vector<char> image(static_cast<size_t>(staged));
    if (type == GPUOPT_I64) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t value = int64_t(20 * normals_[size_t(i) % normals_.size()]);
        std::memcpy(image.data() + i * 8, &value, sizeof value);
      }
    } else {
      const size_t pattern = normals_.size() * sizeof(float);
      for (size_t at = 0; at < image.size(); at += pattern)
        std::memcpy(image.data() + at, normals_.data(), std::min(pattern, image.size() - at));
    }
    void *from = convertible && type != GPUOPT_F32 ? allocate(staged) : data;
    if (gpuopt_copy(handle_, from, image.data(), size_t(staged)) != GPUOPT_OK) throw_last_error("gpuopt_copy");
    if (from != data) convert(from, data, type, count);
    if (gpuopt_synchronize(handle_) != GPUOPT_OK) throw_last_error("gpuopt_synchronize");
    if (from != data) {
      gpuopt_free(handle_, from);
      blocks_.pop_back();
    }
    return data;
  }

  // A fused_act without stages converts; integers get a factor so that they are not all 0 and 1.
  void convert(const void *from, void *to, gpuopt_dtype type, int64_t count) {
    const bool integer = type == GPUOPT_I8 || type == GPUOPT_U8 || type == GPUOPT_I32;
    const gpuopt_stage wider = gpuopt_act(GPUOPT_STAGE_MUL, 20, 0);
    gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
    f.x = gpuopt_mat(from, 1, count, GPUOPT_F32);
    f.out = gpuopt_mat(to, 1, count, type);
    f.stages = integer ? &wider : nullptr;
    f.stage_count = integer ? 1 : 0;
    if (gpuopt_fused_act(handle_, &f) != GPUOPT_OK) throw_last_error("gpuopt_fused_act");
  }

  void release() {
    for (void *b : blocks_) gpuopt_free(handle_, b);
    blocks_.clear();
    gpuopt_destroy(handle_);
    handle_ = nullptr;
  }

  BenchOptions options_;
  gpuopt_handle *handle_ = nullptr;
  std::vector<float> normals_;
  std::vector<void *> blocks_;
  std::unique_ptr<BenchCall> call_;
};

}  // namespace

std::unique_ptr<BenchTimer> make_host_timer(const BenchOptions &options, int32_t device) {
  return std::make_unique<HostTimer>(options, device);
}

void throw_last_error(const char *what) { throw std::runtime_error(std::string(what) + ": " + gpuopt_last_error()); }

}  // namespace gpuopt_cli
