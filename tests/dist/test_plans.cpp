// What is predicted of plans, without ranks and without a GPU.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "gpuopt/dist.h"

namespace {

struct Seen {
  std::map<std::string, gpuopt_dist_candidate> by_plan;
  std::string first, text_of_first;
};

Seen explain(int32_t op, int64_t m, int64_t n, int64_t k, int32_t ranks, const char *link, const char *plan = nullptr) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *handle = nullptr;
  REQUIRE(gpuopt_create(&handle, &o) == GPUOPT_OK);
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_pretend_device("h200", &facts) == GPUOPT_OK);
  gpuopt_dist_explain_options e = GPUOPT_DIST_EXPLAIN_OPTIONS_INIT;
  e.op = op, e.ranks = ranks, e.link = link, e.pretend = &facts, e.plan = plan;
  int64_t begin, own;
  gpuopt_dist_rows(m, 0, ranks, &begin, &own);
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(nullptr, op == GPUOPT_DIST_ALL_GATHER_GEMM ? own : m, k, GPUOPT_BF16);
  g.b = gpuopt_mat(nullptr, k, n, GPUOPT_BF16);
  g.d = gpuopt_mat(nullptr, op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? own : m, n, GPUOPT_BF16);
  g.flags = GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  Seen seen;
  const auto take = [](void *user, const gpuopt_dist_candidate *c) {
    auto *s = static_cast<Seen *>(user);
    if (s->first.empty()) s->first = c->plan, s->text_of_first = c->text;
    s->by_plan[c->plan] = *c;
  };
  CHECK_MESSAGE(gpuopt_dist_explain(handle, &g, &e, take, &seen) == GPUOPT_OK, gpuopt_last_error());
  gpuopt_destroy(handle);
  return seen;
}

}  // namespace

TEST_CASE("dist: explain names every plan, chooses the least predicted time, and knows what a link cannot") {
  const Seen nvlink = explain(GPUOPT_DIST_GEMM_REDUCE_SCATTER, 8192, 8192, 14336, 2, "nvlink");
  REQUIRE(nvlink.by_plan.size() == 4);
  for (const auto &each : nvlink.by_plan) {
    CHECK(each.second.reject == GPUOPT_REJECT_NONE);
    CHECK(each.second.predicted_us >= nvlink.by_plan.at(nvlink.first).predicted_us);
    CHECK(each.second.bytes == int64_t{8192} * 8192);
  }
  CHECK(nvlink.by_plan.at(nvlink.first).verdict == GPUOPT_VERDICT_CHOSEN);
  const Seen ib = explain(GPUOPT_DIST_GEMM_REDUCE_SCATTER, 8192, 8192, 14336, 64, "ib400");
  CHECK(ib.by_plan.at("dist_peer").verdict == GPUOPT_VERDICT_REJECTED);
  CHECK(ib.by_plan.at("dist_peer").reject == GPUOPT_REJECT_FEATURE);
  CHECK(ib.first != "dist_peer");
}

TEST_CASE("dist: a plan that overlaps is predicted no slower than the sequence where the product is long") {
  for (int32_t op = 1; op <= 3; ++op) {
    const Seen s = explain(op, 8192, 8192, 14336, 2, "nvlink");
    CHECK(s.by_plan.at("dist_peer").predicted_us < s.by_plan.at("dist_sequence").predicted_us);
    CHECK(s.by_plan.at("dist_sequence").predicted_us > s.by_plan.at("dist_sequence").product_us);
  }
}

TEST_CASE("dist: a forced plan and its chunks are what explain chooses") {
  const Seen s = explain(GPUOPT_DIST_GEMM_ALL_REDUCE, 2048, 8192, 14336, 2, "nvlink", "dist_chunked:8");
  CHECK(s.first == "dist_chunked");
  CHECK(s.by_plan.at("dist_chunked").chunks == 8);
}

TEST_CASE("dist: explain refuses what it does not know") {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *handle = nullptr;
  REQUIRE(gpuopt_create(&handle, &o) == GPUOPT_OK);
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(nullptr, 4, 8, GPUOPT_F32);
  g.b = gpuopt_mat(nullptr, 8, 8, GPUOPT_F32);
  g.d = gpuopt_mat(nullptr, 8, 8, GPUOPT_F32);
  const auto none = [](void *, const gpuopt_dist_candidate *) {};
  gpuopt_dist_explain_options e = GPUOPT_DIST_EXPLAIN_OPTIONS_INIT;
  e.op = GPUOPT_DIST_ALL_GATHER_GEMM, e.ranks = 2, e.link = "memory";
  CHECK(gpuopt_dist_explain(handle, &g, &e, none, nullptr) == GPUOPT_OK);
  e.link = "carrier pigeon";
  CHECK(gpuopt_dist_explain(handle, &g, &e, none, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(std::string(gpuopt_last_error()).find("nvlink, ib400, memory") != std::string::npos);
  e.link = "memory", e.ranks = 0;
  CHECK(gpuopt_dist_explain(handle, &g, &e, none, nullptr) == GPUOPT_INVALID_ARGUMENT);
  e.ranks = 2, e.op = 9;
  CHECK(gpuopt_dist_explain(handle, &g, &e, none, nullptr) == GPUOPT_INVALID_ARGUMENT);
  gpuopt_destroy(handle);
}
