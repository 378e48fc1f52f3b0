// Ranks that are threads of this process: every shape by every plan, and what happens when they disagree or one stays away.
#include <doctest/doctest.h>

#include "on_ranks.h"

using namespace gpuopt_dist_test;

TEST_CASE("dist: every shape by every plan on 1, 2, 3 and 11 threads") {
  for (int32_t size : {1, 2, 3, 11}) {
    on_ranks(size, 60000, [size](gpuopt_comm *comm, gpuopt_handle *handle, int32_t) {
      std::string wrong;
      for (const char *plan : {"", "dist_sequence", "dist_chunked:1", "dist_chunked:2", "dist_chunked:5"})
        for (const Case &c : every_shape(size)) wrong += check(comm, handle, c, plan);
      return wrong;
    });
  }
}

TEST_CASE("dist: every type of gemm on 2 threads") {
  on_ranks(2, 60000, [](gpuopt_comm *comm, gpuopt_handle *handle, int32_t) {
    std::string wrong;
    for (const char *plan : {"dist_sequence", "dist_chunked:2"})
      for (const Case &c : every_type(2)) wrong += check(comm, handle, c, plan);
    return wrong;
  });
}

TEST_CASE("dist: plans give the sequence's bits, of normal data too") {
  on_ranks(3, 60000, [](gpuopt_comm *comm, gpuopt_handle *handle, int32_t) {
    std::string wrong;
    for (int32_t op = 1; op <= 3; ++op) {
      Case c = {op, 90, 40, 96, 1, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, 0};
      c.exact = false;
      std::vector<char> sequence, other;
      wrong += check(comm, handle, c, "dist_sequence", &sequence);
      for (const char *plan : {"dist_chunked:1", "dist_chunked:4"}) {
        wrong += check(comm, handle, c, plan, &other);
        if (other != sequence) wrong += words(c) + ", " + plan + ": other bits than the sequence. ";
      }
    }
    return wrong;
  });
}

TEST_CASE("dist: ranks that disagree on a shape or a plan are told so, both of them, and go on") {
  on_ranks(3, 60000, [](gpuopt_comm *comm, gpuopt_handle *, int32_t rank) -> std::string {
    if (small_call(comm, rank == 2 ? 6 : 5) != GPUOPT_RANKS_DISAGREE) return "a shape";
    std::string said = gpuopt_last_error();
    if (!has(said, "rank 0 has gemm_all_reduce m=8 n=5") || !has(said, "rank 2 has gemm_all_reduce m=8 n=6"))
      return said;
    if (gpuopt_comm_set_plan(comm, rank == 1 ? "dist_chunked:2" : "dist_sequence") != GPUOPT_OK)
      return gpuopt_last_error();
    if (small_call(comm, 5) != GPUOPT_RANKS_DISAGREE) return "a plan";
    said = gpuopt_last_error();
    if (!has(said, "plan=dist_sequence") || !has(said, "rank 1") || !has(said, "plan=dist_chunked:2")) return said;
    gpuopt_comm_set_plan(comm, nullptr);
    return small_call(comm, 5) == GPUOPT_OK ? "" : gpuopt_last_error();
  });
}

TEST_CASE("dist: a rank that stays away is named within the limit, and the handle goes on") {
  on_ranks(2, 300, [](gpuopt_comm *comm, gpuopt_handle *handle, int32_t rank) -> std::string {
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(900));
      return "";
    }
    const gpuopt_status s = small_call(comm, 5);
    if (s != GPUOPT_TIME_LIMIT || !has(gpuopt_last_error(), "rank 0 waited for rank 1")) return gpuopt_last_error();
    if (small_call(comm, 5) != GPUOPT_COMM_ERROR || !has(gpuopt_last_error(), "broken since"))
      return gpuopt_last_error();
    float a[4] = {1, 2, 3, 4}, d[4];
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    g.a = g.b = gpuopt_mat(a, 2, 2, GPUOPT_F32);
    g.d = gpuopt_mat(d, 2, 2, GPUOPT_F32);
    return gpuopt_gemm(handle, &g) == GPUOPT_OK && d[0] == 7 ? "" : "the handle";
  });
}

TEST_CASE("dist: what a call must not have is refused with the field, and nobody waits") {
  on_ranks(2, 60000, [](gpuopt_comm *comm, gpuopt_handle *, int32_t) -> std::string {
    float x[64] = {}, one = 1;
    gpuopt_gemm_args good = GPUOPT_GEMM_ARGS_INIT;
    good.a = gpuopt_mat(x, 4, 2, GPUOPT_F32);
    good.b = gpuopt_mat(x, 2, 3, GPUOPT_F32);
    good.d = gpuopt_mat(x + 32, 2, 3, GPUOPT_F32);
    gpuopt_gemm_args g = good;
    g.d.rows = 4;
    if (gpuopt_gemm_reduce_scatter(comm, &g) != GPUOPT_INVALID_ARGUMENT ||
        !has(gpuopt_last_error(), "d.rows=4 of rank"))
      return gpuopt_last_error();
    g = good;
    g.beta_ptr = &one;
    if (gpuopt_gemm_reduce_scatter(comm, &g) != GPUOPT_NOT_SUPPORTED || !has(gpuopt_last_error(), "beta_ptr"))
      return gpuopt_last_error();
    g = good;
    g.d.rows = 4;
    const gpuopt_stage store = gpuopt_act_with(GPUOPT_STAGE_STORE, 0, gpuopt_mat(x, 4, 3, GPUOPT_F32));
    g.stages = &store, g.stage_count = 1;
    if (gpuopt_gemm_all_reduce(comm, &g) != GPUOPT_NOT_SUPPORTED || !has(gpuopt_last_error(), "stages[0] is STORE"))
      return gpuopt_last_error();
    g = good;
    g.struct_size = 4;
    if (gpuopt_gemm_reduce_scatter(comm, &g) != GPUOPT_INVALID_ARGUMENT) return "struct_size";
    if (gpuopt_comm_set_plan(comm, "dist_pear") != GPUOPT_KERNEL_NOT_FOUND || !has(gpuopt_last_error(), "dist_peer"))
      return gpuopt_last_error();
    if (gpuopt_comm_set_plan(comm, "dist_chunked:17") != GPUOPT_INVALID_ARGUMENT) return "17 chunks";
    if (gpuopt_comm_set_plan(comm, "dist_peer") != GPUOPT_OK ||
        gpuopt_gemm_reduce_scatter(comm, &good) != GPUOPT_KERNEL_REJECTED || !has(gpuopt_last_error(), "copy engines"))
      return gpuopt_last_error();
    if (gpuopt_comm_prepare(comm, 4, &good) != GPUOPT_INVALID_ARGUMENT) return "op=4";
    return "";
  });
}

TEST_CASE("dist: creating a communicator needs sound arguments") {
  gpuopt_handle *handle = cpu();
  gpuopt_comm *comm = nullptr;
  gpuopt_unique_id id = {};
  CHECK(gpuopt_comm_create(nullptr, handle, &id, 0, 1, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_comm_create(&comm, nullptr, &id, 0, 1, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_comm_create(&comm, handle, &id, 2, 2, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_comm_create(&comm, handle, &id, 0, 2, nullptr) == GPUOPT_INVALID_ARGUMENT);  // an id of nobody's
  CHECK(gpuopt_comm_from_nccl(&comm, handle, handle, nullptr) == GPUOPT_INVALID_ARGUMENT);
  gpuopt_comm_options o = GPUOPT_COMM_OPTIONS_INIT;
  o.plan = "none";
  CHECK(gpuopt_comm_create(&comm, handle, &id, 0, 1, &o) == GPUOPT_KERNEL_NOT_FOUND);
  CHECK(has(gpuopt_last_error(), "options.plan"));
  CHECK(comm == nullptr);
  CHECK(std::string(gpuopt_status_name(GPUOPT_RANKS_DISAGREE)) == "RANKS_DISAGREE");
  gpuopt_comm_destroy(nullptr);
  gpuopt_destroy(handle);
}
