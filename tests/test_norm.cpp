// gpuopt_norm: what it computes, on small rows worked out by hand; what it refuses and says; what it leaves alone.
#include "support.h"

#include <cmath>
#include <cstring>
#include <functional>

using namespace gpuopt_test;

namespace {

struct SmallNorm {
  float x[6] = {1, 2, 3, -1, 0, 4}, residual[6] = {1, 1, 1, 2, 2, 2}, gamma[3] = {1, 2, 3}, beta[3] = {10, 20, 30};
  float out[6], sum[6], statistics[4];
  gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
  explicit SmallNorm(int32_t norm) {
    std::memset(out, 0x7f, sizeof out);
    std::memset(sum, 0x7f, sizeof sum);
    args.norm = norm;
    args.x = gpuopt_mat(x, 2, 3, GPUOPT_F32);
    args.out = gpuopt_mat(out, 2, 3, GPUOPT_F32);
    args.eps = 0;
  }
  gpuopt_matrix matrix(float *data) const { return gpuopt_mat(data, 2, 3, GPUOPT_F32); }
};

void run_on_every_cpu_kernel(const Handle &h, SmallNorm &n, const std::function<void()> &check) {
  for (const char *kernel : {"norm_cpu_reference", "norm_cpu_blocked"}) {
    REQUIRE(gpuopt_set_kernel(h.get(), kernel) == GPUOPT_OK);
    REQUIRE_MESSAGE(gpuopt_norm(h.get(), &n.args) == GPUOPT_OK, last_error());
    check();
  }
}

}  // namespace

TEST_CASE("norm: layer norm with weights, residual, sum and statistics") {
  const Handle h = cpu_handle();
  SmallNorm n(GPUOPT_NORM_LAYERNORM);
  n.args.residual = n.matrix(n.residual);
  n.args.sum = n.matrix(n.sum);
  n.args.gamma = gpuopt_mat(n.gamma, 1, 3, GPUOPT_F32);
  n.args.beta = gpuopt_mat(n.beta, 1, 3, GPUOPT_F32);
  n.args.statistics = gpuopt_mat(n.statistics, 2, 2, GPUOPT_F32);
  run_on_every_cpu_kernel(h, n, [&] {
    // Rows of the sum: 2 3 4, mean 3, variance 2/3; and 1 2 6, mean 3, variance 14/3.
    CHECK(n.sum[0] == 2);
    CHECK(n.sum[5] == 6);
    CHECK(n.statistics[0] == doctest::Approx(3));
    CHECK(n.statistics[1] == doctest::Approx(std::sqrt(1.5)));
    CHECK(n.statistics[3] == doctest::Approx(std::sqrt(3.0 / 14)));
    CHECK(n.out[0] == doctest::Approx(10 - std::sqrt(1.5)));
    CHECK(n.out[1] == doctest::Approx(20));
    CHECK(n.out[5] == doctest::Approx(30 + 9 * std::sqrt(3.0 / 14)));
  });
}

TEST_CASE("norm: RMS norm with eps, a stage, in place") {
  const Handle h = cpu_handle();
  for (const char *kernel : {"norm_cpu_reference", "norm_cpu_blocked"}) {
    SmallNorm n(GPUOPT_NORM_RMSNORM);
    n.args.out = n.args.x;
    n.args.eps = 1.0 / 3;
    const gpuopt_stage twice = gpuopt_act(GPUOPT_STAGE_MUL, 2, 0);
    n.args.stages = &twice;
    n.args.stage_count = 1;
    REQUIRE(gpuopt_set_kernel(h.get(), kernel) == GPUOPT_OK);
    REQUIRE_MESSAGE(gpuopt_norm(h.get(), &n.args) == GPUOPT_OK, last_error());
    CHECK(n.x[0] == doctest::Approx(2 / std::sqrt(5.0)));  // (1 + 4 + 9 + 1) / 3
    CHECK(n.x[5] == doctest::Approx(8 / std::sqrt(6.0)));
  }
}

TEST_CASE("norm: softmax and its logarithm, where minus infinity gives 0 and a row of it NaN") {
  const Handle h = cpu_handle();
  SmallNorm n(GPUOPT_NORM_SOFTMAX);
  n.x[3] = n.x[4] = -INFINITY;
  n.args.statistics = gpuopt_mat(n.statistics, 2, 2, GPUOPT_F32);
  run_on_every_cpu_kernel(h, n, [&] {
    const double total = 1 + std::exp(-1.0) + std::exp(-2.0);
    CHECK(n.out[0] == doctest::Approx(std::exp(-2.0) / total));
    CHECK(n.out[2] == doctest::Approx(1 / total));
    CHECK(n.out[3] == 0);
    CHECK(n.out[5] == 1);
    CHECK(n.statistics[0] == 3);
    CHECK(n.statistics[1] == doctest::Approx(total));
  });
  n.args.norm = GPUOPT_NORM_LOG_SOFTMAX;
  n.x[5] = -INFINITY;
  run_on_every_cpu_kernel(h, n, [&] {
    CHECK(n.out[2] == doctest::Approx(-std::log(1 + std::exp(-1.0) + std::exp(-2.0))));
    CHECK(std::isnan(n.out[4]));
  });
}

TEST_CASE("norm: a row is a row in either layout, and a batch shares its weights") {
  const Handle h = cpu_handle();
  const float by_column[12] = {1, 4, 2, 5, 3, 9, 1, 4, 2, 5, 3, 9};  // two 2 x 3 matrices
  float out[12];
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.norm = GPUOPT_NORM_RMSNORM;
  n.eps = 0;
  n.x = gpuopt_mat(by_column, 2, 3, GPUOPT_F32);
  n.x.layout = GPUOPT_COL;
  n.out = gpuopt_mat(out, 2, 3, GPUOPT_F32);
  n.batch = 2;
  const float gamma[3] = {1, 1, 2};
  n.gamma = gpuopt_mat(gamma, 1, 3, GPUOPT_F32);
  n.gamma.batch_stride = 0;
  REQUIRE_MESSAGE(gpuopt_norm(h.get(), &n) == GPUOPT_OK, last_error());
  for (int p = 0; p < 2; ++p) {
    CHECK(out[p * 6 + 0] == doctest::Approx(1 / std::sqrt(14.0 / 3)));
    CHECK(out[p * 6 + 5] == doctest::Approx(18 / std::sqrt(122.0 / 3)));
  }
}

TEST_CASE("bad input: norm") {
  const Handle h = cpu_handle();
  const auto run = [&](const char *text, const std::function<void(SmallNorm &)> &change) {
    SmallNorm n(GPUOPT_NORM_LAYERNORM);
    change(n);
    CHECK(gpuopt_norm(h.get(), &n.args) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(std::strstr(gpuopt_last_error(), text) != nullptr, gpuopt_last_error());
    unsigned char poison[sizeof n.out];
    std::memset(poison, 0x7f, sizeof poison);
    CHECK(std::memcmp(poison, n.out, sizeof poison) == 0);
  };
  run("norm=0 is not a GPUOPT_NORM_* value", [](SmallNorm &n) { n.args.norm = 0; });
  run("eps=-1 must be finite and not negative", [](SmallNorm &n) { n.args.eps = -1; });
  run("out is 3x2 and must be 2x3", [](SmallNorm &n) { n.args.out = gpuopt_mat(n.out, 3, 2, GPUOPT_F32); });
  run("x.dtype=i8: norm takes", [](SmallNorm &n) { n.args.x.dtype = GPUOPT_I8; });
  run("gamma is set and norm=SOFTMAX does not use it", [](SmallNorm &n) {
    n.args.norm = GPUOPT_NORM_SOFTMAX;
    n.args.gamma = gpuopt_mat(n.gamma, 1, 3, GPUOPT_F32);
  });
  run("gamma is 1x2 and must be 1x3", [](SmallNorm &n) { n.args.gamma = gpuopt_mat(n.gamma, 1, 2, GPUOPT_F32); });
  run("sum is set and residual is not", [](SmallNorm &n) { n.args.sum = n.matrix(n.sum); });
  run("statistics.dtype=f64 must be f32", [](SmallNorm &n) {
    n.args.statistics = gpuopt_mat(nullptr, 2, 2, GPUOPT_F64);
    n.args.statistics.data = n.sum + (reinterpret_cast<uintptr_t>(n.sum) % 8 != 0 ? 1 : 0);
  });
  run("overlaps x", [](SmallNorm &n) { n.args.out = gpuopt_mat(n.x + 1, 2, 3, GPUOPT_F32); });
  run("out (2x3 at", [](SmallNorm &n) {
    n.args.residual = n.matrix(n.residual);
    n.args.sum = n.args.out;
  });
  run("reserved1 is not zero", [](SmallNorm &n) { n.args.reserved1 = 1; });
}

TEST_CASE("select: norm kernels by row length and type") {
  const Handle h = cpu_handle();
  const gpuopt_device_facts facts = pretend("sm_90");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  o.any_build = 1;
  const auto chosen = [&](int64_t rows, int64_t cols, int32_t dtype, bool weights = false) {
    gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
    n.x = n.out = gpuopt_mat(nullptr, rows, cols, dtype);
    if (weights) n.gamma = n.beta = gpuopt_mat(nullptr, 1, cols, dtype);
    Candidates Seen;
    const gpuopt_status status = gpuopt_explain(h.get(), &n, &o, Candidates::add, &Seen);
    return status == GPUOPT_OK ? Seen.all.at(0).kernel : std::string(gpuopt_status_name(status));
  };
#if GPUOPT_TEST_HAVE_CUDA
  CHECK(chosen(100000, 64, GPUOPT_F32) == "norm_warp_row");
  CHECK(chosen(8192, 8192, GPUOPT_BF16) == "norm_twice_row");
  CHECK(chosen(16384, 16384, GPUOPT_BF16) == "norm_twice_row");
  CHECK(chosen(132, 400001, GPUOPT_F16) == "norm_cluster_row");
  CHECK(chosen(320, 150400, GPUOPT_BF16, true) == "norm_persistent_row");
  CHECK(chosen(8192, 8192, GPUOPT_E4M3) == "norm_shared");
  for (const int64_t cols : {769, 1025, 4097, 8193, 12283}) {  // rows that begin alike
    CAPTURE(cols);
    CHECK(chosen(32768, cols, GPUOPT_BF16, true) == "norm_staying_rows");
  }
#else
  CHECK(chosen(100, 64, GPUOPT_F32) == "NOT_SUPPORTED");
#endif
}

#if GPUOPT_TEST_HAVE_CUDA
namespace {

using Change = std::function<void(gpuopt_norm_args &)>;

// What is said of a norm of bf16 rows, with gamma where there may be one, on a pretended sm_90.
Candidates seen_on_sm_90(int32_t norm, int64_t rows, int64_t cols, const Change &change) {
  const Handle h = cpu_handle();
  const gpuopt_device_facts facts = pretend("sm_90");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  o.any_build = 1;
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.norm = norm;
  n.x = n.out = gpuopt_mat(nullptr, rows, cols, GPUOPT_BF16);
  if (norm == GPUOPT_NORM_LAYERNORM || norm == GPUOPT_NORM_RMSNORM) n.gamma = gpuopt_mat(nullptr, 1, cols, GPUOPT_BF16);
  change(n);
  Candidates seen;
  CHECK_MESSAGE(gpuopt_explain(h.get(), &n, &o, Candidates::add, &seen) == GPUOPT_OK, last_error());
  return seen;
}
std::string verdict_on(const char *kernel, const Candidates &seen) {
  const Candidate *const found = seen.find(kernel);
  REQUIRE(found != nullptr);
  return found->verdict == GPUOPT_VERDICT_REJECTED ? std::string(gpuopt_reject_name(found->reject)) : "can run";
}

}  // namespace

TEST_CASE("select: what norm_split_row takes, and where it is chosen") {
  const auto verdict = [](int32_t norm, int64_t rows, int64_t cols, const Change &change) {
    return verdict_on("norm_split_row", seen_on_sm_90(norm, rows, cols, change));
  };
  const auto nothing = [](gpuopt_norm_args &) {};
  const auto with_residual = [](gpuopt_norm_args &n) { n.residual = n.sum = n.x; };
  const auto narrow = [](gpuopt_norm_args &n) { n.out.dtype = GPUOPT_E4M3; };
  const auto wide = [](gpuopt_norm_args &n) { n.gamma.dtype = GPUOPT_F32; };
  const gpuopt_stage gelu = gpuopt_act(GPUOPT_STAGE_GELU, 0, 0);
  const auto with_gelu = [&](gpuopt_norm_args &n) {
    n.stages = &gelu;
    n.stage_count = 1;
  };
  // Rows that begin anywhere count a vector more.
  for (const int64_t cols : {1, 7, 4096, 28673, 131065, 131072}) {
    CAPTURE(cols);
    for (const Change &change :
         {Change(nothing), Change(with_residual), Change(narrow), Change(wide), Change(with_gelu)})
      CHECK(verdict(GPUOPT_NORM_RMSNORM, 16, cols, change) == "can run");
  }
  CHECK(verdict(GPUOPT_NORM_LAYERNORM, 1, 131080, nothing) == "SIZE_LIMIT");
  CHECK(verdict(GPUOPT_NORM_SOFTMAX, 1, 344064, nothing) == "can run");
  CHECK(verdict(GPUOPT_NORM_SOFTMAX, 1, 344072, nothing) == "SIZE_LIMIT");
  CHECK(verdict(GPUOPT_NORM_SOFTMAX, 1, 344064, with_gelu) == "SIZE_LIMIT");
  CHECK(verdict(GPUOPT_NORM_SOFTMAX, 1, 344064, with_residual) == "SIZE_LIMIT");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1024, 4096, nothing) == "can run");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1025, 4096, nothing) == "SIZE_LIMIT");

  CHECK(seen_on_sm_90(GPUOPT_NORM_RMSNORM, 1, 16384, with_gelu).all.at(0).kernel == "norm_split_row");
  CHECK(seen_on_sm_90(GPUOPT_NORM_RMSNORM, 16, 28673, narrow).all.at(0).kernel == "norm_split_row");
  CHECK(seen_on_sm_90(GPUOPT_NORM_SOFTMAX, 1, 128256, nothing).all.at(0).kernel == "norm_split_row");
  CHECK(seen_on_sm_90(GPUOPT_NORM_RMSNORM, 1000, 4096, nothing).all.at(0).kernel != "norm_split_row");
}

TEST_CASE("select: what norm_staying_rows takes") {
  const auto verdict = [](int32_t norm, int64_t cols, const Change &change, const char *kernel = "norm_staying_rows") {
    return verdict_on(kernel, seen_on_sm_90(norm, 4096, cols, change));
  };
  const auto nothing = [](gpuopt_norm_args &) {};
  const auto with_residual = [](gpuopt_norm_args &n) { n.residual = n.sum = n.x; };
  const gpuopt_stage gelu = gpuopt_act(GPUOPT_STAGE_GELU, 0, 0);
  const gpuopt_stage scaled_silu[] = {gpuopt_act(GPUOPT_STAGE_SILU, 0, 0), gpuopt_act(GPUOPT_STAGE_MUL, 16, 0)};
  const auto with_stages = [](const gpuopt_stage *stages, int32_t count) {
    return [=](gpuopt_norm_args &n) {
      n.stages = stages;
      n.stage_count = count;
    };
  };
  for (const int64_t cols : {136, 256, 261, 1024, 1029, 1031, 2049, 5120, 8191, 8192}) {
    CAPTURE(cols);
    CHECK(verdict(GPUOPT_NORM_RMSNORM, cols, nothing) == "can run");
    CHECK(verdict(GPUOPT_NORM_LAYERNORM, cols, nothing) == "can run");
    CHECK(verdict(GPUOPT_NORM_RMSNORM, cols, with_residual) == "can run");
    CHECK(verdict(GPUOPT_NORM_RMSNORM, cols, [](gpuopt_norm_args &n) { n.gamma.dtype = GPUOPT_F32; }) == "can run");
    CHECK(verdict(GPUOPT_NORM_RMSNORM, cols, [](gpuopt_norm_args &n) { n.out.dtype = GPUOPT_E4M3; }) == "can run");
    CHECK(verdict(GPUOPT_NORM_LAYERNORM, cols, with_stages(&gelu, 1)) == "can run");
    CHECK(verdict(GPUOPT_NORM_RMSNORM, cols, with_stages(scaled_silu, 2)) == "can run");
  }
  const auto softmax = [&](int32_t norm, int64_t cols, bool residual) {
    const auto alone = [=](gpuopt_norm_args &n) {
      if (residual) n.residual = n.x;
    };
    return verdict(norm, cols, alone, "norm_staying_softmax");
  };
  for (const int64_t cols : {136, 261, 1024, 5117, 8200, 14337, 16384, 24576, 128261, 458752}) {
    CAPTURE(cols);
    CHECK(softmax(GPUOPT_NORM_SOFTMAX, cols, false) == "can run");
    CHECK(softmax(GPUOPT_NORM_LOG_SOFTMAX, cols, false) == "can run");
  }
  CHECK(softmax(GPUOPT_NORM_SOFTMAX, 458760, false) == "SIZE_LIMIT");
  CHECK(softmax(GPUOPT_NORM_SOFTMAX, 1024, true) == "DTYPE");
  for (const int64_t cols : {8200, 12283, 14331, 16384, 16389, 28677, 360448}) {  // a block's, a cluster's
    CAPTURE(cols);
    CHECK(verdict(GPUOPT_NORM_LAYERNORM, cols, nothing) == "can run");
    CHECK(verdict(GPUOPT_NORM_RMSNORM, cols, [](gpuopt_norm_args &n) { n.out.dtype = GPUOPT_E4M3; }) == "can run");
    CHECK(verdict(GPUOPT_NORM_LAYERNORM, cols, with_stages(&gelu, 1)) == "can run");
  }
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 28675, with_residual) == "can run");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 458752, nothing) == "can run");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 458760, nothing) == "SIZE_LIMIT");
  CHECK(verdict(GPUOPT_NORM_LAYERNORM, 368648, nothing) == "SIZE_LIMIT");  // two weights
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 135, nothing) == "SIZE_LIMIT");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1024, [](gpuopt_norm_args &n) { n.batch = 2; }) == "FEATURE");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1023, [](gpuopt_norm_args &n) { n.out.ld = 1024; }) == "LD_MULTIPLE");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1024, [](gpuopt_norm_args &n) { n.beta = n.gamma; }) == "DTYPE");
  const gpuopt_stage two_acts[] = {gelu, gelu};
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1024, with_stages(two_acts, 2)) == "STAGE");
  const auto narrow = [](int64_t ld) {  // e4m3 whose vectors begin at x's, or elsewhere
    return [=](gpuopt_norm_args &n) {
      n.out.dtype = GPUOPT_E4M3;
      n.out.ld = ld;
    };
  };
  const auto at = [](uintptr_t x, uintptr_t out) {  // bases, of which powers of two are known
    return [=](gpuopt_norm_args &n) {
      n.x.data = reinterpret_cast<void *>(x);
      n.out.data = reinterpret_cast<void *>(out);
    };
  };
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1023, at(0x1000010, 0x2000010)) == "can run");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1023, at(0x1000008, 0x2000018)) == "can run");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1023, at(0x1000008, 0x2000010)) == "ALIGN");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1023, at(0x1000002, 0x2000006)) == "ALIGN");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1023, narrow(1031)) == "can run");
  CHECK(verdict(GPUOPT_NORM_RMSNORM, 1023, narrow(1024)) == "LD_MULTIPLE");
}
#endif
