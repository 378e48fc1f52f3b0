// How far a verb has come, for what takes more than a second: a line on the terminal, with the seconds that have passed, which is
// gone when there is something to print. Nothing where stderr is no terminal.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace gpuopt_cli {

class Progress {
 public:
  explicit Progress(std::string verb);  // the first word of the line
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // What it is at, from now on; of any thread.
  void show(const std::string &what);
  void show(size_t at, size_t all, const std::string &what);  // "3 of 10: what"
  // Before something else is printed.
  void clear();

 private:
  void draw();
  std::string verb_, what_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool shown_ = false, ended_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;  // draws once a second, for one step may take long; only on a terminal
};

}  // namespace gpuopt_cli
