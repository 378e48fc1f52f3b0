// Memory that runs out at any allocation of a communicator and its calls: a status, never an exception; and the other rank neither
// waits for what does not come nor is left behind by one step.
#include "../memory/hooks.h"
#include "on_ranks.h"

using namespace gpuopt_dist_test;
using gpuopt_test::fails_at;

namespace {

constexpr char kLongPlan[] = "dist_chunked:0000000000000000000000000000000000002";  // no short string

gpuopt_comm_options options(int32_t limit_ms) {
  gpuopt_comm_options o = GPUOPT_COMM_OPTIONS_INIT;
  o.time_limit_ms = limit_ms;
  o.plan = kLongPlan;
  return o;
}

// Two ranks; body is what rank 1 does with its n-th allocation failing, and what rank 0 does meanwhile.
struct Pair {
  gpuopt_unique_id id;
  gpuopt_handle *handle[2] = {cpu(), cpu()};
  gpuopt_comm *comm[2] = {};
  explicit Pair(int32_t limit_ms) {
    REQUIRE(gpuopt_get_unique_id(handle[0], &id) == GPUOPT_OK);
    const gpuopt_comm_options o = options(limit_ms);
    together([&](int32_t r) { gpuopt_comm_create(&comm[r], handle[r], &id, r, 2, &o); });
    REQUIRE(comm[0]);
    REQUIRE(comm[1]);
  }
  Pair(const Pair &) = delete;
  ~Pair() {
    together([&](int32_t r) { gpuopt_comm_destroy(comm[r]); });
    for (gpuopt_handle *each : handle) gpuopt_destroy(each);
  }
  void together(const std::function<void(int32_t rank)> &body) {
    std::thread other([&] { body(0); });
    body(1);
    other.join();
  }
};

}  // namespace

TEST_CASE("dist: memory that runs out while a communicator is made is a status") {
  gpuopt_handle *handle = cpu();
  gpuopt_unique_id id;
  REQUIRE(gpuopt_get_unique_id(handle, &id) == GPUOPT_OK);
  const gpuopt_comm_options o = options(1);
  for (const int32_t size : {1, 2}) {
    int failures = 0;
    for (int n = 0;; ++n) {
      CAPTURE(n);
      gpuopt_comm *comm = nullptr;
      gpuopt_status s = GPUOPT_OK;
      REQUIRE(gpuopt_get_unique_id(handle, &id) == GPUOPT_OK);
      const bool came = fails_at(n, false, [&] { s = gpuopt_comm_create(&comm, handle, &id, size - 1, size, &o); });
      // Of two ranks the other never comes.
      const gpuopt_status otherwise = size == 1 ? gpuopt_status{GPUOPT_OK} : gpuopt_status{GPUOPT_TIME_LIMIT};
      CHECK(s == (came ? gpuopt_status{GPUOPT_OUT_OF_MEMORY} : otherwise));
      CHECK((comm != nullptr) == (s == GPUOPT_OK));
      gpuopt_comm_destroy(comm);
      if (!came) break;
      ++failures;
    }
    CHECK(failures >= 3);
  }
  gpuopt_destroy(handle);
}

TEST_CASE("dist: memory that runs out in a call of one rank ends it on both, who go on together or not at all") {
  for (int32_t op : {GPUOPT_DIST_GEMM_ALL_REDUCE, GPUOPT_DIST_ALL_GATHER_GEMM}) {
    int failures = 0, went_on = 0, without_blocks = 0;
    for (int n = 0;; ++n) {
      CAPTURE(n);
      Pair pair(20000);
      bool came = false;
      gpuopt_status first[2], second[2], third[2];
      std::string said[2];
      float values[2] = {};
      pair.together([&](int32_t r) {
        std::vector<float> a(64 * 64, 1), b(64 * 64, 1), d(64 * 64);
        gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
        g.a = gpuopt_mat(a.data(), op == GPUOPT_DIST_ALL_GATHER_GEMM ? 32 : 64, 64, GPUOPT_F32);
        g.b = gpuopt_mat(b.data(), 64, 64, GPUOPT_F32);
        g.d = gpuopt_mat(d.data(), 64, 64, GPUOPT_F32);
        const auto call = [&] {
          return op == GPUOPT_DIST_ALL_GATHER_GEMM ? gpuopt_all_gather_gemm(pair.comm[r], &g)
                                                   : gpuopt_gemm_all_reduce(pair.comm[r], &g);
        };
        if (r == 1)
          came = fails_at(n, false, [&] { first[r] = call(); });
        else
          first[r] = call();
        said[r] = first[r] == GPUOPT_OK ? "" : gpuopt_last_error();
        second[r] = call();
        d.assign(d.size(), 0);
        third[r] = call();
        values[r] = d[64 * 64 - 1];
      });
      CAPTURE(said[0]);
      CAPTURE(said[1]);
      if (!came) CHECK((first[0] == GPUOPT_OK && first[1] == GPUOPT_OK));
      // Nobody waited for the other one until the limit.
      for (const gpuopt_status s : {first[0], first[1], second[0], second[1], third[0], third[1]})
        CHECK((s == GPUOPT_OK || s == GPUOPT_OUT_OF_MEMORY || s == GPUOPT_COMM_ERROR));
      CHECK((third[0] == GPUOPT_OK) == (third[1] == GPUOPT_OK));
      failures += first[1] != GPUOPT_OK;
      went_on += first[1] != GPUOPT_OK && third[1] == GPUOPT_OK;
      without_blocks += said[0].find("rank 1 has no memory for the blocks") != std::string::npos;
      if (said[0].find("rank 1 has no memory for the blocks") != std::string::npos)
        CHECK((second[0] == GPUOPT_OK && second[1] == GPUOPT_OK));
      if (third[0] == GPUOPT_OK)
        for (const float v : values) CHECK(v == (op == GPUOPT_DIST_ALL_GATHER_GEMM ? 64 : 128));
      if (!came) break;
    }
    CHECK(failures > 5);
    CHECK(went_on > 1);
    CHECK(without_blocks == (op == GPUOPT_DIST_ALL_GATHER_GEMM ? 1 : 2));  // the window; the scratch
  }
}

TEST_CASE("dist: memory that runs out while a communicator is destroyed") {
  bool came = true;
  for (int n = 0; came; ++n) {
    Pair pair(20000);
    pair.together([&](int32_t r) {
      if (r == 1)
        came = fails_at(n, false, [&] { gpuopt_comm_destroy(pair.comm[r]); });
      else
        gpuopt_comm_destroy(pair.comm[r]);
      pair.comm[r] = nullptr;
    });
  }
}
