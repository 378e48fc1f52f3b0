// Oracles of problems to come, made by other threads while the device measures those before.
#pragma once
#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tuner.h"

namespace gpuopt_cli {

class OraclesAhead {
 public:
  // calls, options: live longer than this.
  OraclesAhead(std::vector<const gpuopt_call::Call *> calls, const TunerOptions &options)
      : calls_(std::move(calls)), options_(options) {}

  // Of the next call, in their order.
  std::unique_ptr<const Oracle> next() {
    const size_t threads = threads_beside(options_.device);
    while (begun_ < calls_.size() && coming_.size() <= threads) {
      const gpuopt_call::Call *const call = calls_[begun_++];
      coming_.push_back(std::async(threads ? std::launch::async : std::launch::deferred,
                                   [this, call] { return make_oracle(*call, options_); }));
    }
    std::unique_ptr<const Oracle> oracle = coming_.front().get();
    coming_.pop_front();
    return oracle;
  }

 private:
  // Beside kernels of the CPU, which are measured, none.
  static size_t threads_beside(int32_t device) {
    constexpr unsigned kMost = 8;
    return device < 0 ? 0 : std::clamp(std::thread::hardware_concurrency() / 2, 1u, kMost);
  }

  std::vector<const gpuopt_call::Call *> calls_;
  const TunerOptions &options_;
  size_t begun_ = 0;
  std::deque<std::future<std::unique_ptr<const Oracle>>> coming_;
};

}  // namespace gpuopt_cli
