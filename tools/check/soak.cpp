#include "soak.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "capture.h"
#include "kernel_report.h"
#include "sanitized.h"

namespace gpuopt_check {
namespace {

constexpr int64_t kMostFailures = 100;
// Beside a hundredth of all: what the C library and the driver may keep of what was freed; AddressSanitizer keeps 256 MiB.
constexpr int64_t kSlackBytes = int64_t(GPUOPT_ADDRESS_SANITIZED ? 320 : 8) << 20;

struct Solved {
  Problem problem;
  std::vector<uint8_t> after;  // as one thread's call left the image
  bool owns = false;           // a capture of it needs memory, which its graph then owns
};

int64_t host_bytes_in_use() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  return file >> pages >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

// Threads that wait for each other, twice: before what is measured first, and after it.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(threads) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++here_ == threads_) {
      here_ = 0;
      ++round_;
      all_.notify_all();
    }
    all_.wait(lock, [&] { return round_ != round; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  const int threads_;
  int here_ = 0, round_ = 0;
};

class Soak {
 public:
  explicit Soak(const SoakOptions &o) : o_(o), warm_(o.threads), measured_(o.threads), done_(o.threads) {}

  SoakReport run() {
    solve();
    if (problems_.empty()) {
      fail("no problem can be run");
      return report_;
    }
    report_.problems = int64_t(problems_.size());
    std::vector<std::thread> threads;
    for (int t = 0; t < o_.threads; ++t) threads.emplace_back([this, t] { work(t); });
    for (std::thread &t : threads) t.join();
    report_.calls = calls_;
    report_.captured = captured_;
    report_.owning = owning_;
    const Machine machine(o_.device, true);
    if (machine.error().empty()) report_.kept_by_cuda = session_of(machine).heap_kept_by_graph();
    check_growth("host", report_.host_bytes, int64_t(report_.kept_by_cuda * double(report_.owning)));
    check_growth("device", report_.device_bytes, 0);
    return report_;
  }

 private:
  static Session &session_of(const Machine &machine) { return machine.gpu() ? *machine.gpu() : *machine.cpu(); }

  void fail(const std::string &text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (int64_t(report_.failures.size()) < kMostFailures) report_.failures.push_back(text);
  }

  // By one thread: what every call must give from then on. What nothing can run is left out.
  void solve() {
    const Machine machine(o_.device, true);
    if (!machine.error().empty()) return fail(machine.error());
    Session &session = session_of(machine);
    gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
    if (gpuopt_get_device(session.handle(), &facts) == GPUOPT_OK) ordinal_ = facts.ordinal;
    for (int32_t op = GPUOPT_OP_GEMM; op < GPUOPT_OP_COUNT_; ++op) {
      const Needs needs = needs_of_op(op);
      for (int64_t i = 0; i < o_.problems; ++i) {
        Solved s = {random_problem(needs, "soak", o_.seed, i, o_.size), {}};
        const Outcome out = session.run(s.problem, "");
        if (out.status == GPUOPT_NOT_SUPPORTED) continue;
        const std::string wrong = out.status == GPUOPT_OK ? compare(s.problem, find_truth(s.problem), out.after)
                                                          : gpuopt_status_name(out.status) + (": " + out.error);
        if (!wrong.empty()) fail("alone: " + wrong + " in " + s.problem.text());
        s.after = out.after;
        for (const Candidate &c : session.explain(s.problem, nullptr, session.can_capture()).candidates)
          s.owns |= c.verdict == GPUOPT_VERDICT_CHOSEN && c.workspace_bytes > 0;
        problems_.push_back(std::move(s));
      }
    }
  }

  void call(Session &session, const Solved &s, bool captured) {
    const Outcome out = captured ? session.run_captured(s.problem) : session.run(s.problem, "");
    ++calls_;
    captured_ += captured;
    const std::string wrong = out.status == GPUOPT_OK
                                  ? difference("alone and among others the bits", s.after, out.after)
                                  : gpuopt_status_name(out.status) + (": " + out.error);
    if (!wrong.empty()) fail((captured ? "captured: " : "") + wrong + " in " + s.problem.text());
  }

  // Measures once, while all threads wait.
  void measure(Meeting &before, Meeting &after, int thread, int which) {
    before.wait();
    if (thread == 0) {
      report_.host_bytes[which] = host_bytes_in_use();
      report_.device_bytes[which] = device_bytes_in_use(ordinal_);
      end_ = std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(o_.seconds));
    }
    after.wait();
  }

  void work(int thread) {
    const Machine machine(o_.device, true);
    if (!machine.error().empty()) fail(machine.error());
    Session *const session = machine.error().empty() ? &session_of(machine) : nullptr;
    for (size_t i = 0; session && i < problems_.size(); ++i) {
      call(*session, problems_[i], false);
      if (session->can_capture()) call(*session, problems_[i], true);
    }
    measure(warm_, measured_, thread, 0);
    Rng rng(problem_seed(o_.seed, uint64_t(thread), 0));
    while (session && std::chrono::steady_clock::now() < end_) {
      const Solved &s = rng.one_of(problems_);
      const bool captured = session->can_capture() && rng.chance(0.25);
      call(*session, s, captured);
      owning_ += captured && s.owns;
    }
    measure(done_, measured_, thread, 1);
  }

  void check_growth(const char *where, const int64_t (&bytes)[2], int64_t kept) {
    if (bytes[1] > bytes[0] + bytes[0] / 100 + kSlackBytes + kept)
      fail(std::string(where) + " memory grew from " + std::to_string(bytes[0]) + " to " + std::to_string(bytes[1]) +
           " bytes");
  }

  const SoakOptions o_;
  std::vector<Solved> problems_;
  int32_t ordinal_ = GPUOPT_DEVICE_CPU;
  Meeting warm_, measured_, done_;
  std::chrono::steady_clock::time_point end_;
  std::atomic<int64_t> calls_{0}, captured_{0}, owning_{0};
  std::mutex mutex_;
  SoakReport report_;
};

}  // namespace

SoakReport soak(const SoakOptions &options) { return Soak(options).run(); }

}  // namespace gpuopt_check
