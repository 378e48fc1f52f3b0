// Small helpers of the test program.
#pragma once
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpuopt/kernel.h"
#include "sanitized.h"

namespace gpuopt_test {

constexpr bool kSanitized = GPUOPT_ADDRESS_SANITIZED || GPUOPT_THREAD_SANITIZED;

// gpuopt_last_error() in a form that doctest prints as text.
inline std::string last_error() { return gpuopt_last_error(); }

struct Destroyer {
  void operator()(gpuopt_handle *h) const { gpuopt_destroy(h); }
};
using Handle = std::unique_ptr<gpuopt_handle, Destroyer>;

// A handle on the CPU.
inline Handle cpu_handle() {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *h = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
  return Handle(h);
}

inline gpuopt_device_facts pretend(const char *name) {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_pretend_device(name, &facts) == GPUOPT_OK);
  return facts;
}

// Sets an environment variable for a scope.
class ScopedEnv {
 public:
  ScopedEnv(const char *name, const char *value) : name_(name) { setenv(name, value, 1); }
  ~ScopedEnv() { unsetenv(name_.c_str()); }
  ScopedEnv(const ScopedEnv &) = delete;

 private:
  std::string name_;
};

// Collects a handle's log lines.
struct LogLines {
  std::vector<std::string> lines;
  static void add(void *self, const char *line) { static_cast<LogLines *>(self)->lines.emplace_back(line); }
};

// One explained candidate, copied.
struct Candidate {
  std::string kernel, text;
  int32_t verdict, how, reject, operand;
  int64_t have, need;
  double predicted_us;
};
struct Candidates {
  std::vector<Candidate> all;
  static void add(void *self, const gpuopt_candidate *c) {
    static_cast<Candidates *>(self)->all.push_back(
        {c->kernel, c->text, c->verdict, c->how, c->reject, c->operand, c->have, c->need, c->predicted_us});
  }
  const Candidate *find(const std::string &kernel) const {
    for (const Candidate &c : all)
      if (c.kernel == kernel) return &c;
    return nullptr;
  }
};

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

// An f32 gemm of small matrices that the test owns, D poisoned.
struct SmallGemm {
  float a[12], b[20], c[15], d[15];
  gpuopt_gemm_args args;
  explicit SmallGemm(int32_t compute = GPUOPT_COMPUTE_DEFAULT) { reset(compute); }
  SmallGemm(const SmallGemm &) = delete;  // args points into this object
  void reset(int32_t compute = GPUOPT_COMPUTE_DEFAULT) {
    args = GPUOPT_GEMM_ARGS_INIT;
    args.compute = compute;
    for (int i = 0; i < 12; ++i) a[i] = static_cast<float>(i) * 0.5f - 2;
    for (int i = 0; i < 20; ++i) b[i] = 1.0f / static_cast<float>(i + 1);
    for (int i = 0; i < 15; ++i) c[i] = static_cast<float>(i);
    std::memset(d, 0x7f, sizeof d);
    args.a = gpuopt_mat(a, 3, 4, GPUOPT_F32);
    args.b = gpuopt_mat(b, 4, 5, GPUOPT_F32);
    args.d = gpuopt_mat(d, 3, 5, GPUOPT_F32);
  }
  bool untouched() const {
    unsigned char poison[sizeof d];
    std::memset(poison, 0x7f, sizeof poison);
    return std::memcmp(poison, d, sizeof d) == 0;
  }
};

}  // namespace gpuopt_test
