// The floating-point environment: what the application has made of it changes no result and no choice, is back after every
// call and while its callbacks run.
#include <cmath>
#include <limits>
#include <thread>

#include "common/thread_pool.h"
#include "float_state.h"
#include "kernel_report.h"
#include "support.h"
#include "synthetic_kernel.h"
#include "values.h"

using namespace gpuopt_check;
using gpuopt_test::contains;
using gpuopt_test::float_registers;
using gpuopt_test::float_settings;
using gpuopt_test::FloatRegisters;
using gpuopt_test::FloatSetting;
using gpuopt_test::Handle;
using gpuopt_test::last_error;
using gpuopt_test::ScopedFloat;

namespace {

volatile double one = 1, three = 3, third;
volatile long double x87_third;

// A handle on the CPU with so many threads.
gpuopt_handle *created(int threads) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = threads;
  gpuopt_handle *h = nullptr;
  return gpuopt_create(&h, &o) == GPUOPT_OK ? h : nullptr;
}

// A fifth of the elements of float inputs become subnormal: what flushing takes away.
void add_subnormals(Problem *p) {
  Rng rng(p->seed);
  for_each_tensor(*p, [&](const Tensor &t) {
    if (t.output || !is_float(t.dtype) || p->op == GPUOPT_OP_TRANSPOSE) return;
    const double least = t.dtype == GPUOPT_F64   ? std::numeric_limits<double>::denorm_min()
                         : t.dtype == GPUOPT_F16 ? 0x1p-24
                                                 : 0x1p-149;
    for (int64_t m = 0; m < (t.stride == 0 ? 1 : p->batch); ++m)
      for (int64_t i = 0; i < t.rows; ++i)
        for (int64_t j = 0; j < t.cols; ++j)
          if (rng.chance(0.2)) encode(t.dtype, least * double(rng.between(1, 900)), p->image.data() + t.at(m, i, j));
  });
}

struct Solved {
  Problem problem;
  std::string kernel;
  std::vector<uint8_t> after;
};

// Problems that this machine's CPU kernels accept, and what they make of them in the usual environment.
std::vector<Solved> solved_problems(Session &session) {
  std::vector<Solved> all;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    if (!(k.flags & GPUOPT_KERNEL_HOST) || contains(k.name, "_test_")) continue;
    const Needs needs = needs_of_kernel(k);
    int accepted = 0;
    for (int64_t n = 0; n < 60 && accepted < 14; ++n) {
      Solved s = {random_problem(needs, k.name, 9, n, n % 5 ? Size::tiny : Size::small), k.name, {}};
      add_subnormals(&s.problem);
      const Outcome out = session.run(s.problem, k.name);
      if (out.status != GPUOPT_OK) continue;
      s.after = out.after;
      all.push_back(std::move(s));
      ++accepted;
    }
    CAPTURE(k.name);
    CHECK(accepted >= 10);
  }
  return all;
}

int kernels_among(const std::vector<Solved> &all) {
  int count = 0;
  for (size_t i = 0; i < all.size(); ++i) count += i == 0 || all[i].kernel != all[i - 1].kernel;
  return count;
}

// Runs in the setting what was solved in the usual one.
void check_same(Session &session, const Solved &s, const FloatSetting &setting) {
  REQUIRE(session.upload(s.problem) == GPUOPT_OK);
  Outcome out;
  FloatRegisters before, after;
  {
    const ScopedFloat scope(setting);
    before = float_registers();
    out = session.call(s.problem, s.kernel);
    after = float_registers();
  }
  REQUIRE_MESSAGE(out.status == GPUOPT_OK, out.error);
  const bool restored = before == after;
  REQUIRE(session.fetch(s.problem, &out.after) == GPUOPT_OK);
  INFO(s.kernel, ", ", setting.name, ": ", s.problem.text());
  CHECK(out.after == s.after);
  CHECK(restored);
}

// Half of f32's least subnormals are lost, or i8 rounds up, where the environment is not ours. Large enough for all threads.
struct Sweep {
  static constexpr int64_t kSide = 700;
  std::vector<float> x;
  std::vector<int8_t> bytes;
  std::vector<float> floats;
  Sweep() : x(size_t(kSide * kSide)), bytes(x.size()), floats(x.size()) {
    for (size_t i = 0; i < x.size(); ++i) x[i] = i % 2 ? 0x1p-140f * float(1 + i % 8) : float(int(i % 250)) - 124.5f;
  }
  gpuopt_status run(gpuopt_handle *h) {
    gpuopt_fused_act_args args = GPUOPT_FUSED_ACT_ARGS_INIT;
    args.x = gpuopt_mat(x.data(), kSide, kSide, GPUOPT_F32);
    args.out = gpuopt_mat(bytes.data(), kSide, kSide, GPUOPT_I8);
    gpuopt_status s = gpuopt_fused_act(h, &args);
    if (s != GPUOPT_OK) return s;
    const gpuopt_stage half = gpuopt_act(GPUOPT_STAGE_MUL, 0.5, 0);
    args.out = gpuopt_mat(floats.data(), kSide, kSide, GPUOPT_F32);
    args.stages = &half;
    args.stage_count = 1;
    return gpuopt_fused_act(h, &args);
  }
  int64_t wrong() const {
    int64_t count = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const bool subnormal = i % 2;  // halved exactly; as i8 it is 0
      const double nearest = std::nearbyint(double(x[i]));
      count += floats[i] != std::ldexp(x[i], -1) || bytes[i] != int8_t(subnormal ? 0 : nearest);
    }
    return count;
  }
};

}  // namespace

TEST_CASE("floating: every CPU kernel gives the same bits in any environment, set after the first call") {
  const Handle h(created(3));
  Session session(h.get());
  const std::vector<Solved> all = solved_problems(session);
  CHECK(kernels_among(all) >= 10);
  for (const FloatSetting &setting : float_settings())
    for (const Solved &s : all) check_same(session, s, setting);
}

TEST_CASE("floating: every CPU kernel gives the same bits in any environment, set before its handle is made") {
  std::vector<Solved> all;
  {
    const Handle usual(created(2));
    Session session(usual.get());
    all = solved_problems(session);
  }
  for (const FloatSetting &setting : float_settings()) {
    gpuopt_handle *h = nullptr;
    {
      const ScopedFloat scope(setting);
      h = created(2);
    }
    const Handle owner(h);
    REQUIRE(h);
    Session session(h);
    for (size_t i = 0; i < all.size(); i += 3) check_same(session, all[i], setting);
  }
}

TEST_CASE("floating: workers do not inherit the environment of the thread that started them") {
  // Each handle asks for more threads than there were, so a setting meets new workers.
  int threads = 24;
  for (const FloatSetting &setting : float_settings()) {
    CAPTURE(setting.name);
    Sweep first, later;
    gpuopt_status status = GPUOPT_OK;
    gpuopt_handle *h = nullptr;
    {
      const ScopedFloat scope(setting);
      h = created(++threads);
      status = h ? first.run(h) : GPUOPT_INTERNAL;
    }
    const Handle owner(h);
    REQUIRE(status == GPUOPT_OK);
    CHECK(first.wrong() == 0);
    for (int repeat = 0; repeat < 4; ++repeat) {
      REQUIRE(later.run(h) == GPUOPT_OK);
      CHECK(later.wrong() == 0);
    }
  }
}

TEST_CASE("floating: a job of the pool runs in the library's environment, whatever its threads had before") {
  FloatRegisters usual;
  {
    const ScopedFloat scope({"usual", [] {}});
    usual = float_registers();
  }
  int threads = 60;
  std::vector<FloatRegisters> seen(400);
  const auto record = [&] {
    auto work = [&](int64_t index, int) {
      seen[size_t(index)] = float_registers();
      for (volatile int spin = 0; spin < 20000; spin = spin + 1) {
      }
    };
    gpuopt::cpu::parallel_for(threads, 400, work);
  };
  const auto others = [&] {
    int64_t count = 0;
    for (const FloatRegisters &r : seen) count += r.control != usual.control || r.x87_control != usual.x87_control;
    return count;
  };
  for (const FloatSetting &setting : float_settings()) {
    CAPTURE(setting.name);
    ++threads;
    {
      const ScopedFloat scope(setting);
      record();  // the caller has it, and so has the worker that it starts
    }
    CHECK(others() == 0);
    auto change = [&](int64_t, int) {
      const FloatRegisters now = float_registers();
      if (now.control != usual.control || now.x87_control != usual.x87_control) return;  // an earlier index has done it
      x87_third = static_cast<long double>(one) / three;                                 // pending where traps are set
      setting.set();
    };
    gpuopt::cpu::parallel_for(threads, 400, change);
    record();
    CHECK(others() == 0);
  }
}

TEST_CASE("floating: what another thread has set before the first call or after it changes nothing here") {
  int threads = 40;
  for (const FloatSetting &setting : float_settings()) {
    CAPTURE(setting.name);
    gpuopt_status status = GPUOPT_OK;
    int64_t wrong = 0;
    std::thread([&] {
      Sweep there;
      gpuopt_handle *h = nullptr;
      {
        const ScopedFloat scope(setting);
        h = created(++threads);
        status = h ? there.run(h) : GPUOPT_INTERNAL;
        gpuopt_destroy(h);
      }
      wrong = there.wrong();
    }).join();
    CHECK(status == GPUOPT_OK);
    CHECK(wrong == 0);
    const Handle here(created(threads));
    Sweep sweep;
    for (int repeat = 0; repeat < 3; ++repeat) {
      REQUIRE(sweep.run(here.get()) == GPUOPT_OK);
      CHECK(sweep.wrong() == 0);
    }
  }
}

TEST_CASE("floating: the choice, its reasons and predictions are the same in any environment") {
  const Handle h(created(2));
  Session session(h.get());
  const gpuopt_device_facts pretended = gpuopt_test::pretend("sm_90");
  const auto text_of = [](const Explanation &e) {
    std::string text = std::to_string(e.status) + e.error;
    for (const Candidate &c : e.candidates) {
      uint64_t bits = 0;
      std::memcpy(&bits, &c.predicted_us, sizeof bits);
      text += "\n" + c.kernel + " " + c.text + " " + std::to_string(c.verdict) + " " + std::to_string(bits) + " " +
              std::to_string(c.workspace_bytes);
    }
    return text;
  };
  for (int32_t op = GPUOPT_OP_GEMM; op < GPUOPT_OP_COUNT_; ++op) {
    const Needs needs = needs_of_op(op);
    for (int64_t i = 0; i < 25; ++i) {
      const Problem p = random_problem(needs, "floating", 3, i, i % 2 ? Size::tiny : Size::small);
      for (const gpuopt_device_facts *facts : {static_cast<const gpuopt_device_facts *>(nullptr), &pretended}) {
        const std::string usual = text_of(session.explain(p, facts));
        for (const FloatSetting &setting : float_settings()) {
          Explanation e;
          bool restored = false;
          {
            const ScopedFloat scope(setting);
            const FloatRegisters before = float_registers();
            e = session.explain(p, facts);
            restored = float_registers() == before;
          }
          INFO(setting.name, ": ", p.text());
          CHECK(text_of(e) == usual);
          CHECK(restored);
        }
      }
    }
  }
}

namespace {

// What callbacks and a kernel saw.
struct Seen {
  std::vector<FloatRegisters> callbacks;
  int logs = 0, explained = 0, allocated = 0, deallocated = 0;
  int change_to = -1;   // rounding that the callbacks set
  bool throws = false;  // explain's throws
  void callback(int *count) {
    ++*count;
    callbacks.push_back(float_registers());
    if (change_to >= 0) std::fesetround(change_to);
  }
  static void log(void *self, const char *) { static_cast<Seen *>(self)->callback(&static_cast<Seen *>(self)->logs); }
  static void explain(void *self, const gpuopt_candidate *) {
    static_cast<Seen *>(self)->callback(&static_cast<Seen *>(self)->explained);
    if (static_cast<Seen *>(self)->throws) throw 1;
  }
  static void *allocate(void *self, size_t bytes, CUstream_st *) {
    static_cast<Seen *>(self)->callback(&static_cast<Seen *>(self)->allocated);
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  }
  static void deallocate(void *self, void *block, CUstream_st *) {
    static_cast<Seen *>(self)->callback(&static_cast<Seen *>(self)->deallocated);
    std::free(block);
  }
};

FloatRegisters seen_by_kernel;
bool kernel_changes = false;

gpuopt_status environment_launch(const gpuopt_problem *, const gpuopt_launch *) {
  seen_by_kernel = float_registers();
  third = one / three;  // raises the inexact flag
  x87_third = static_cast<long double>(one) / three;
  if (kernel_changes) std::fesetround(FE_TOWARDZERO);
  return GPUOPT_OK;
}

void register_environment_kernel() {
  static const gpuopt_kernel kernel = [] {
    gpuopt_kernel k =
        gpuopt_test::synthetic_kernel(GPUOPT_OP_GEMM, "gemm_test_environment",
                                      GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, gpuopt_test::kAnySignature);
    k.launch = environment_launch;
    return k;
  }();
  static const bool registered = gpuopt_register_kernel(&kernel) == GPUOPT_OK;
  REQUIRE(registered);
}

gpuopt_handle *created_with(Seen *seen) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.verbose = "none";  // until the callback is set
  o.allocate = Seen::allocate;
  o.deallocate = Seen::deallocate;
  o.allocator_user = seen;
  gpuopt_handle *h = nullptr;
  if (gpuopt_create(&h, &o) != GPUOPT_OK) return nullptr;
  gpuopt_set_log(h, Seen::log, seen);
  gpuopt_set_verbose(h, "all");
  return h;
}

// A sum of a long line: its partial results need scratch.
gpuopt_reduce_args long_sum(const std::vector<float> &x, float *out) {
  gpuopt_reduce_args args = GPUOPT_REDUCE_ARGS_INIT;
  args.reduce = GPUOPT_REDUCE_SUM;
  args.axis = GPUOPT_ALL;
  args.x = gpuopt_mat(x.data(), 1, int64_t(x.size()), GPUOPT_F32);
  args.out = gpuopt_mat(out, 1, 1, GPUOPT_F32);
  return args;
}

}  // namespace

TEST_CASE("floating: callbacks have the application's environment, every entry gives it back as it was") {
  const std::vector<float> x(300000, 0.1f);
  for (const FloatSetting &setting : float_settings()) {
    CAPTURE(setting.name);
    Seen seen;
    float out = 0, usual = 0;
    bool same = true, registers_same = true;
    {
      const Handle h(created_with(&seen));
      const gpuopt_reduce_args args = long_sum(x, &usual);
      REQUIRE(gpuopt_reduce(h.get(), &args) == GPUOPT_OK);
      seen = Seen();
    }
    seen = Seen();
    FloatRegisters before;
    int step = 0, first_wrong = 0;
    {
      const ScopedFloat scope(setting);
      before = float_registers();
      const auto unchanged = [&] {
        ++step;
        if (float_registers() != before && first_wrong == 0) first_wrong = step;
      };
      gpuopt_handle *h = created_with(&seen);
      unchanged();
      gpuopt_reduce_args args = long_sum(x, &out);
      size_t bytes = 0, count = 0;
      gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
      same = gpuopt_workspace_size(h, &args, &bytes) == GPUOPT_OK;
      unchanged();
      same = same && gpuopt_prepare(h, &args) == GPUOPT_OK;
      unchanged();
      same = same && gpuopt_reduce(h, &args) == GPUOPT_OK && gpuopt_last_kernel(h, &info) == GPUOPT_OK;
      unchanged();
      same = same && gpuopt_explain(h, &args, nullptr, Seen::explain, &seen) == GPUOPT_OK;
      unchanged();
      same = same && gpuopt_set_disabled(h, "no_such_kernel") == GPUOPT_OK;  // warns
      unchanged();
      args.reduce = 99;
      same = same && gpuopt_reduce(h, &args) == GPUOPT_INVALID_ARGUMENT;
      unchanged();
      same = same && gpuopt_counters(h, nullptr, 0, &count) == GPUOPT_OK && gpuopt_reset_counters(h) == GPUOPT_OK;
      unchanged();
      gpuopt_destroy(h);
      unchanged();
      for (const FloatRegisters &r : seen.callbacks) registers_same = registers_same && r == before;
    }
    CHECK(same);
    CHECK(first_wrong == 0);
    CHECK(std::memcmp(&out, &usual, sizeof out) == 0);
    CHECK(registers_same);
    CHECK(seen.logs > 3);
    CHECK(seen.explained > 1);
    CHECK(seen.allocated > 0);
    CHECK(seen.deallocated == seen.allocated);
  }
}

TEST_CASE(
    "floating: kernels have the library's environment, and the flags they raise and what they change stay behind") {
  register_environment_kernel();
  FloatRegisters usual;
  gpuopt_test::SmallGemm g;
  for (const bool changes : {false, true}) {
    for (const FloatSetting &setting : float_settings()) {
      CAPTURE(setting.name);
      CAPTURE(changes);
      const Handle h(created(1));
      REQUIRE(gpuopt_set_kernel(h.get(), "gemm_test_environment") == GPUOPT_OK);
      kernel_changes = changes;
      gpuopt_status status = GPUOPT_OK;
      FloatRegisters before, after;
      {
        const ScopedFloat scope({"usual", [] {}});
        usual = float_registers();
      }
      {
        const ScopedFloat scope(setting);
        before = float_registers();
        status = gpuopt_gemm(h.get(), &g.args);
        after = float_registers();
      }
      kernel_changes = false;
      REQUIRE_MESSAGE(status == GPUOPT_OK, last_error());
      CHECK(seen_by_kernel.control == usual.control);
      CHECK(seen_by_kernel.x87_control == usual.x87_control);
      CHECK(after.control == before.control);
      CHECK(after.flags == before.flags);
      CHECK(after.x87_control == before.x87_control);
    }
  }
}

TEST_CASE("floating: an environment that a callback sets stays the application's, and results stay right") {
  const std::vector<float> x(300000, 0.1f);
  Seen seen;
  float usual = 0, out = 0;
  const Handle h(created_with(&seen));
  gpuopt_reduce_args args = long_sum(x, &usual);
  REQUIRE(gpuopt_reduce(h.get(), &args) == GPUOPT_OK);
  args = long_sum(x, &out);
  seen.change_to = FE_UPWARD;
  const gpuopt_status status = gpuopt_reduce(h.get(), &args);
  const int rounding = std::fegetround();
  std::fesetround(FE_TONEAREST);
  seen.change_to = -1;
  CHECK(status == GPUOPT_OK);
  CHECK(rounding == FE_UPWARD);
  CHECK(std::memcmp(&out, &usual, sizeof out) == 0);
}

TEST_CASE("floating: a callback that throws leaves the application's environment behind") {
  const std::vector<float> x(100, 0.1f);
  for (const FloatSetting &setting : float_settings()) {
    CAPTURE(setting.name);
    Seen seen;
    seen.throws = true;
    const Handle h(created(1));
    float out = 0;
    const gpuopt_reduce_args args = long_sum(x, &out);
    bool restored = false;
    {
      const ScopedFloat scope(setting);
      const FloatRegisters before = float_registers();
      try {
        static_cast<void>(gpuopt_explain(h.get(), &args, nullptr, Seen::explain, &seen));
      } catch (...) {
      }
      restored = float_registers() == before;
    }
    CHECK(restored);
    CHECK(seen.explained == 1);
  }
}
