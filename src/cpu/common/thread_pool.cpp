/* Each worker owns a slot. To post a job the caller turns the slot from idle to posted; the worker claims it by turning
 * posted into running, and idle again when it is done. A caller that has run out of indices takes back what is still
 * posted, so it never waits for a thread that the system has not woken yet. Workers spin for a moment before they
 * sleep: the next call of a program usually follows soon, and waking a thread costs tens of microseconds.
 *
 * Linux likes to wake a thread on the processor of whoever wakes it, where for the length of a short call the two take
 * turns while another processor idles (in 97 of 100 wake-ups of a two-processor guest). So a sleeping worker is first
 * barred from the caller's processor; once awake it lifts the bar. */
#include "thread_pool.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpuopt {
namespace cpu {
namespace {

constexpr int kMaxThreads = 256;
constexpr int kSpinsBeforeSleep = 2000; /* about 30 to 80 us */
constexpr int kSpinsBeforeYield = 200;

enum SlotState : int { kIdle, kPosted, kRunning };

struct Job {
  parallel_fn fn;
  void *context;
  int64_t count;
  std::atomic<int64_t> next{0};

  void work(int worker) {
    for (;;) {
      const int64_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      fn(context, index, worker);
    }
  }
};

/* Where a worker may run, as it was when it went to sleep. Guarded by the slot's mutex. */
class Placement {
 public:
#if defined(__linux__)
  void before_sleep() {
    thread_ = static_cast<pid_t>(syscall(SYS_gettid));
    known_ = sched_getaffinity(0, sizeof allowed_, &allowed_) == 0 && CPU_COUNT(&allowed_) > 1;
    barred_ = false;
  }
  void keep_off_callers_processor() {
    const int here = sched_getcpu();
    if (!known_ || here < 0 || !CPU_ISSET(here, &allowed_)) return;
    cpu_set_t others = allowed_;
    CPU_CLR(here, &others);
    barred_ = sched_setaffinity(thread_, sizeof others, &others) == 0;
  }
  void after_sleep() {
    if (barred_) sched_setaffinity(0, sizeof allowed_, &allowed_);
  }

 private:
  cpu_set_t allowed_;
  pid_t thread_ = 0;
  bool known_ = false, barred_ = false;
#else
  void before_sleep() {}
  void keep_off_callers_processor() {}
  void after_sleep() {}
#endif
};

struct Slot {
  std::atomic<int> state{kIdle};
  std::atomic<bool> asleep{false};
  Job *job = nullptr;
  int worker = 0;
  std::mutex mutex;
  std::condition_variable wake;
  Placement placement;
};

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void worker_loop(Slot *slot) {
  for (;;) {
    for (int spin = 0; slot->state.load(std::memory_order_relaxed) != kPosted && spin < kSpinsBeforeSleep; ++spin)
      pause();
    if (slot->state.load(std::memory_order_relaxed) != kPosted) {
      std::unique_lock<std::mutex> lock(slot->mutex);
      slot->placement.before_sleep();
      slot->asleep.store(true);
      while (slot->state.load() != kPosted) slot->wake.wait(lock);
      slot->asleep.store(false);
      slot->placement.after_sleep();
    }
    int expected = kPosted;
    if (!slot->state.compare_exchange_strong(expected, kRunning, std::memory_order_acquire)) continue;
    slot->job->work(slot->worker);
    slot->state.store(kIdle, std::memory_order_release);
  }
}

class Pool {
 public:
  void run(int threads, Job &job) {
    const int workers = grow(threads - 1);
    for (int i = 0; i < workers; ++i) post(*slots_[i], job);
    job.work(0);
    for (int i = 0; i < workers; ++i) {
      int expected = kPosted;
      if (slots_[i]->state.compare_exchange_strong(expected, kIdle)) continue;
      for (int spin = 0; slots_[i]->state.load(std::memory_order_acquire) != kIdle; ++spin) {
        if (spin < kSpinsBeforeYield)
          pause();
        else
          std::this_thread::yield();
      }
    }
  }

  /* False when another call has the pool. */
  bool acquire() { return !busy_.exchange(true, std::memory_order_acquire); }
  void release() { busy_.store(false, std::memory_order_release); }

 private:
  static void post(Slot &slot, Job &job) {
    slot.job = &job;
    slot.state.store(kPosted);
    if (!slot.asleep.load()) return;
    /* The worker holds the mutex from setting asleep to waiting, so a notice given under it is never lost. */
    std::lock_guard<std::mutex> lock(slot.mutex);
    slot.placement.keep_off_callers_processor();
    slot.wake.notify_one();
  }

  /* As many workers as asked for, or as many as the system gives. */
  int grow(int workers) {
    while (started_ < workers) {
      Slot *slot = new (std::nothrow) Slot;
      if (!slot) break;
      slot->worker = started_ + 1;
      try {
        std::thread(worker_loop, slot).detach();
      } catch (...) {
        delete slot;
        break;
      }
      slots_[started_++] = slot;
    }
    return workers < started_ ? workers : started_;
  }

  std::atomic<bool> busy_{false};
  int started_ = 0;
  Slot *slots_[kMaxThreads - 1] = {};
};

/* Never destroyed: workers may outlive main's static objects. */
Pool *pool() {
  static Pool *const the_pool = new (std::nothrow) Pool;
  return the_pool;
}

}  // namespace

void parallel_for(int threads, int64_t count, parallel_fn fn, void *context) {
  if (count <= 0) return;
  if (threads > kMaxThreads) threads = kMaxThreads;
  if (threads > count) threads = static_cast<int>(count);
  Pool *const shared = threads > 1 ? pool() : nullptr;
  if (!shared || !shared->acquire()) {
    for (int64_t index = 0; index < count; ++index) fn(context, index, 0);
    return;
  }
  Job job;
  job.fn = fn;
  job.context = context;
  job.count = count;
  shared->run(threads, job);
  shared->release();
}

}  // namespace cpu
}  // namespace gpuopt
