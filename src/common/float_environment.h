// The floating-point environment: the library computes as if the application had never touched it.
//
// FloatScope: until its end the thread rounds to nearest, flushes no subnormals and traps nothing (and, on x86-64, x87
// holds 64 bits of precision). What it found, exception flags included, comes back at its end, also when the scope is left
// by an exception. The pool's workers have one for each job, the entries of the C ABI theirs in registry/api_scope.h.
//
// Reading the registers costs a few cycles; writing, tens: they are written only where they differ.
//
// Everything is inline assembly with a memory clobber, which holds stores and loads, and so whatever is computed from
// memory, on its side of the switch. The work itself belongs in a function of another file.
#pragma once

#include <cstdint>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace gpuopt {

#if defined(__x86_64__)

class FloatState {
 public:
  // What the thread has now; our own afterwards.
  void exchange_for_ours() {
    read();
    if ((mxcsr_ & kControl) != kOurs) write_mxcsr((mxcsr_ & ~kControl) | kOurs);
    x87_changed_ = (x87_ & kX87Control) != kX87Ours;
    if (x87_changed_) {
      // Whole: exceptions that our work raises must not be pending when the application's masks come back.
      asm volatile("fnstenv %0" : "=m"(x87_environment_) : : "memory");
      write_x87(kX87Ours | 0x40);
    }
  }
  void restore() const {
    FloatState now;
    now.read();
    if (now.mxcsr_ != mxcsr_) write_mxcsr(mxcsr_);
    if (!x87_changed_ && now.x87_ == x87_) return;
    // Masks all: where someone has left traps behind, what is pending must not be raised by what restores.
    if (!x87_changed_ || (now.x87_ & kX87Control) != kX87Ours)
      asm volatile("fnstenv %0" : "=m"(now.x87_environment_) : : "memory");
    if (x87_changed_) {
      load(x87_environment_);
    } else {
      now.x87_environment_.words[0] = (now.x87_environment_.words[0] & 0xffff0000u) | x87_;
      load(now.x87_environment_);
    }
  }

 private:
  // Flush to zero, rounding, masks, denormals are zero; the rest are exception flags. x87: rounding, precision, masks.
  static constexpr uint32_t kControl = 0xffc0, kOurs = 0x1f80;
  static constexpr uint16_t kX87Control = 0x0f3f, kX87Ours = 0x033f;
  struct X87Environment {
    uint32_t words[7];
  };
  void read() { asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr_), "=m"(x87_) : : "memory"); }
  static void write_mxcsr(uint32_t value) { asm volatile("ldmxcsr %0" : : "m"(value) : "memory"); }
  static void load(const X87Environment &e) { asm volatile("fldenv %0" : : "m"(e) : "memory"); }
  static void write_x87(uint16_t value) { asm volatile("fldcw %0" : : "m"(value) : "memory"); }
  uint32_t mxcsr_;
  uint16_t x87_;
  bool x87_changed_;
  X87Environment x87_environment_;
};

#elif defined(__aarch64__)

class FloatState {
 public:
  void exchange_for_ours() {
    read();
    if (control_ != 0) write_control(0);
  }
  void restore() const {
    FloatState now;
    now.read();
    if (now.control_ != control_) write_control(control_);
    if (now.flags_ != flags_) asm volatile("msr fpsr, %0" : : "r"(flags_) : "memory");
  }

 private:
  void read() {
    asm volatile("mrs %0, fpcr" : "=r"(control_) : : "memory");
    asm volatile("mrs %0, fpsr" : "=r"(flags_) : : "memory");
  }
  static void write_control(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
  uint64_t control_, flags_;
};

#else

class FloatState {
 public:
  void exchange_for_ours() {
    std::fegetenv(&found_);
    std::fesetenv(FE_DFL_ENV);
  }
  void restore() const { std::fesetenv(&found_); }

 private:
  std::fenv_t found_;
};

#endif

class FloatScope {
 public:
  FloatScope() { found_.exchange_for_ours(); }
  ~FloatScope() { found_.restore(); }
  FloatScope(const FloatScope &) = delete;
  FloatScope &operator=(const FloatScope &) = delete;

 protected:
  FloatState found_;
};

}  // namespace gpuopt
