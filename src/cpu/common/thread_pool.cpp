/* Each worker owns a slot. To post a job the caller turns the slot from idle to posted; the worker claims it by turning
 * posted into running, and idle again when it is done. A caller that has run out of indices takes back what is still
 * posted, so it never waits for a thread that the system has not woken yet. Workers spin for a moment before they
 * sleep: the next call of a program usually follows soon, and waking a thread costs tens of microseconds.
 *
 * What the application does is its own affair:
 * - Workers block every signal but those that an instruction of their own raises, so a handler of the application runs on
 *   the application's threads, and a fault in its memory (a mapped file that was cut short) still reaches its handler.
 * - When the library is unloaded, or the process ends, workers are stopped and joined; a call after that works alone.
 * - A child of fork() has no workers; it starts its own. There is no lock that could be left behind held: a job is handed
 *   over by atomics and a semaphore.
 * - Everything lies in static memory, so load and unload leave nothing. */
#include "thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>

#include "processor_bar.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "../../common/float_environment.h"

namespace gpuopt {
namespace cpu {
namespace {

constexpr int kMaxThreads = 256;
constexpr int kSpinsBeforeSleep = 2000; /* about 30 to 80 us */
constexpr int kSpinsBeforeYield = 200;
/* Kernels need at most 64 KiB, which a test holds them to; the rest is for sanitizers and the application's static
 * thread-local variables, which the C library takes from here. Where those are larger still, it is doubled. */
constexpr size_t kStackBytes = size_t(512) << 10, kMostStackBytes = size_t(64) << 20;

enum SlotState : int { kIdle, kPosted, kRunning, kStopped };

struct Job {
  parallel_fn fn;
  void *context;
  int64_t count;
  std::atomic<int64_t> next{0};

  void work(int worker) {
    const FloatScope ours;  // a worker starts with what the thread had that started it
    for (;;) {
      const int64_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      fn(context, index, worker);
    }
  }
};

struct alignas(64) Slot {
  std::atomic<int> state{kIdle};
  std::atomic<bool> asleep{false};
  int worker = 0;
  Job *job = nullptr;
  sem_t wake = {};
  pthread_t thread = 0;
  pid_t id = 0; /* the system's, from the worker's start on */
};

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/* Who turns asleep from true to false posts the semaphore, and nobody else. */
void sleep_until_posted(Slot *slot) {
  while (slot->state.load() == kIdle) {
    slot->asleep.store(true);
    /* Who posts after this look finds asleep set. */
    if (slot->state.load() != kIdle && slot->asleep.exchange(false)) return;
    while (sem_wait(&slot->wake) != 0) {
    }
  }
}

void *work_until_stopped(void *argument) {
  Slot *const slot = static_cast<Slot *>(argument);
  slot->id = static_cast<pid_t>(syscall(SYS_gettid));
  for (;;) {
    for (int spin = 0; slot->state.load(std::memory_order_relaxed) == kIdle && spin < kSpinsBeforeSleep; ++spin)
      pause();
    if (slot->state.load(std::memory_order_relaxed) == kIdle) sleep_until_posted(slot);
    int expected = kPosted;
    if (slot->state.compare_exchange_strong(expected, kRunning, std::memory_order_acquire)) {
      slot->job->work(slot->worker);
      slot->state.store(kIdle, std::memory_order_release);
    } else if (expected == kStopped) {
      return nullptr;
    }
  }
}

/* Starts the slot's thread; false where the system has none to give. */
bool start(Slot *slot, int worker) {
  slot->state.store(kIdle);
  slot->asleep.store(false);
  slot->worker = worker;
  pthread_attr_t attributes;
  if (sem_init(&slot->wake, 0, 0) != 0 || pthread_attr_init(&attributes) != 0) return false;
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  int error = EINVAL;
  for (size_t bytes = kStackBytes; error == EINVAL && bytes <= kMostStackBytes; bytes *= 2)
    if ((error = pthread_attr_setstacksize(&attributes, bytes)) == 0)
      error = pthread_create(&slot->thread, &attributes, work_until_stopped, slot);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) return false;
  pthread_setname_np(slot->thread, "gpuopt");
  return true;
}

class Pool {
 public:
  void run(int threads, Job &job) {
    const int workers = grow(threads - 1);
    for (int i = 0; i < workers; ++i) post(slots_[i], job);
    job.work(0);
    for (int i = 0; i < workers; ++i) {
      int expected = kPosted;
      if (slots_[i].state.compare_exchange_strong(expected, kIdle)) continue;
      for (int spin = 0; slots_[i].state.load(std::memory_order_acquire) != kIdle; ++spin) {
        if (spin < kSpinsBeforeYield)
          pause();
        else
          sched_yield();
      }
    }
    /* A signal handler forked in here and the child came back: what the workers had begun is lost. */
    if (workers_of_ != getpid())
      throw std::runtime_error("the process was forked in the middle of this call, which cannot go on in the child");
  }

  /* False when another call has the pool, or the system cannot tell us of forks. A child finds it as it was: taken by a
   * thread that it does not have, or with workers that it does not have. The handler mends that, but is not called by a
   * fork that had begun when it was registered, which the process's id shows; and that alone could come again. */
  bool acquire() {
    if (!hears_of_forks_.load(std::memory_order_acquire)) { /* twice, where two threads make the first call: no harm */
      if (pthread_atfork(nullptr, nullptr, forget_after_fork) != 0) return false;
      hears_of_forks_.store(true, std::memory_order_release);
    }
    const pid_t self = getpid();
    pid_t holder = 0;
    while (!holder_.compare_exchange_weak(holder, self, std::memory_order_acquire))
      if (holder == self) return false;
    if (workers_of_ != self) {
      forget_workers();
      workers_of_ = self;
    }
    return true;
  }
  void release() { holder_.store(0, std::memory_order_release); }

  /* The pool stays acquired: who calls from here on works alone. A call that still runs has the pool: then the process
   * ends, nothing is unloaded, and there is nothing to wait for. */
  void stop() {
    if (!hears_of_forks_.load(std::memory_order_acquire) || !acquire()) return;
    int cancel = 0; /* joining is a cancellation point */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    for (int i = 0; i < started_; ++i) {
      slots_[i].state.store(kStopped);
      if (slots_[i].asleep.exchange(false)) sem_post(&slots_[i].wake);
    }
    for (int i = 0; i < started_; ++i) pthread_join(slots_[i].thread, nullptr);
    started_ = 0;
    pthread_setcancelstate(cancel, nullptr);
  }

 private:
  static void post(Slot &slot, Job &job) {
    slot.job = &job;
    slot.state.store(kPosted);
    if (!slot.asleep.exchange(false)) return;
    const ProcessorBar bar(slot.id);
    sem_post(&slot.wake);
  }

  /* As many workers as asked for, or as many as the system gives. */
  int grow(int workers) {
    while (started_ < workers && start(&slots_[started_], started_ + 1)) ++started_;
    return workers < started_ ? workers : started_;
  }

  void forget_workers() {
    for (int i = 0; i < started_; ++i) {
      slots_[i].state.store(kIdle);
      slots_[i].asleep.store(false);
    }
    started_ = 0;
  }

  /* In a child of fork, whose one thread is the one that forked. */
  static void forget_after_fork();

  std::atomic<bool> hears_of_forks_{false};
  std::atomic<pid_t> holder_{0}; /* the process that a call of has the pool, or 0 */
  pid_t workers_of_ = 0;         /* the process that started_ threads are of; read and written by who has the pool */
  int started_ = 0;
  Slot slots_[kMaxThreads - 1];
};

Pool pool; /* constant initialised, and needs no destructor */

void Pool::forget_after_fork() {
  pool.forget_workers();
  pool.workers_of_ = 0;
  pool.release();
}

/* Runs when the shared object that holds this is unloaded, before its static objects go, or at the end of the process,
 * after them. */
__attribute__((destructor)) void stop_workers() { pool.stop(); }

}  // namespace

void parallel_for(int threads, int64_t count, parallel_fn fn, void *context) {
  if (count <= 0) return;
  if (threads > kMaxThreads) threads = kMaxThreads;
  if (threads > count) threads = static_cast<int>(count);
  if (threads <= 1 || !pool.acquire()) {
    for (int64_t index = 0; index < count; ++index) fn(context, index, 0);
    return;
  }
  Job job;
  job.fn = fn;
  job.context = context;
  job.count = count;
  pool.run(threads, job);
  pool.release();
}

}  // namespace cpu
}  // namespace gpuopt
