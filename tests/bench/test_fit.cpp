// Fitting figures to records: kernels whose times follow planted figures get them back.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "fit/choices.h"
#include "fit/fit.h"
#include "fit/rewrite.h"
#include "gpuopt_call/random_call.h"
#include "gpuopt_call/text.h"

using namespace gpuopt_bench;

namespace {

// What a family's figures.h makes.
struct Figures {
  double quick_launch_us, quick_share, plain_launch_us, plain_share, plain_half_share, never_used, counted_factor,
      planned_factor = 1;
};
Figures figures;
FigureTable table() {
  FigureTable t = {"transpose/planted", "planted.h", {}};
  const auto add = [&](const char *name, double *value, const char *to) { t.rows.push_back({name, value, to, 0}); };
  add("quick_launch_us", &figures.quick_launch_us, "derived");
  add("quick_share", &figures.quick_share, "derived");
  add("plain_launch_us", &figures.plain_launch_us, "2026-11-21-h200");
  add("plain_share", &figures.plain_share, "2026-11-21-h200");
  add("plain_half_share", &figures.plain_half_share, "2026-11-21-h200");
  add("never_used", &figures.never_used, "derived");
  add("counted_factor", &figures.counted_factor, "counted");
  add("planned_factor", &figures.planned_factor, "planned");
  return t;
}

double bytes_us(const gpuopt_problem *p) {
  const double bytes = 2.0 * static_cast<double>(p->m * p->n * p->batch * gpuopt_dtype_size(p->operand[0].m.dtype));
  return bytes * figures.counted_factor * figures.planned_factor / (p->device->memory_gbs * 1e3);
}
double quick_us(const gpuopt_problem *p) { return figures.quick_launch_us + bytes_us(p) / figures.quick_share; }
double plain_us(const gpuopt_problem *p) {
  const bool half = gpuopt_dtype_size(p->operand[0].m.dtype) == 2;
  return figures.plain_launch_us + std::max(bytes_us(p), 0.5) / (half ? figures.plain_half_share : figures.plain_share);
}
double any_us(const gpuopt_problem *) { return 7; }
int wide_only(const gpuopt_problem *p, gpuopt_reject *reject) {
  if (p->n >= 64) return 1;
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, p->n, 64, "columns"};
  return 0;
}
gpuopt_status no_launch(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_INTERNAL; }

void register_planted() {
  static constexpr gpuopt_signature kAny[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
  static gpuopt_kernel kernels[3];
  for (int i = 0; i < 3; ++i) {
    gpuopt_kernel &k = kernels[i];
    if (k.op != 0) return;
    k.struct_size = sizeof k;
    k.name = i == 0   ? "transpose_synthetic_fit_quick"
             : i == 1 ? "transpose_synthetic_fit_plain"
                      : "gemm_synthetic_fit_any";
    k.aliases = i == 1 ? "transpose_synthetic_fit_gone" : nullptr;
    k.summary = "takes the time of its figures";
    k.op = i < 2 ? GPUOPT_OP_TRANSPOSE : GPUOPT_OP_GEMM;
    k.version = 1;
    k.understands = ~0u;
    if (i == 2) k.stage_kinds = (1ull << GPUOPT_STAGE_COUNT_) - 2, k.max_stages = GPUOPT_MAX_STAGES;
    k.cc_min = k.cc_max = 75;  // other tests pretend other devices
    k.signatures = kAny;
    k.signature_count = 1;
    k.can_run = i == 0 ? wide_only : nullptr;
    k.predict_us = i == 0 ? quick_us : i == 1 ? plain_us : any_us;
    k.launch = no_launch;
    REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, gpuopt_last_error());
  }
}

constexpr Figures kTrue = {2.4, 0.9, 3.5, 0.6, 0.35, 7, 1.1}, kWrong = {3.4, 0.6, 2.2, 0.8, 0.8, 7, 1.1};

// Times of the true figures, 3 % off one way or the other.
Record planted_record(int problems) {
  Record record;
  record.date = "2026-12-24T00:00:00Z";
  record.device.name = "NVIDIA H200";
  record.facts.struct_size = sizeof record.facts;
  REQUIRE(gpuopt_pretend_device("sm_75", &record.facts) == GPUOPT_OK);
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *handle = nullptr;
  REQUIRE(gpuopt_create(&handle, &o) == GPUOPT_OK);
  for (int i = 0; i < problems; ++i) {
    Row r;
    r.suite = "selection_transpose";
    r.call = gpuopt_call::text_of(gpuopt_call::random_call(GPUOPT_OP_TRANSPOSE, 1, static_cast<uint64_t>(i)));
    for (const char *kernel : {"transpose_synthetic_fit_quick", "transpose_synthetic_fit_plain"}) {
      r.kernel = kernel;
      r.role = Role::kernel;
      r.timing.median_us = r.predicted_us = 1;
      record.rows.push_back(r);
    }
  }
  figures = kTrue;
  const auto samples = fit_samples(record, handle);  // those that run
  gpuopt_destroy(handle);
  record.rows.clear();
  std::vector<double> times;
  for (size_t i = 0; i < samples->all.size(); ++i) times.push_back(predict(samples->all[i]) * (i % 2 ? 1.03 : 0.97));
  figures = kWrong;
  std::string last;
  for (size_t i = 0; i < samples->all.size(); ++i) {
    const FitSample &s = samples->all[i];
    Row r;
    r.suite = "selection_transpose";
    r.call = s.call;
    r.kernel = s.kernel;
    r.role = s.call != last ? Role::automatic : Role::kernel;
    r.timing.median_us = times[i];
    r.predicted_us = predict(s);
    record.rows.push_back(r);
    last = s.call;
  }
  return record;
}

struct Handle {
  Handle() {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    REQUIRE(gpuopt_create(&handle, &o) == GPUOPT_OK);
  }
  ~Handle() { gpuopt_destroy(handle); }
  gpuopt_handle *handle = nullptr;
};

std::string text_of_file(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr char kFile[] =
    R"(// Figures.
#define GPUOPT_PLANTED_TILE_(X, tile, start, busy)                                        \
  X(tile##_start_us, start, "a call (empty), say", "2026-11-21-h200", 0)                  \
  X(tile_##tile##_busy_clocks, busy, "a stage", "derived", 0)

#define GPUOPT_PLANTED_FIGURES(X)                                                         \
  /* name              value  what it is, X(here, 1, "no", "row", 0)   fitted to error */ \
  GPUOPT_PLANTED_TILE_(X, 16x8,  3.4,   500)                                              \
  GPUOPT_PLANTED_TILE_(X, 32x32, 3.9,  1100)                                              \
  X(launch_us,          4.2,  "launch, \"one\"",     "2026-11-21-h200", 0)                \
  X(slot_bytes_per_us,  3e6,  "through L2",          "2026-11-21-h200", 0)                \
  X(share, 0.25, "of memory_gbs", "derived",                                              \
    0)

GPUOPT_FIGURES(PlantedFigures, planted_figures, GPUOPT_PLANTED_FIGURES)
)";

}  // namespace

TEST_CASE("fit: planted figures are found again, and what no row touches stays") {
  register_planted();
  const Record record = planted_record(300);
  const Handle h;
  const auto samples = fit_samples(record, h.handle);
  CHECK(samples->all.size() == record.rows.size());
  CHECK(samples->left_out.empty());
  CHECK(samples->all.size() > 450);
  const std::vector<FigureTable> tables = {table()};
  FitOptions options;
  options.holdout = 25;
  const FitReport report = fit(*samples, tables, options);
  CAPTURE(report.text);
  CHECK(report.figures.size() == 5);
  CHECK(figures.quick_launch_us == doctest::Approx(kTrue.quick_launch_us).epsilon(0.03));
  CHECK(figures.quick_share == doctest::Approx(kTrue.quick_share).epsilon(0.03));
  CHECK(figures.plain_launch_us == doctest::Approx(kTrue.plain_launch_us).epsilon(0.03));
  CHECK(figures.plain_share == doctest::Approx(kTrue.plain_share).epsilon(0.03));
  CHECK(figures.plain_half_share == doctest::Approx(kTrue.plain_half_share).epsilon(0.03));
  CHECK(figures.never_used == kTrue.never_used);
  CHECK(figures.counted_factor == kTrue.counted_factor);
  CHECK(figures.planned_factor == kTrue.planned_factor);
  for (const FittedFigure &f : report.figures) CHECK(f.error_percent < 3.5);
  CHECK(report.text.find("held out, after") != std::string::npos);
  CHECK(report.rows.rfind("call,kernel,held_out,measured_us,before_us,after_us\n", 0) == 0);
  CHECK(std::count(report.rows.begin(), report.rows.end(), '\n') == static_cast<int>(samples->all.size()) + 1);
  int held = 0;
  for (const FitSample &s : samples->all) held += held_out(s.call, 25) ? 1 : 0;
  CHECK(held > static_cast<int>(samples->all.size()) / 6);
  CHECK(held < static_cast<int>(samples->all.size()) / 3);
  CHECK(fitted_to(record) == "2026-12-24-h200");
}

TEST_CASE("fit: only the kernels that are named") {
  register_planted();
  const Record record = planted_record(60);
  const Handle h;
  FitOptions options;
  options.kernels = {"*_quick"};
  const std::vector<FigureTable> tables = {table()};
  CHECK(fit(*fit_samples(record, h.handle), tables, options).figures.size() == 2);
  CHECK(figures.plain_share == kWrong.plain_share);
  CHECK(figures.quick_share == doctest::Approx(kTrue.quick_share).epsilon(0.05));
}

TEST_CASE("fit: figures that are to stay do") {
  register_planted();
  const Record record = planted_record(60);
  const Handle h;
  FitOptions options;
  options.kept = {"transpose/planted/plain_*"};
  const std::vector<FigureTable> tables = {table()};
  CHECK(fit(*fit_samples(record, h.handle), tables, options).figures.size() == 2);
  CHECK(figures.plain_share == kWrong.plain_share);
  CHECK(figures.quick_share == doctest::Approx(kTrue.quick_share).epsilon(0.05));
}

TEST_CASE("fit: of two records the second adds what the first has not") {
  register_planted();
  const Record record = planted_record(40);
  Record half = record;
  half.rows.resize(half.rows.size() / 2);
  const Handle h;
  FitSamples samples;
  add_samples(half, h.handle, &samples);
  CHECK(samples.all.size() == half.rows.size());
  add_samples(record, h.handle, &samples);
  CHECK(samples.all.size() == record.rows.size());
  CHECK(samples.devices.size() == 2);
}

TEST_CASE("fit: large aligned products are told from others") {
  register_planted();
  const Handle h;
  Record record = planted_record(1);
  record.rows.resize(1);
  const auto is_regular = [&](const char *call) {
    record.rows[0].call = call;
    record.rows[0].kernel = "gemm_synthetic_fit_any";
    const auto samples = fit_samples(record, h.handle);
    REQUIRE(samples->all.size() == 1);
    return samples->all[0].regular;
  };
  CHECK(is_regular("gemm compute=f32 a=512x256:bf16 b=256x1024:bf16 d=512x1024:bf16"));
  CHECK_FALSE(is_regular("gemm compute=f32 a=512x257:bf16 b=257x1024:bf16 d=512x1024:bf16"));
  CHECK_FALSE(is_regular("gemm compute=f32 a=64x256:bf16 b=256x1024:bf16 d=64x1024:bf16"));
  CHECK_FALSE(is_regular("gemm compute=f32 a=512x256:bf16:by=4 b=256x1024:bf16 d=512x1024:bf16"));
  CHECK_FALSE(is_regular("gemm compute=f32 batch=2 a=512x256:bf16 b=256x1024:bf16 d=512x1024:bf16"));
}

TEST_CASE("fit: choices of squares and layers that change are named, with what was measured of them") {
  register_planted();
  const Handle h;
  gpuopt_device_facts facts = {};
  facts.struct_size = sizeof facts;
  REQUIRE(gpuopt_pretend_device("sm_75", &facts) == GPUOPT_OK);
  const std::vector<ModelChoice> before = model_choices(h.handle, facts);
  REQUIRE(before.size() > 100);
  FitSamples samples;
  CHECK(changed_choices(before, before, samples).find(": 0 of ") != std::string::npos);
  std::vector<ModelChoice> after = before;
  after[3].kernel = "gemm_other";
  after[3].predicted_us = {{"gemm_other", 10}, {before[3].kernel, 12}};
  FitSample was, is;
  was.call = is.call = before[3].call;
  was.kernel = before[3].kernel;
  is.kernel = "gemm_other";
  was.measured_us = 11;
  is.measured_us = 10;
  samples.all = {was, is};
  const std::string text = changed_choices(before, after, samples);
  CAPTURE(text);
  CHECK(text.find("1 of " + std::to_string(after.size())) != std::string::npos);
  CHECK(text.find(before[3].kernel + " -> gemm_other") != std::string::npos);
  CHECK(text.find("-> 1.200, measured 1.100: " + before[3].call) != std::string::npos);
}

TEST_CASE("fit: a former name beside the present one was another kernel's") {
  register_planted();
  Record record = planted_record(20);
  const Handle h;
  const size_t before = fit_samples(record, h.handle)->all.size();
  Row gone = record.rows.back();
  REQUIRE(gone.kernel == "transpose_synthetic_fit_plain");
  gone.kernel = "transpose_synthetic_fit_gone";
  record.rows.push_back(gone);
  auto samples = fit_samples(record, h.handle);
  CHECK(samples->all.size() == before);
  CHECK(samples->left_out["another kernel's name now: transpose_synthetic_fit_gone"] == 1);
  record.rows.erase(record.rows.end() - 2);  // alone it is the kernel's own
  samples = fit_samples(record, h.handle);
  CHECK(samples->all.size() == before);
  CHECK(samples->left_out.empty());
}

TEST_CASE("fit: rows that are no problem any more are counted, not fitted") {
  register_planted();
  Record record = planted_record(40);
  const size_t rows = record.rows.size();
  record.rows[0].kernel = "transpose_gone";
  record.rows[1].call = "transpose src=8x8";
  record.rows[2].call = "transpose src=4x4:f32 dst=4x4:f32";  // too narrow for the quick one
  record.rows[2].kernel = "transpose_synthetic_fit_quick";
  record.rows[3].timing.failure = "refused";
  const Handle h;
  const auto samples = fit_samples(record, h.handle);
  CHECK(samples->all.size() == rows - 4);
  CHECK(samples->left_out.size() == 3);
}

TEST_CASE("fit: a table's file gets new values and keeps its form") {
  std::vector<std::string> missing;
  const std::vector<NewFigure> news = {{"16x8_start_us", 3.25, "2026-12-24-h200", 5},
                                       {"32x32_start_us", 4.5, "2026-12-24-h200", 7},
                                       {"tile_32x32_busy_clocks", 998.7, "2026-12-24-h200", 8},
                                       {"launch_us", 4.256, "2026-12-24-h200", 1.26},
                                       {"slot_bytes_per_us", 3.14159e6, "2026-12-24-h200", 0.04},
                                       {"share", 0.5, "2026-12-24-h200", 12},
                                       {"here", 2, "2026-12-24-h200", 0}};
  const std::string text = rewrite_figures(kFile, news, &missing);
  CHECK(missing == std::vector<std::string>{"here"});
  CHECK(text == R"(// Figures.
#define GPUOPT_PLANTED_TILE_(X, tile, start, busy)                                        \
  X(tile##_start_us, start, "a call (empty), say", "2026-12-24-h200", 6.0)                \
  X(tile_##tile##_busy_clocks, busy, "a stage", "2026-12-24-h200", 8.0)

#define GPUOPT_PLANTED_FIGURES(X)                                                         \
  /* name              value  what it is, X(here, 1, "no", "row", 0)   fitted to error */ \
  GPUOPT_PLANTED_TILE_(X, 16x8,  3.25,  500)                                              \
  GPUOPT_PLANTED_TILE_(X, 32x32, 4.5,   999)                                              \
  X(launch_us,          4.26, "launch, \"one\"",     "2026-12-24-h200", 1.3)              \
  X(slot_bytes_per_us, 3.14e6, "through L2",          "2026-12-24-h200", 0.0)             \
  X(share, 0.5, "of memory_gbs", "2026-12-24-h200",                                       \
    12.0)

GPUOPT_FIGURES(PlantedFigures, planted_figures, GPUOPT_PLANTED_FIGURES)
)");
  CHECK(figure_text(0.8349) == "0.835");
  CHECK(figure_text(3) == "3");
  CHECK(figure_text(2345.6) == "2346");
  CHECK(figure_text(4e4) == "40000");
  CHECK(figure_text(3.2e6) == "3.2e6");
}

TEST_CASE("fit: the library's tables hold usable figures, each with a row in its file") {
  const std::vector<FigureTable> tables = figure_tables();
  CHECK(tables.size() >= 20);
  for (const FigureTable &t : tables) {
    CAPTURE(t.path);
    CHECK_FALSE(t.rows.empty());
    const std::string text = text_of_file(t.path);
    std::vector<NewFigure> same;
    for (const FigureRow &r : t.rows) {
      CAPTURE(r.name);
      CHECK(std::isfinite(*r.value));
      CHECK(*r.value >= 0);
      CHECK_FALSE(r.fitted_to.empty());
      CHECK(r.error_percent >= 0);
      CHECK(std::count_if(t.rows.begin(), t.rows.end(), [&](const FigureRow &o) { return o.name == r.name; }) == 1);
      same.push_back({r.name, *r.value, r.fitted_to, r.error_percent});
    }
    std::vector<std::string> missing;
    rewrite_figures(text, same, &missing);
    CHECK(missing.empty());
  }
}
