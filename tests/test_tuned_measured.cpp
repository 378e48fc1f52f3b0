// Measured problems: what their times say of problems near them, and what they cannot do.
#include <cmath>

#include "golden_problems.h"
#include "gpuopt/kernel.h"
#include "handle.h"
#include "needs.h"
#include "problem.h"
#include "registry.h"
#include "tuned.h"
#include "tuning/measured.h"
#include "tuning/tune_text.h"

using namespace gpuopt_test;

namespace {

// Two kernels that predict little more than nothing, so that of all kernels one of them is least.
constexpr double kFirstUs = 0.0020, kSecondUs = 0.0022;
gpuopt_kernel predicting(const char *name, double (*predict_us)(const gpuopt_problem *), uint32_t flags = 0) {
  gpuopt_kernel k = make_tuned_kernel({name, 1, flags});
  k.predict_us = predict_us;
  return k;
}
gpuopt_kernel &first() {
  static gpuopt_kernel k = predicting("gemm_test_measured_first", [](const gpuopt_problem *) { return kFirstUs; });
  register_once(k);
  return k;
}
gpuopt_kernel &second() {  // of even rows alone
  static gpuopt_kernel k = [] {
    gpuopt_kernel made = predicting("gemm_test_measured_second", [](const gpuopt_problem *) { return kSecondUs; });
    made.can_run = [](const gpuopt_problem *p, gpuopt_reject *r) {
      *r = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, 0, 0, "a test"};
      return armed() && p->m % 2 == 0 ? 1 : 0;
    };
    return made;
  }();
  register_once(k);
  return k;
}
gpuopt_kernel &teaching() {
  static gpuopt_kernel k = make_tuned_kernel({"gemm_test_measured_teaching", 1});
  register_once(k);
  return k;
}

struct Near {
  Armed now;
  TempFolder folder;
  std::string path = folder / "x.tune";
  alignas(16) float a[256] = {}, b[256] = {}, d[256];
  Near() {
    first();
    second();
    teaching();
  }
  gpuopt_gemm_args of(int64_t m, int64_t n = 8) {
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    g.a = gpuopt_mat(a, m, 8, GPUOPT_F32);
    g.b = gpuopt_mat(b, 8, n, GPUOPT_F32);
    g.d = gpuopt_mat(d, m, n, GPUOPT_F32);
    return g;
  }
  std::string measured(int64_t m, const std::string &times) {
    const TunedHandle none("none");
    const gpuopt_gemm_args g = of(m);
    return "measured" + tune_key(none.get(), &g).substr(5) + times + "\n";
  }
  // What a call with m rows runs with such a file; explain says so, too.
  std::string with(const std::string &entries, int64_t m = 8, std::string *text = nullptr) {
    write_file(path, kHeaderLine + entries);
    TunedHandle h(path, "dispatch");
    const gpuopt_gemm_args g = of(m);
    Candidates explained;
    REQUIRE_MESSAGE(gpuopt_explain(h.get(), &g, nullptr, Candidates::add, &explained) == GPUOPT_OK, last_error());
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g) == GPUOPT_OK, last_error());
    CHECK(ran(h.get()).rfind(explained.all.at(0).kernel + " ", 0) == 0);
    if (text) *text = explained.all.at(0).text;
    const std::string once = ran(h.get());
    REQUIRE(gpuopt_gemm(h.get(), &g) == GPUOPT_OK);
    CHECK(ran(h.get()) == once);
    return once;
  }
};

const std::string kFirst = "gemm_test_measured_first predicted", kSecond = "gemm_test_measured_second tuned";
// The first took ten times what it predicts, the second what it predicts.
const std::string kSlowFirst = " time=0.0200:1:gemm_test_measured_first time=0.0022:1:gemm_test_measured_second";

}  // namespace

TEST_CASE("tuned measured: times correct the predictions of problems near theirs, and explain says by how much") {
  Near n;
  CHECK(n.with("") == kFirst);
  std::string text;
  CHECK(n.with(n.measured(8, kSlowFirst), 8, &text) == kSecond);
  CHECK_MESSAGE(
      contains(text, "; by 1 measured problems near it, " + n.path + ":2 the nearest: predicted 0.002 us, expected 0."),
      text);
  CHECK_MESSAGE(contains(text, " of gemm_test_measured_first, predicted 0.002 us"), text);
  CHECK(n.with(n.measured(8, kSlowFirst), 10) == kSecond);
  // Of several near ones all are heard, in whatever order they stand.
  const std::string slow = n.measured(8, kSlowFirst), more = n.measured(10, kSlowFirst);
  CHECK(n.with(slow + more, 8, &text) == kSecond);
  CHECK(contains(text, "; by 2 measured problems near it, " + n.path + ":2 the nearest"));
  CHECK(n.with(more + slow, 8, &text) == kSecond);
  CHECK(contains(text, n.path + ":3 the nearest"));
  // The later of two entries with one key counts.
  const std::string as_predicted =
      n.measured(8, " time=0.0020:1:gemm_test_measured_first time=0.0022:1:gemm_test_measured_second");
  CHECK(n.with(as_predicted + slow) == kSecond);
  CHECK(n.with(slow + as_predicted) == kFirst);
}

TEST_CASE("tuned measured: what is far away, of another kind or as predicted changes nothing") {
  Near n;
  CHECK(n.with(n.measured(8, " time=0.0020:1:gemm_test_measured_first time=0.0022:1:gemm_test_measured_second")) ==
        kFirst);
  // A little faster is within what predictions are off by.
  CHECK(n.with(n.measured(8, " time=0.0020:1:gemm_test_measured_first time=0.00199:1:gemm_test_measured_second")) ==
        kFirst);
  CHECK(n.with(n.measured(8, " time=0.0001e2:1:gemm_test_measured_second")) == kFirst);  // nothing of the other one
  const TunedHandle none("none");
  gpuopt_gemm_args far = n.of(8);
  far.a.rows = far.d.rows = 1 << 20;
  far.a.data = far.d.data = nullptr;
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  CHECK(n.with("measured" + tune_key(none.get(), &far, GPUOPT_TUNE_EXACT, &o).substr(5) + kSlowFirst + "\n") == kFirst);
  const std::string other_device = n.measured(8, kSlowFirst);
  std::string text = other_device;
  CHECK(n.with(text.replace(text.find("threads=1"), 9, "threads=2")) == kFirst);
}

TEST_CASE("tuned measured: no time makes a kernel run that cannot, teaches, is not there or is of another version") {
  Near n;
  const std::string slow = n.measured(8, kSlowFirst);
  CHECK(n.with(slow, 8) == kSecond);
  CHECK(n.with(slow, 9) == kFirst);  // the second takes no odd rows, however fast it was
  const std::string kSlow = " time=0.0200:1:gemm_test_measured_first";
  CHECK(n.with(n.measured(8, kSlow + " time=0.001:1:gemm_test_measured_teaching")) == kFirst);
  CHECK(n.with(n.measured(8, kSlow + " time=0.001:1:gemm_test_measured_unknown")) == kFirst);
  CHECK(n.with(n.measured(8, kSlow + " time=0.0011:2:gemm_test_measured_second")) == kFirst);
  CHECK(n.with(n.measured(8, kSlow + " time=0.001:1+1:gemm_test_measured_second+fused_act_cpu")) == kFirst);
  // The same times with the right version do decide.
  CHECK(n.with(n.measured(8, kSlow + " time=0.0011:1:gemm_test_measured_second")) == kSecond);
  // Disabled kernels stay so, and forced ones and entries for the problem itself come before.
  const gpuopt_gemm_args g = n.of(8);
  write_file(n.path, kHeaderLine + slow);
  TunedHandle h(n.path);
  REQUIRE(gpuopt_set_disabled(h.get(), "gemm_test_measured_second") == GPUOPT_OK);
  REQUIRE(gpuopt_gemm(h.get(), &g) == GPUOPT_OK);
  CHECK(ran(h.get()) == kFirst);
  const TunedHandle none("none");
  CHECK(n.with(slow + entry(tune_key(none.get(), &g), "gemm_cpu_reference")) == "gemm_cpu_reference tuned");
}

TEST_CASE(
    "tuned measured: a problem that is made of a key has that key, and the predictions of the call it was made of") {
  const Handle h = cpu_handle();
  const gpuopt_device_facts facts = pretend("sm_90");
  const std::shared_ptr<const gpuopt::Snapshot> kernels = gpuopt::current_snapshot();
  size_t problems = 0, predictions = 0;
  for (GoldenProblems &list : std::vector<GoldenProblems>{golden_gemms(), golden_transposes(), golden_reduces(),
                                                          golden_fused_acts(), golden_norms()})
    for (GoldenProblem &golden : list) {
      const gpuopt::AnyArgs &args = golden.call();
      gpuopt_explain_options o = golden.assumptions();
      o.pretend = &facts;
      gpuopt_problem p;
      REQUIRE_MESSAGE(gpuopt::build_problem(h.get(), args, {"golden", &o}, &p) == GPUOPT_OK, last_error());
      p.device = &facts;
      if (gpuopt::is_empty(p)) continue;
      ++problems;
      const gpuopt::TuneKey key = gpuopt::exact_key(p);
      gpuopt_problem made = gpuopt::problem_of_key(key, p);
      CAPTURE(gpuopt::key_text(gpuopt::device_id(facts), key));
      CHECK(gpuopt::exact_key(made) == key);
      CHECK(gpuopt::distance2(gpuopt::point_of(key, 0), gpuopt::point_of(gpuopt::exact_key(made), 0)) == 0);
      for (const gpuopt::Registered &entry : kernels->by_op[p.op]) {
        const gpuopt_kernel &k = *entry.kernel;
        p.kernel = made.kernel = &k;
        gpuopt_reject reject = {};
        size_t scratch = 0, zeroed = 0;
        if (!k.predict_us || !gpuopt::check_needs(k, p, gpuopt::AskedOperands(p), &reject, &scratch, &zeroed)) continue;
        CAPTURE(k.name);
        REQUIRE(gpuopt::check_needs(k, made, gpuopt::AskedOperands(made), &reject, &scratch, &zeroed));
        const double us = k.predict_us(&p);
        if (!std::isfinite(us)) continue;  // kernels of other tests
        CHECK(k.predict_us(&made) == doctest::Approx(us).epsilon(0.02));
        ++predictions;
      }
    }
  CHECK(problems > 300);
  CHECK(predictions > problems);
}
