// Ranks that are threads: what one of them must not pass, where it fails in the middle, and what is then left of the others' memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>

#include "on_ranks.h"
#include "threads.h"

using namespace gpuopt_dist_test;
using gpuopt::dist::Transport;

namespace {

// Sound arguments of each op on rank r of 2, m = 4, n = 3, k = 2 on each rank; C, and a stage with a vector along the rows.
struct Sound {
  float a[8], b[6], c[12], d[12] = {}, column[4];
  gpuopt_stage add;
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;

  explicit Sound(int32_t op) {
    for (float &x : a) x = 1;
    for (float &x : b) x = 1;
    for (float &x : c) x = 1;
    for (float &x : column) x = 1;
    const int64_t rows = op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? 2 : 4;
    g.a = gpuopt_mat(a, op == GPUOPT_DIST_ALL_GATHER_GEMM ? 2 : 4, 2, GPUOPT_F32);
    g.b = gpuopt_mat(b, 2, 3, GPUOPT_F32);
    g.c = gpuopt_mat(c, rows, 3, GPUOPT_F32);
    g.d = gpuopt_mat(d, rows, 3, GPUOPT_F32);
    g.beta = 1;
    add = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_ROW, gpuopt_mat(column, rows, 1, GPUOPT_F32));
    g.stages = &add, g.stage_count = 1;
  }
  Sound(const Sound &) = delete;
  bool is_right(int32_t op) const {
    const float want = op == GPUOPT_DIST_ALL_GATHER_GEMM ? 4 : 6;
    for (int64_t i = 0; i < g.d.rows * 3; ++i)
      if (d[i] != want) return false;
    return true;
  }
};

gpuopt_status call(gpuopt_comm *comm, int32_t op, const gpuopt_gemm_args *g) {
  return op == GPUOPT_DIST_ALL_GATHER_GEMM       ? gpuopt_all_gather_gemm(comm, g)
         : op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? gpuopt_gemm_reduce_scatter(comm, g)
                                                 : gpuopt_gemm_all_reduce(comm, g);
}

struct Fault {
  const char *words;  // that the message has
  std::function<void(Sound *)> make;
};
const std::vector<Fault> &faults() {
  static const auto *all = new std::vector<Fault>{
      {"a.data is NULL", [](Sound *s) { s->g.a.data = nullptr; }},
      {"b.data is NULL", [](Sound *s) { s->g.b.data = nullptr; }},
      {"c.data is NULL", [](Sound *s) { s->g.c.data = nullptr; }},
      {"d.data is NULL", [](Sound *s) { s->g.d.data = nullptr; }},
      {"stages[0].a.data is NULL", [](Sound *s) { s->add.a.data = nullptr; }},
      {"flags=0x", [](Sound *s) { s->g.flags = 0x80; }},
      {"compute=77", [](Sound *s) { s->g.compute = 77; }},
      {"negative", [](Sound *s) { s->g.a.rows = s->g.d.rows = -4; }},
      {"a.ld=1 <", [](Sound *s) { s->g.a.ld = 1; }},
      {"b.dtype=99", [](Sound *s) { s->g.b.dtype = 99; }},
      {"a.cols and b.rows", [](Sound *s) { s->g.b.rows = 1; }},
      {"it must have", [](Sound *s) { s->g.d.rows = s->g.c.rows = s->add.a.rows = 1; }},
      {"c is 1x3", [](Sound *s) { s->g.c.rows = 1; }},
      {"stages[0].a", [](Sound *s) { s->add.a.rows = 1; }},
      {"overlaps a", [](Sound *s) { s->g.a.data = s->d; }},
      {"overlaps b", [](Sound *s) { s->g.b.data = s->d; }},
      {"struct_size", [](Sound *s) { s->g.struct_size = 4; }},
      {"batch=0", [](Sound *s) { s->g.batch = 0; }},
      {"stage_count=99", [](Sound *s) { s->g.stage_count = 99; }},
      {"64-bit offsets", [](Sound *s) { s->g.a.ld = INT64_MAX / 2; }},
      {"64-bit offsets", [](Sound *s) { s->g.b.ld = INT64_MAX - 1; }},
      {"64-bit offsets", [](Sound *s) { s->g.batch = INT64_MAX / 2; }},
  };
  return *all;
}

}  // namespace

TEST_CASE("dist: a rank without columns still sends its rows of A") {
  for (const char *plan : {"dist_sequence", "dist_chunked:2"}) {
    on_ranks(3, 20000, [plan](gpuopt_comm *comm, gpuopt_handle *, int32_t rank) -> std::string {
      if (gpuopt_comm_set_plan(comm, plan) != GPUOPT_OK) return gpuopt_last_error();
      const int64_t n = rank == 1 ? 0 : 2;
      const float one = static_cast<float>(rank + 1);
      float a[8] = {one, one, one, one, one, one, one, one}, b[8] = {1, 1, 1, 1, 1, 1, 1, 1}, d[12] = {};
      gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
      g.a = gpuopt_mat(a, 2, 4, GPUOPT_F32);
      g.b = gpuopt_mat(n ? b : nullptr, 4, n, GPUOPT_F32);
      g.d = gpuopt_mat(n ? d : nullptr, 6, n, GPUOPT_F32);
      for (int turn = 0; turn < 2; ++turn)
        if (gpuopt_all_gather_gemm(comm, &g) != GPUOPT_OK) return gpuopt_last_error();
      for (int i = 0; i < 12 && n; ++i)
        if (d[i] != 4.0f * static_cast<float>(i / 4 + 1)) return "element " + std::to_string(i);
      return "";
    });
  }
}

TEST_CASE("dist: what one rank must not pass all of them refuse, and the communicator goes on") {
  for (const bool everybody : {false, true}) {
    for (int32_t op = 1; op <= 3; ++op) {
      on_ranks(2, 20000, [=](gpuopt_comm *comm, gpuopt_handle *, int32_t rank) {
        std::string wrong;
        for (const Fault &fault : faults()) {
          Sound s(op);
          const bool is_mine = rank == 1 || everybody;
          if (is_mine) fault.make(&s);
          const gpuopt_status status = call(comm, op, &s.g);
          const char *const words = is_mine ? fault.words : "rank 1 refused this call: INVALID_ARGUMENT";
          if (status != GPUOPT_INVALID_ARGUMENT || !has(gpuopt_last_error(), words))
            wrong += std::string("op ") + std::to_string(op) + ", " + words + ": " + std::to_string(status) + " " +
                     gpuopt_last_error() + ". ";
          Sound again(op);
          if (call(comm, op, &again.g) != GPUOPT_OK) return wrong + "afterwards: " + gpuopt_last_error();
          if (!again.is_right(op)) wrong += "afterwards: values. ";
        }
        if (rank == 1 && call(comm, op, nullptr) != GPUOPT_INVALID_ARGUMENT) wrong += "args is NULL. ";
        Sound s(op);
        if (rank == 0 && call(comm, op, &s.g) != GPUOPT_INVALID_ARGUMENT) wrong += "args of the other is NULL. ";
        return wrong;
      });
    }
  }
}

TEST_CASE("dist: a rank that refuses what the others do not ask about says so when it has missed them") {
  std::vector<std::thread> ranks;
  gpuopt_handle *handle[2] = {cpu(), cpu()};
  gpuopt_unique_id id;
  REQUIRE(gpuopt_get_unique_id(handle[0], &id) == GPUOPT_OK);
  std::string said[2];
  gpuopt_status status[2];
  for (int32_t r = 0; r < 2; ++r) {
    ranks.emplace_back([&, r] {
      gpuopt_comm_options o = GPUOPT_COMM_OPTIONS_INIT;
      o.check = GPUOPT_CHECK_FIRST_CALL, o.time_limit_ms = 300;
      gpuopt_comm *comm = nullptr;
      gpuopt_comm_create(&comm, handle[r], &id, r, 2, &o);
      Sound s(GPUOPT_DIST_GEMM_ALL_REDUCE);
      status[r] = gpuopt_gemm_all_reduce(comm, &s.g);
      if (r == 1) s.g.b.data = nullptr;
      if (status[r] == GPUOPT_OK) status[r] = gpuopt_gemm_all_reduce(comm, &s.g);
      said[r] = gpuopt_last_error();
      gpuopt_comm_destroy(comm);
    });
  }
  for (std::thread &t : ranks) t.join();
  for (const gpuopt_status s : status) CHECK((s == GPUOPT_TIME_LIMIT || s == GPUOPT_COMM_ERROR));
  CHECK_MESSAGE(has(said[1], "which this rank refused (gpuopt_gemm_all_reduce: b.data is NULL"), said[1]);
  for (gpuopt_handle *each : handle) gpuopt_destroy(each);
}

TEST_CASE("dist: blocks of all ranks that do not fit 64-bit offsets are refused though each operand fits") {
  on_ranks(2, 20000, [](gpuopt_comm *comm, gpuopt_handle *, int32_t) -> std::string {
    float x[4] = {};
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    const int64_t n = int64_t{1} << 59;
    g.a = gpuopt_mat(nullptr, 2, 0, GPUOPT_F32);
    g.b = gpuopt_mat(nullptr, 0, n, GPUOPT_F32);
    g.d = gpuopt_mat(x, 1, n, GPUOPT_F32);
    const gpuopt_status s = gpuopt_gemm_reduce_scatter(comm, &g);
    if (s != GPUOPT_INVALID_ARGUMENT || !has(gpuopt_last_error(), "rows of D over 2 ranks")) return gpuopt_last_error();
    return small_call(comm, 5) == GPUOPT_OK ? "" : gpuopt_last_error();
  });
}

TEST_CASE("dist: a rank that calls while another one leaves is told so") {
  on_ranks(2, 20000, [](gpuopt_comm *comm, gpuopt_handle *, int32_t rank) -> std::string {
    if (rank == 1) return "";
    const gpuopt_status s = small_call(comm, 5);
    const std::string said = gpuopt_last_error();
    return s == GPUOPT_COMM_ERROR && has(said, "rank 0 is in a call, and rank 1 is in gpuopt_comm_destroy") ? "" : said;
  });
}

TEST_CASE("dist: a group of threads has a size that can be, and every rank once") {
  gpuopt_handle *handle = cpu();
  gpuopt_unique_id id;
  gpuopt_comm *comm = nullptr;
  gpuopt_comm_options o = GPUOPT_COMM_OPTIONS_INIT;
  o.time_limit_ms = 1;
  REQUIRE(gpuopt_get_unique_id(handle, &id) == GPUOPT_OK);
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(gpuopt_comm_create(&comm, handle, &id, turn, INT32_MAX, &o) == GPUOPT_NOT_SUPPORTED);
    CHECK(has(gpuopt_last_error(), "size=2147483647 is more than 1024"));
  }
  CHECK(gpuopt_comm_create(&comm, handle, &id, 1, 2, &o) == GPUOPT_TIME_LIMIT);
  CHECK(gpuopt_comm_create(&comm, handle, &id, 1, 2, &o) == GPUOPT_INVALID_ARGUMENT);
  CHECK(has(gpuopt_last_error(), "rank=1 has come before"));
  CHECK(gpuopt_comm_create(&comm, handle, &id, 0, 3, &o) == GPUOPT_RANKS_DISAGREE);
  CHECK(comm == nullptr);
  gpuopt_destroy(handle);
}

namespace {

// Both ranks of a group, without calls: what moves their blocks.
void on_movers(const std::function<void(Transport &, int32_t rank)> &body) {
  gpuopt_unique_id id;
  gpuopt::dist::make_thread_id(&id);
  std::vector<std::thread> ranks;
  for (int32_t r = 0; r < 2; ++r) {
    ranks.emplace_back([&, r] {
      Transport t;
      if (gpuopt::dist::join_threads(id, r, 2, 20000, &t) == GPUOPT_OK) body(t, r);
    });
  }
  for (std::thread &t : ranks) t.join();
}

}  // namespace

TEST_CASE("dist: a block that a failed call has not sent is copied no more") {
  std::atomic<bool> is_given_up{false};
  std::vector<char> window(64, 0);
  gpuopt_status sent = GPUOPT_OK, came = GPUOPT_OK;
  on_movers([&](Transport &t, int32_t rank) {
    if (rank == 0) {
      std::vector<char> block(64, 1);
      t.control->limit_ms = 100;
      t.mover->start({1, 0, 0, block.size()}, block.data(), {1, 0, 0, 0}, nullptr);
      sent = t.mover->finish(nullptr);
      t.control->abort();  // as a communicator does after a fault
      std::memset(block.data(), 2, block.size());
      is_given_up = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    } else {
      while (!is_given_up) std::this_thread::yield();
      t.mover->attach(window.data(), window.size());
      came = t.mover->await({0, 0, 0, window.size()}, nullptr);
    }
  });
  CHECK(sent == GPUOPT_TIME_LIMIT);
  CHECK(came == GPUOPT_COMM_ERROR);
  CHECK(window == std::vector<char>(64, 0));
}

namespace {

// A window whose first store stays on the way until the sender's memory is another's, or 200 ms have passed without that.
constexpr size_t kSlowBytes = size_t{1} << 20;
void *slow_window;
std::atomic<bool> has_begun{false}, is_overwritten{false};

void let_it_pass_late(int) {
  has_begun = true;
  for (int ms = 0; ms < 200 && !is_overwritten; ++ms) usleep(1000);
  mprotect(slow_window, kSlowBytes, PROT_READ | PROT_WRITE);
}

}  // namespace

TEST_CASE("dist: a call that fails while a peer copies its block returns when the copy is done") {
  slow_window = mmap(nullptr, kSlowBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(slow_window != MAP_FAILED);
  struct sigaction late = {}, before;
  late.sa_handler = let_it_pass_late;
  REQUIRE(sigaction(SIGSEGV, &late, &before) == 0);
  gpuopt_status came = GPUOPT_OK;
  on_movers([&](Transport &t, int32_t rank) {
    if (rank == 0) {
      std::vector<char> block(kSlowBytes, 1);
      t.mover->start({1, 0, 0, kSlowBytes}, block.data(), {1, 0, 0, 0}, nullptr);
      while (!has_begun) std::this_thread::yield();
      t.control->abort();
      std::memset(block.data(), 2, kSlowBytes);
      is_overwritten = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    } else {
      t.mover->attach(static_cast<char *>(slow_window), kSlowBytes);
      came = t.mover->await({0, 0, 0, kSlowBytes}, nullptr);
    }
  });
  sigaction(SIGSEGV, &before, nullptr);
  CHECK(came == GPUOPT_OK);
  const char *const window = static_cast<char *>(slow_window);
  CHECK(std::count(window, window + kSlowBytes, 1) == static_cast<std::ptrdiff_t>(kSlowBytes));
  munmap(slow_window, kSlowBytes);
}
