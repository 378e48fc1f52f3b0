#include "progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "terminal.h"

namespace gpuopt_cli {

Progress::Progress(std::string verb) : verb_(std::move(verb)) {
  if (isatty(STDERR_FILENO) == 0) return;
  thread_ = std::thread([this] {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return ended_; })) draw();
  });
}

Progress::~Progress() {
  clear();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::show(const std::string &what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  what_ = what;
  if (shown_) draw();
}

void Progress::show(size_t at, size_t all, const std::string &what) {
  show(std::to_string(at) + " of " + std::to_string(all) + ": " + what);
}

void Progress::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  what_.clear();
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

void Progress::draw() {
  if (what_.empty()) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_);
  const std::string line = verb_ + ", " + std::to_string(seconds.count()) + " s, " + what_;
  const size_t columns = error_columns();
  std::fprintf(stderr, "\r\033[K%s", line.substr(0, columns > 1 ? columns - 1 : 79).c_str());
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace gpuopt_cli
