#include "fork.h"

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace gpuopt {
namespace {

constexpr pid_t kDone = -1;
constexpr int kMostWaits = 10000;  // of 0.1 ms: a signal handler that forks may have interrupted who holds the lock

std::mutex the_lock, the_loading_lock;
std::atomic<pid_t> registered{0};  // 0, the process that is registering the handlers, or kDone
std::atomic<unsigned> forks{0};
std::atomic<unsigned> used_cuda{0};  // 1 + forks, when CUDA was first used
// The handlers are registered twice where a thread was about to when its process forked.
thread_local int depth = 0;
thread_local bool locked = false;

void before_fork() {
  if (depth++ > 0) return;
  locked = the_lock.try_lock();
  for (int i = 0; !locked && i < kMostWaits; ++i) {
    usleep(100);
    locked = the_lock.try_lock();
  }
}

void in_parent() {
  if (--depth == 0 && locked) the_lock.unlock();
}

void in_child() {
  if (--depth > 0) return;
  if (locked)
    the_lock.unlock();
  else
    new (&the_lock) std::mutex;
  new (&the_loading_lock) std::mutex;
  forks.fetch_add(1);
}

}  // namespace

std::mutex &lock_across_forks() {
  const pid_t self = getpid();
  for (pid_t seen = registered.load(); seen != kDone; seen = registered.load()) {
    // Another thread is at it; unless it was a thread of a parent, which is not here any more.
    if (seen == self) {
      sched_yield();
    } else if (registered.compare_exchange_strong(seen, self)) {
      const bool failed = pthread_atfork(before_fork, in_parent, in_child) != 0;
      registered.store(failed ? 0 : kDone);
      if (failed) throw std::bad_alloc();
    }
  }
  return the_lock;
}

std::mutex &loading_lock() {
  static_cast<void>(lock_across_forks());  // registers the handlers
  return the_loading_lock;
}

unsigned fork_count() { return forks.load(std::memory_order_relaxed); }

bool may_use_cuda() {
  static_cast<void>(lock_across_forks());  // forks count from here on
  const unsigned now = 1 + fork_count();
  unsigned first = 0;
  return used_cuda.compare_exchange_strong(first, now) || first == now;
}

}  // namespace gpuopt
