// The pool's threads and what belongs to the application: its signals, and where its threads may run.
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <thread>

#include "workers.h"

using namespace gpuopt_test;

namespace {

uint64_t blocked_signals(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/status";
  std::FILE *file = std::fopen(path.c_str(), "r");
  REQUIRE(file != nullptr);
  char line[256];
  uint64_t mask = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::strncmp(line, "SigBlk:", 7) == 0) mask = std::strtoull(line + 7, nullptr, 16);
  std::fclose(file);
  return mask;
}

std::atomic<int> handled{0};
void count_signal(int) { ++handled; }

}  // namespace

TEST_CASE("threads: workers block every signal but those that their own instructions raise") {
  const Handle h = threaded_handle();
  ThreadedGemm gemm;
  REQUIRE(gemm.run(h.get()));
  const std::vector<pid_t> workers = worker_ids();
  REQUIRE(workers.size() >= 3);
  const std::set<int> open = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGKILL, SIGSTOP};
  for (const pid_t worker : workers) {
    // The C library starts a thread with every signal blocked and gives it its mask when it first runs.
    uint64_t mask = blocked_signals(worker);
    for (int tries = 0; tries < 1000 && (mask >> (SIGSEGV - 1) & 1) != 0; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      mask = blocked_signals(worker);
    }
    for (int s = 1; s <= SIGRTMAX; ++s) {
      if (s > 31 && s < SIGRTMIN) continue;  // the C library's own
      CAPTURE(s);
      CHECK((mask >> (s - 1) & 1) == (open.count(s) ? 0 : 1));
    }
  }
}

TEST_CASE("threads: a signal to the process reaches the application's thread that waits for it, 200 times") {
  const Handle h = threaded_handle();
  ThreadedGemm gemm;
  REQUIRE(gemm.run(h.get()));  // workers are there before the application blocks the signal
  struct sigaction action = {}, before = {};
  action.sa_handler = count_signal;
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  sigset_t usr1, mask;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  REQUIRE(pthread_sigmask(SIG_BLOCK, &usr1, &mask) == 0);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread caller([&] {  // blocks the signal as its creator does
    const Handle own = threaded_handle();
    ThreadedGemm g;
    while (!stop)
      if (!g.run(own.get())) ++wrong;
  });
  int received = 0;
  for (int i = 0; i < 200; ++i) {
    kill(getpid(), SIGUSR1);
    const timespec most = {5, 0};
    if (sigtimedwait(&usr1, nullptr, &most) != SIGUSR1) break;
    ++received;
  }
  stop = true;
  caller.join();
  CHECK(received == 200);
  CHECK(handled == 0);
  CHECK(wrong == 0);
  sigaction(SIGUSR1, &before, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

TEST_CASE("threads: a call leaves the caller's signal mask alone") {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const Handle h = threaded_handle(7);
  ThreadedGemm gemm;
  CHECK(gemm.run(h.get()));
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int s = 1; s <= SIGRTMAX; ++s) CHECK(sigismember(&before, s) == sigismember(&after, s));
}

TEST_CASE("threads: an affinity that the administrator gives workers stays, 200 cycles") {
  cpu_set_t all;
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &all)) processors.push_back(i);
  if (processors.size() < 2) {
    std::printf("SKIP: one processor\n");
    return;
  }
  const Handle h = threaded_handle();
  ThreadedGemm gemm;
  REQUIRE(gemm.run(h.get()));
  const std::vector<pid_t> workers = worker_ids();
  REQUIRE(workers.size() >= 3);
  int undone = 0, wrong = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    cpu_set_t given = all;
    if (cycle % 3 < 2) {
      CPU_ZERO(&given);
      CPU_SET(processors[static_cast<size_t>(cycle) % processors.size()], &given);
    }
    for (const pid_t worker : workers) REQUIRE(sched_setaffinity(worker, sizeof given, &given) == 0);
    for (int call = 0; call < 4; ++call) {
      if (call % 2) usleep(500);  // long enough that workers sleep
      if (!gemm.run(h.get())) ++wrong;
    }
    usleep(2000);  // and lift what bars them
    for (const pid_t worker : workers) {
      cpu_set_t now;
      REQUIRE(sched_getaffinity(worker, sizeof now, &now) == 0);
      undone += !CPU_EQUAL(&now, &given);
    }
  }
  CHECK(undone == 0);
  CHECK(wrong == 0);
}
