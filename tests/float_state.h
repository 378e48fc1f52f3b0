// Floating-point environments that an application may have, for tests: read, set, restored.
#pragma once

#include <cfenv>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpuopt_test {

// Control bits and exception flags of this thread.
struct FloatRegisters {
  uint64_t control = 0, flags = 0, x87_control = 0, x87_flags = 0;
  bool operator==(const FloatRegisters &o) const {
    return control == o.control && flags == o.flags && x87_control == o.x87_control && x87_flags == o.x87_flags;
  }
  bool operator!=(const FloatRegisters &o) const { return !(*this == o); }
};

inline FloatRegisters float_registers() {
  FloatRegisters r;
#if defined(__x86_64__)
  uint32_t mxcsr = 0;
  uint16_t word = 0, status = 0;
  asm volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(mxcsr), "=m"(word), "=m"(status));
  r.control = mxcsr & ~0x3fu;
  r.flags = mxcsr & 0x3f;
  r.x87_control = word;
  r.x87_flags = status & 0x3f;
#elif defined(__aarch64__)
  asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(r.control), "=r"(r.flags));
#endif
  return r;
}

inline void set_float_control(uint64_t bits) {
#if defined(__x86_64__)
  uint32_t mxcsr = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  mxcsr |= uint32_t(bits);
  asm volatile("ldmxcsr %0" : : "m"(mxcsr));
#elif defined(__aarch64__)
  uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  asm volatile("msr fpcr, %0" : : "r"(fpcr | bits));
#endif
}

struct FloatSetting {
  std::string name;
  std::function<void()> set;
};

inline std::vector<FloatSetting> float_settings() {
  std::vector<FloatSetting> all = {
      {"upward", [] { std::fesetround(FE_UPWARD); }},
      {"downward", [] { std::fesetround(FE_DOWNWARD); }},
      {"towards zero", [] { std::fesetround(FE_TOWARDZERO); }},
  };
#if defined(__x86_64__)
  constexpr uint64_t ftz = 0x8000, daz = 0x40;
  all.push_back({"flush to zero", [] { set_float_control(ftz); }});
  all.push_back({"denormals are zero", [] { set_float_control(daz); }});
  all.push_back({"both", [] { set_float_control(ftz | daz); }});
  all.push_back({"traps", [] { feenableexcept(FE_ALL_EXCEPT); }});
  const auto x87 = [](uint16_t word) { asm volatile("fldcw %0" : : "m"(word)); };
  all.push_back({"x87 in single precision, upward", [x87] { x87(0x087f); }});
  all.push_back({"all of it", [] {
                   std::fesetround(FE_UPWARD);
                   set_float_control(ftz | daz);
                   feenableexcept(FE_ALL_EXCEPT);
                 }});
#elif defined(__aarch64__)
  all.push_back({"flush to zero", [] { set_float_control(uint64_t(1) << 24); }});
  all.push_back({"default NaN", [] { set_float_control(uint64_t(1) << 25); }});
#endif
  return all;
}

// The setting, until the end of the scope; flags are clear at its start.
class ScopedFloat {
 public:
  explicit ScopedFloat(const FloatSetting &setting) {
    std::fegetenv(&before_);
    std::feclearexcept(FE_ALL_EXCEPT);
    setting.set();
  }
  ~ScopedFloat() { std::fesetenv(&before_); }
  ScopedFloat(const ScopedFloat &) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace gpuopt_test
