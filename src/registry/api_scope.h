// What an entry of the C ABI computes in, and what callbacks of the application are called in.
//
// ApiScope stands first in every entry that computes, waits or may call back; until its end the thread is not cancelled.
// CallbackScope stands around each call of the
// application's own functions: they get the floating-point environment that the application had at the entry, and what
// they change of it stays changed.
#pragma once

#include <pthread.h>

#include "../common/float_environment.h"

namespace gpuopt {

// A request to cancel the thread waits until the end of the scope. There it acts if the thread asked for that at any
// moment (PTHREAD_CANCEL_ASYNCHRONOUS), by unwinding, so the end may throw.
class DeferredCancellation {
 public:
  DeferredCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~DeferredCancellation() noexcept(false) { pthread_setcancelstate(before_, nullptr); }
  DeferredCancellation(const DeferredCancellation &) = delete;
  DeferredCancellation &operator=(const DeferredCancellation &) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

class ApiScope : private DeferredCancellation, public FloatScope {
 public:
  ApiScope() : outer_(innermost) { innermost = this; }
  ~ApiScope() { innermost = outer_; }

 private:
  friend class CallbackScope;
  // Of the entries of this thread that are under way. A callback that never returns (longjmp) leaves its own behind, which
  // is harmless: the next entry takes its place before anything looks. __thread: no dynamic initialisation to ask for.
  static __thread ApiScope *innermost;
  ApiScope *const outer_;
};

class CallbackScope {
 public:
  CallbackScope() : entry_(ApiScope::innermost) {
    if (entry_) entry_->found_.restore();
  }
  ~CallbackScope() {
    if (entry_) entry_->found_.exchange_for_ours();
  }
  CallbackScope(const CallbackScope &) = delete;
  CallbackScope &operator=(const CallbackScope &) = delete;

 private:
  ApiScope *const entry_;
};

}  // namespace gpuopt
