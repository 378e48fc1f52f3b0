// Threads that are cancelled in a call, or that end in a callback: the call is whole or has not happened, and the handle
// works on.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "gpuopt/gpuopt.hpp"
#include "handle.h"
#include "synthetic_kernel.h"
#include "workers.h"

using namespace gpuopt_test;

namespace {

void *const kEnded = reinterpret_cast<void *>(0x5eed);  // what end_thread() leaves
void *const kReturned = nullptr;

void end_thread() { pthread_exit(kEnded); }

class Thread {
 public:
  explicit Thread(std::function<void()> run) : run_(std::move(run)) {
    REQUIRE(pthread_create(&thread_, nullptr, enter, this) == 0);
  }
  Thread(const Thread &) = delete;
  void cancel() { pthread_cancel(thread_); }
  void *join() {
    void *result = nullptr;
    pthread_join(thread_, &result);
    return result;
  }

 private:
  static void *enter(void *self) {
    static_cast<Thread *>(self)->run_();
    return kReturned;
  }
  std::function<void()> run_;
  pthread_t thread_ = {};
};

// Callbacks that do what they are told to, once.
struct Once {
  std::function<void()> act;
  void go() {
    const std::function<void()> now = std::exchange(act, nullptr);
    if (now) now();
  }
  static void line(void *self, const char *) { static_cast<Once *>(self)->go(); }
  static void candidate(void *self, const gpuopt_candidate *) { static_cast<Once *>(self)->go(); }
  static void *allocate(void *self, size_t bytes, struct CUstream_st *) {
    static_cast<Once *>(self)->go();
    void *const block = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    static_cast<Once *>(self)->blocks.insert(block);
    return block;
  }
  static void deallocate(void *self, void *block, struct CUstream_st *) {
    static_cast<Once *>(self)->go();
    if (static_cast<Once *>(self)->blocks.erase(block)) std::free(block);
  }
  std::set<void *> blocks;
  Once() = default;
  Once(const Once &) = delete;
  ~Once() {
    for (void *block : blocks) std::free(block);
  }
};

// A kernel whose every function ends the thread when told to.
Once in_can_run, in_predict, in_workspace, in_prepare, in_launch;
int can_run(const gpuopt_problem *, gpuopt_reject *) { return in_can_run.go(), 1; }
double predict(const gpuopt_problem *) { return in_predict.go(), 1e12; }
void workspace(const gpuopt_problem *, size_t *scratch, size_t *zeroed) {
  in_workspace.go();
  *scratch = *zeroed = 64;
}
gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *) { return in_prepare.go(), GPUOPT_OK; }
gpuopt_status launch(const gpuopt_problem *p, const gpuopt_launch *) {
  in_launch.go();
  *static_cast<float *>(p->operand[GPUOPT_OPERAND_D].m.data) = 42;
  return GPUOPT_OK;
}

gpuopt_kernel ending_kernel() {
  gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_GEMM, "gemm_test_ends_thread", GPUOPT_KERNEL_HOST, kAnySignature);
  k.can_run = can_run;
  k.predict_us = predict;
  k.workspace = workspace;
  k.prepare = prepare;
  k.launch = launch;
  return k;
}

}  // namespace

TEST_CASE("threads: cancelled while they call and log, 200 cycles, and the handle and the pool work on") {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = 4;
  o.verbose = "exec";
  o.log_file = "/dev/null";  // writing is a cancellation point
  gpuopt_handle *raw = nullptr;
  REQUIRE(gpuopt_create(&raw, &o) == GPUOPT_OK);
  const Handle h(raw);
  ThreadedGemm gemm;
  int wrong = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    std::atomic<bool> whole{true}, began{false};
    Thread caller([&] {
      for (;;) {
        whole = false;
        static_cast<void>(gpuopt_gemm(raw, &gemm.args));
        whole = true;
        began = true;
        pthread_testcancel();
      }
    });
    while (!began) usleep(20);
    usleep(static_cast<unsigned>(cycle % 20 * 10));
    caller.cancel();
    if (caller.join() != PTHREAD_CANCELED || !whole) ++wrong;
    if (gemm.d != gemm.right || !gemm.run(raw)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("threads: a request to cancel waits for the end of the call, whatever callbacks do") {
  for (const int type : {PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS}) {
    const Handle h = threaded_handle();
    ThreadedGemm gemm;
    Once once;
    int calls_before = 0, in_callback = 0;
    REQUIRE(gpuopt_set_verbose(h.get(), "exec,dispatch") == GPUOPT_OK);
    REQUIRE(gpuopt_set_log(h.get(), Once::line, &once) == GPUOPT_OK);
    std::memset(gemm.d.data(), 0x7f, gemm.d.size() * sizeof(float));
    once.act = [&] {
      pthread_cancel(pthread_self());
      pthread_testcancel();
      ++in_callback;
    };
    Thread caller([&] {
      pthread_setcanceltype(type, nullptr);
      ++calls_before;
      static_cast<void>(gpuopt_gemm(h.get(), &gemm.args));
      if (type == PTHREAD_CANCEL_DEFERRED) pthread_testcancel();
    });
    CHECK(caller.join() == PTHREAD_CANCELED);
    CHECK(calls_before == 1);
    CHECK(in_callback == 1);
    CHECK(gemm.d == gemm.right);
    gpuopt_counter counter = {};
    size_t count = 0;
    CHECK(gpuopt_counters(h.get(), &counter, 1, &count) == GPUOPT_OK);
    CHECK(counter.calls == 1);
    CHECK(gemm.run(h.get()));
  }
}

TEST_CASE("threads: the cancellation state of the caller comes back as it was") {
  const Handle h = threaded_handle();
  ThreadedGemm gemm;
  for (const int state : {PTHREAD_CANCEL_DISABLE, PTHREAD_CANCEL_ENABLE}) {
    int before = 0, after = 0;
    pthread_setcancelstate(state, &before);
    CHECK(gemm.run(h.get()));
    CHECK(gpuopt_synchronize(h.get()) == GPUOPT_OK);
    pthread_setcancelstate(before, &after);
    CHECK(after == state);
  }
}

TEST_CASE("threads: one that ends in a callback unwinds through the library, and the handle works on, 20 cycles each") {
  static const gpuopt_kernel kernel = ending_kernel();
  if (gpuopt_kernel_find(kernel.name) == nullptr) REQUIRE(gpuopt_register_kernel(&kernel) == GPUOPT_OK);
  Once in_log, in_explain, in_allocator;
  struct Case {
    const char *name;
    Once *where;
    bool forced;
    std::function<void(gpuopt_handle *, const gpuopt_gemm_args *)> call;
  };
  const auto run = [](gpuopt_handle *h, const gpuopt_gemm_args *g) { static_cast<void>(gpuopt_gemm(h, g)); };
  const Case cases[] = {
      {"log", &in_log, false, run},
      {"log, from set_disabled", &in_log, false,
       [](gpuopt_handle *h, const gpuopt_gemm_args *) { static_cast<void>(gpuopt_set_disabled(h, "no_such_kernel")); }},
      {"explain", &in_explain, false,
       [&](gpuopt_handle *h, const gpuopt_gemm_args *g) {
         static_cast<void>(gpuopt_explain(h, g, nullptr, Once::candidate, &in_explain));
       }},
      {"allocate", &in_allocator, true, run},
      {"allocate, from prepare", &in_allocator, true,
       [](gpuopt_handle *h, const gpuopt_gemm_args *g) { static_cast<void>(gpuopt_prepare(h, g)); }},
      {"can_run", &in_can_run, true, run},
      {"predict_us", &in_predict, false, run},
      {"workspace", &in_workspace, true, run},
      {"prepare", &in_prepare, true, run},
      {"launch", &in_launch, true, run},
  };
  for (const Case &c : cases) {
    CAPTURE(c.name);
    for (int cycle = 0; cycle < 20; ++cycle) {
      gpuopt_options o = GPUOPT_OPTIONS_INIT;
      o.device = GPUOPT_DEVICE_CPU;
      o.num_threads = 2;
      o.kernel = c.forced ? kernel.name : nullptr;
      o.allocate = Once::allocate;
      o.deallocate = Once::deallocate;
      o.allocator_user = &in_allocator;
      gpuopt_handle *raw = nullptr;
      REQUIRE(gpuopt_create(&raw, &o) == GPUOPT_OK);
      const Handle h(raw);
      REQUIRE(gpuopt_set_verbose(raw, "exec,dispatch") == GPUOPT_OK);
      REQUIRE(gpuopt_set_log(raw, Once::line, &in_log) == GPUOPT_OK);
      SmallGemm gemm;
      c.where->act = end_thread;
      Thread caller([&] { c.call(raw, &gemm.args); });
      REQUIRE(caller.join() == kEnded);
      REQUIRE(gpuopt_set_disabled(raw, nullptr) == GPUOPT_OK);
      REQUIRE_MESSAGE(gpuopt_gemm(raw, &gemm.args) == GPUOPT_OK, last_error());
      if (c.forced) REQUIRE(gemm.d[0] == 42);
    }
  }
}

TEST_CASE("threads: one that ends while it destroys a handle leaves the rest intact") {
  Once in_log, in_allocator;
  for (Once *const where : {&in_log, &in_allocator}) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.kernel = "gemm_test_ends_thread_at_destroy";
    o.allocate = Once::allocate;
    o.deallocate = Once::deallocate;
    o.allocator_user = &in_allocator;
    static gpuopt_kernel kernel = ending_kernel();
    kernel.name = "gemm_test_ends_thread_at_destroy";
    if (gpuopt_kernel_find(kernel.name) == nullptr) REQUIRE(gpuopt_register_kernel(&kernel) == GPUOPT_OK);
    gpuopt_handle *h = nullptr;
    REQUIRE(gpuopt_create(&h, &o) == GPUOPT_OK);
    REQUIRE(gpuopt_set_verbose(h, "profile") == GPUOPT_OK);
    REQUIRE(gpuopt_set_log(h, Once::line, &in_log) == GPUOPT_OK);
    SmallGemm gemm;
    REQUIRE(gpuopt_gemm(h, &gemm.args) == GPUOPT_OK);
    where->act = end_thread;
    Thread caller([&] { gpuopt_destroy(h); });
    CHECK(caller.join() == kEnded);
  }
  const Handle h = threaded_handle();
  ThreadedGemm gemm;
  CHECK(gemm.run(h.get()));
}

TEST_CASE("threads: one that ends in a log function of the C++ face") {
  gpuopt::handle h(gpuopt::options::on(GPUOPT_DEVICE_CPU));
  h.set_verbose("exec");
  bool end = true;
  h.set_log([&](const char *) {
    if (std::exchange(end, false)) end_thread();
  });
  SmallGemm gemm;
  Thread caller([&] { h.gemm(gemm.args); });
  CHECK(caller.join() == kEnded);
  h.gemm(gemm.args);
}

// Whoever catches everything must let a thread's end pass, which GPUOPT_CATCH_ALL does.
TEST_CASE("threads: the library has no bare catch-all") {
  namespace fs = std::filesystem;
  int files = 0;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(fs::path(GPUOPT_TEST_SOURCE_DIR) / "../src")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "error.h") continue;  // which defines it
    ++files;
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) CHECK_MESSAGE(!contains(line, "catch (...)"), name);
  }
  CHECK(files > 50);
}

// What profiled calls on a GPU leave until their events are read; here they cannot be, and the lines have no time.
TEST_CASE("threads: one that ends in a log function leaves the lines that still wait for their time whole") {
  struct Lines {
    int written = 0;
    static void add(void *self, const char *) {
      if (++static_cast<Lines *>(self)->written == 2) end_thread();
    }
  } lines;
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_log(h.get(), Lines::add, &lines) == GPUOPT_OK);
  h->counters.push_back({"gemm_naive", GPUOPT_OP_GEMM, 0, 1, 0});
  for (int i = 0; i < 5; ++i) {
    h->pending.emplace_back();
    h->wait_for_time(0, "gpuopt,v2,exec,x");
  }
  size_t count = 0;
  Thread reader([&] { gpuopt_counters(h.get(), nullptr, 0, &count); });
  CHECK(reader.join() == kEnded);
  CHECK(lines.written == 2);
  CHECK(gpuopt_counters(h.get(), nullptr, 0, &count) == GPUOPT_OK);
  CHECK(lines.written == 5);
}
