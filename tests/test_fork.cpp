// fork() at the worst moments. Not under ThreadSanitizer, which allows no threads in a child of a threaded process.
#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

#include "common/thread_pool.h"
#include "fork.h"
#include "handle.h"
#include "synthetic_kernel.h"
#include "text.h"
#include "workers.h"

using namespace gpuopt_test;

namespace {

constexpr int kForks = 200;

// What became of a child that runs the function: its number, or "hung" or "signal <n>".
std::string child(const std::function<int()> &run) {
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(20);
    _exit(run());
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return "no child";
  if (WIFEXITED(status)) return std::to_string(WEXITSTATUS(status));
  return WTERMSIG(status) == SIGALRM ? "hung" : "signal " + std::to_string(WTERMSIG(status));
}

// 0: newlocale() is the C library's; 1: whoever calls it next waits in it, and makes this 2; 3: it waits no longer.
std::atomic<int> making_locale{0};

gpuopt_status nothing(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_OK; }
constexpr gpuopt_signature kNone[] = {{{GPUOPT_B128, GPUOPT_B128, GPUOPT_B128, GPUOPT_B128}, GPUOPT_COMPUTE_F64}};

gpuopt_kernel kernel_named(const char *name) {
  gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_GEMM, name, GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, kNone);
  k.launch = nothing;
  return k;
}

}  // namespace

extern "C" locale_t newlocale(int mask, const char *name, locale_t base) noexcept {
  int wait = 1;
  if (making_locale.compare_exchange_strong(wait, 2))
    while (making_locale == 2) usleep(100);
  static const auto real = reinterpret_cast<decltype(&newlocale)>(dlsym(RTLD_NEXT, "newlocale"));
  return real(mask, name, base);
}

// In a process that has not written a number yet: this case again, with a variable set.
TEST_CASE("fork: a child writes numbers while a thread of the parent is just making the locale of numbers") {
  constexpr const char *kAgain = "GPUOPT_TEST_FORK_AGAIN";
  if (std::getenv(kAgain) == nullptr) {
    CHECK(child([] {
            setenv(kAgain, "1", 1);
            execl("/proc/self/exe", "gpuopt_tests", "--test-case=fork: a child writes numbers while*", nullptr);
            return 100;
          }) == "0");
    return;
  }
  making_locale = 1;
  std::thread first([] { static_cast<void>(gpuopt::shortest(0.5)); });
  for (int left = 10000; making_locale != 2 && left > 0; --left) usleep(1000);
  CHECK(making_locale == 2);
  CHECK(child([] { return gpuopt::shortest(0.25) == "0.25" ? 0 : 1; }) == "0");
  making_locale = 3;
  first.join();
  CHECK(gpuopt::shortest(0.125) == "0.125");
}

TEST_CASE("fork: a child calls with workers of its own while the parent's are in a call, 200 times") {
  std::atomic<bool> begun{false}, stop{false};
  std::atomic<int> wrong{0};
  std::thread caller([&] {
    const Handle own = threaded_handle();
    ThreadedGemm g;
    while (!stop) {
      if (!g.run(own.get())) ++wrong;
      begun = true;
    }
  });
  while (!begun) std::this_thread::yield();  // a fork during its first call is the next case
  const Handle h = threaded_handle();
  ThreadedGemm gemm;
  std::string fate = "0";
  for (int i = 0; i < kForks && fate == "0"; ++i)
    fate = child([&] {
      if (!gemm.run(h.get())) return 1;
      if (worker_ids().size() != 3) return 2;
      const Handle another = threaded_handle();
      return gemm.run(another.get()) ? 0 : 3;
    });
  stop = true;
  caller.join();
  CHECK(fate == "0");
  CHECK(wrong == 0);
  CHECK(gemm.run(h.get()));
}

// In a process that has never used the pool, so each round is a process of its own.
TEST_CASE("fork: a child of a process whose first call is just beginning has workers, 300 times") {
  if (kSanitized) {
    std::printf("SKIP: a sanitizer's own locks around the start of a thread do not survive fork\n");
    return;
  }
  std::string fate = "0";
  for (int round = 0; round < 300 && fate == "0"; ++round)
    fate = child([&] {
      const Handle h = threaded_handle(), own = threaded_handle();
      ThreadedGemm gemm, theirs;
      std::atomic<bool> begin{false};
      std::thread first([&] {
        begin = true;
        theirs.run(own.get());
      });
      while (!begin) {
      }
      for (volatile int wait = 0; wait < round % 100 * 20; wait = wait + 1) {
      }
      const std::string seen = child([&] {
        if (!gemm.run(h.get())) return 1;
        return worker_ids().size() == 3 ? 0 : 2;
      });
      first.join();
      return seen == "0" ? 0 : seen == "1" ? 1 : seen == "2" ? 2 : 3;
    });
  CHECK(fate == "0");
}

TEST_CASE("fork: a child registers and finds kernels while a thread of the parent holds the registry, 200 times") {
  static const gpuopt_kernel taken = kernel_named("gemm_test_fork_taken");
  REQUIRE(gpuopt_register_kernel(&taken) == GPUOPT_OK);
  std::atomic<bool> stop{false};
  std::thread holder([&] {  // the name is taken, which is looked up under the lock
    while (!stop) static_cast<void>(gpuopt_register_kernel(&taken));
  });
  std::string fate = "0";
  for (int i = 0; i < kForks && fate == "0"; ++i)
    fate = child([] {
      static const gpuopt_kernel own = kernel_named("gemm_test_fork_child");
      if (gpuopt_register_kernel(&own) != GPUOPT_OK) return 1;
      return gpuopt_kernel_find("gemm_test_fork_child") == &own ? 0 : 2;
    });
  stop = true;
  holder.join();
  CHECK(fate == "0");
}

TEST_CASE("fork: children of children call too") {
  const Handle h = threaded_handle();
  ThreadedGemm gemm;
  REQUIRE(gemm.run(h.get()));
  std::function<int(int)> descend = [&](int depth) {
    if (!gemm.run(h.get())) return 1;
    return depth == 0 || child([&] { return descend(depth - 1); }) == "0" ? 0 : 2;
  };
  CHECK(child([&] { return descend(5); }) == "0");
}

TEST_CASE("fork: a signal handler's fork in the middle of a call ends that call in the child, and the next one works") {
  std::atomic<int> ran{0};
  pid_t pid = -1;
  auto body = [&](int64_t, int worker) {
    ++ran;
    if (worker == 0 && pid < 0) pid = fork();  // as a handler would that interrupts the caller here
    if (pid != 0) usleep(1000);
  };
  int thrown = 0;
  try {
    gpuopt::cpu::parallel_for(4, 64, body);
  } catch (const std::runtime_error &) {
    thrown = 1;
  }
  if (pid == 0) {
    alarm(20);
    std::atomic<int> again{0};
    auto count = [&](int64_t, int) { ++again; };
    gpuopt::cpu::parallel_for(4, 64, count);
    _exit(thrown && again == 64 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(pid > 0);
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  CHECK(thrown == 0);
  CHECK(ran == 64);
}

// Without a GPU: a handle that believes to have one. No function may reach for the device.
TEST_CASE("fork: a handle of a GPU answers with an error in the child, in every call") {
  const Handle h = cpu_handle();
  h->cuda = true;
  h->facts.ordinal = 0;
  SmallGemm gemm;
  CHECK(child([&] {
          gpuopt_handle *const handle = h.get();
          void *p = nullptr;
          size_t bytes = 0;
          const gpuopt_status statuses[] = {gpuopt_gemm(handle, &gemm.args),
                                            gpuopt_prepare(handle, &gemm.args),
                                            gpuopt_workspace_size(handle, &gemm.args, &bytes),
                                            gpuopt_explain(handle, &gemm.args, nullptr, nullptr, nullptr),
                                            gpuopt_malloc(handle, &p, 64),
                                            gpuopt_free(handle, &bytes),
                                            gpuopt_copy(handle, gemm.d, gemm.a, 4),
                                            gpuopt_fill(handle, gemm.d, 0, 4),
                                            gpuopt_synchronize(handle),
                                            gpuopt_counters(handle, nullptr, 0, &bytes),
                                            gpuopt_reset_counters(handle)};
          int at = 1;
          for (const gpuopt_status s : statuses) {
            if (s != GPUOPT_CUDA_ERROR) return at;
            ++at;
          }
          if (!contains(last_error(), "gpuopt_reset_counters: the handle was made before fork()")) return 100;
          if (!gemm.untouched()) return 101;
          gpuopt_destroy(handle);
          return 0;
        }) == "0");
  h->cuda = false;
}

TEST_CASE("fork: a child of a process that used CUDA is given no GPU, and is told why") {
  CHECK(gpuopt::may_use_cuda());
  CHECK(gpuopt::may_use_cuda());
  CHECK(child([] {
          gpuopt_options o = GPUOPT_OPTIONS_INIT;
          o.device = 0;
          gpuopt_handle *h = nullptr;
          if (gpuopt_create(&h, &o) != GPUOPT_NO_DEVICE) return 1;
          if (!contains(last_error(), "fork")) return 2;
          o.device = GPUOPT_DEVICE_AUTO;
          if (gpuopt_create(&h, &o) != GPUOPT_OK) return 3;
          ThreadedGemm gemm;
          return gemm.run(h) ? 0 : 4;
        }) == "0");
}
