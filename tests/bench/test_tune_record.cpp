// A record's times as measured entries, and what they are worth on problems that they are not of.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "choice_text.h"
#include "fit/tune_record.h"
#include "gpuopt/kernel.h"

using namespace gpuopt_bench;

namespace {

// Two kernels that predict less than those of other tests; the first is taken, and in truth takes twice as long as it says.
double first_us(const gpuopt_problem *p) { return 1e-9 * static_cast<double>(p->m); }
double second_us(const gpuopt_problem *p) { return 1.2e-9 * static_cast<double>(p->m); }
gpuopt_status no_launch(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_INTERNAL; }

void register_both() {
  static constexpr gpuopt_signature kAny[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
  static gpuopt_kernel kernels[2];
  for (int i = 0; i < 2; ++i) {
    gpuopt_kernel &k = kernels[i];
    if (k.op != 0) return;
    k.struct_size = sizeof k;
    k.name = i == 0 ? "transpose_synthetic_tune_first" : "transpose_synthetic_tune_second";
    k.summary = "predicts";
    k.op = GPUOPT_OP_TRANSPOSE;
    k.version = 3;
    k.understands = ~0u;
    k.signatures = kAny;
    k.signature_count = 1;
    k.predict_us = i == 0 ? first_us : second_us;
    k.launch = no_launch;
    REQUIRE(gpuopt_register_kernel(&k) == GPUOPT_OK);
  }
}

struct OfRecord {
  Record record;
  gpuopt_handle *handle = nullptr;
  OfRecord() {
    register_both();
    record.facts.struct_size = sizeof record.facts;
    REQUIRE(gpuopt_pretend_device("h200", &record.facts) == GPUOPT_OK);
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.verbose = "none";
    REQUIRE(gpuopt_create(&handle, &o) == GPUOPT_OK);
  }
  ~OfRecord() { gpuopt_destroy(handle); }
  OfRecord(const OfRecord &) = delete;
  void add(int64_t rows, const char *kernel, Role role, double us) {
    Row r;
    r.suite = "selection_transpose";
    r.shape = std::to_string(rows);
    r.contender = std::string("gpuopt:") + kernel;
    r.kernel = kernel;
    r.role = role;
    r.timing.median_us = us;
    r.timing.samples = 5;
    r.predicted_us = us;
    const std::string n = std::to_string(rows);
    r.call = "transpose src=" + n + "x64:f32 dst=64x" + n + ":f32";
    record.rows.push_back(r);
  }
};

}  // namespace

TEST_CASE("tune record: candidates' times become entries, and halves say what they are worth on the others") {
  OfRecord r;
  for (int64_t rows = 1000; rows < 1400; rows += 20) {
    const double m = 1e-5 * static_cast<double>(rows);
    r.add(rows, "transpose_synthetic_tune_first", Role::automatic, 2 * m);
    r.add(rows, "transpose_synthetic_tune_second", Role::kernel, 1.2 * m);
    r.add(rows, "transpose_synthetic_tune_gone", Role::kernel, 0.1 * m);
  }
  TuneRecordOptions options;
  const std::vector<RecordedProblem> problems = recorded_problems(r.record, r.handle, options);
  REQUIRE(problems.size() == 20);
  CHECK(problems[0].us.size() == 2);  // of kernels that this build has
  CHECK(problems[0].exact_key.rfind("exact device=NVIDIA_H200 cc=90 sm=132 op=transpose ", 0) == 0);
  const gpuopt_tune::Entry entry = gpuopt_tune::measured_entry(problems[0].exact_key, problems[0].us);
  CHECK(entry.key.rfind("measured device=NVIDIA_H200 cc=90 sm=132 op=transpose ", 0) == 0);
  CHECK(entry.choice == "time=0.012:3:transpose_synthetic_tune_second time=0.02:3:transpose_synthetic_tune_first");

  const std::string path = "gpuopt_tune_record_test_" + std::to_string(getpid()) + ".tune";
  const std::vector<TuneJudged> judged = judge_halves(problems, r.record.facts, 3, path, r.handle);
  REQUIRE(judged.size() == 2);
  CHECK(judged[0].op == "transpose");
  CHECK(judged[1].op == "all");
  CHECK(judged[0].problems > 10);
  CHECK(judged[0].changed == judged[0].problems);  // the other half knows that the first is slow
  CHECK(judged[0].mean == doctest::Approx(2 / 1.2));
  CHECK(judged[0].least == doctest::Approx(2 / 1.2));
  CHECK(judged[0].possible == doctest::Approx(2 / 1.2));
  CHECK(access(path.c_str(), F_OK) != 0);

  options.kernels = {"*_first"};
  CHECK(recorded_problems(r.record, r.handle, options).at(0).us.size() == 1);
  options.ops = {"gemm"};
  CHECK(recorded_problems(r.record, r.handle, options).empty());
}

TEST_CASE("tune record: times that agree with the predictions change nothing") {
  OfRecord r;
  for (int64_t rows = 1000; rows < 1400; rows += 20) {
    const double m = 1e-5 * static_cast<double>(rows);
    r.add(rows, "transpose_synthetic_tune_first", Role::automatic, m);
    r.add(rows, "transpose_synthetic_tune_second", Role::kernel, 1.2 * m);
  }
  const std::vector<RecordedProblem> problems = recorded_problems(r.record, r.handle, {});
  const std::string path = "gpuopt_tune_record_test_" + std::to_string(getpid()) + ".tune";
  const std::vector<TuneJudged> judged = judge_halves(problems, r.record.facts, 2, path, r.handle);
  CHECK(judged.at(0).changed == 0);
  CHECK(judged.at(0).mean == doctest::Approx(1));
}

TEST_CASE("tune record: only times of the versions of this build are kept") {
  register_both();
  const std::string good = "time=1.2:3:transpose_synthetic_tune_second",
                    old = "time=1.2:2:transpose_synthetic_tune_first", gone = "time=1:1:transpose_synthetic_tune_gone",
                    algorithm = good + "@id66.tile20";
  CHECK(gpuopt_tune::times_of_this_build(old + " " + good + " " + gone + " " + algorithm + " time= time=1") ==
        good + " " + algorithm);
  CHECK(gpuopt_tune::times_of_this_build(old) == "");
}
