// Ranks on GPUs: threads of one process, or a process each, every case by every plan against one GPU; a soak; a lost rank.
//   dist_gpus threads|processes cases|soak|captured|disagree|lost [seconds]
#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "cases.h"

using namespace gpuopt_dist_test;

namespace {

struct Rank {
  gpuopt_handle *handle = nullptr;
  gpuopt_comm *comm = nullptr;
  int32_t rank = 0, size = 0;
  double seconds = 10;
  int failures = 0;
  void expect(bool good, const std::string &words) {
    if (good) return;
    if (++failures < 20) std::fprintf(stderr, "FAILED: rank %d: %s\n", rank, words.c_str());
  }
};

const char *const kPlans[] = {
    "",           "dist_sequence", "dist_chunked:1", "dist_chunked:3", "dist_peer_whole", "dist_peer:1", "dist_peer:2",
    "dist_peer:3"};

void cases(Rank *r) {
  int count = 0;
  for (const char *plan : kPlans) {
    std::vector<Case> all = every_shape(r->size);
    if (!*plan || !std::strcmp(plan, "dist_peer:2"))
      for (const Case &c : every_type(r->size)) all.push_back(c);
    for (const Case &c : all) {
      const std::string wrong = check(r->comm, r->handle, c, plan);
      r->expect(wrong.empty(), wrong);
      ++count;
    }
  }
  if (r->rank == 0) std::printf("%d cases on %d GPUs\n", count, r->size);
}

// Products of bf16 as layers have them, in turn by every plan: the bits of the sequence each time.
void soak(Rank *r) {
  std::vector<Case> mixed;
  for (int32_t op = 1; op <= 3; ++op)
    for (int64_t m : {256, 1000, 2048})
      mixed.push_back({op, m, 2048, 1024, 1, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16, 0});
  for (Case &c : mixed) c.exact = false, c.stages = c.m == 1000;
  std::vector<std::vector<char>> first(mixed.size());
  for (size_t i = 0; i < mixed.size(); ++i) {
    const std::string wrong = check(r->comm, r->handle, mixed[i], "dist_sequence", &first[i]);
    r->expect(wrong.empty(), wrong);
  }
  // Every rank makes as many rounds: their number is agreed on by the clock of nobody.
  const int rounds = static_cast<int>(r->seconds * 2);
  int runs = 0;
  std::vector<char> again;
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < mixed.size(); ++i) {
      const char *plan = kPlans[static_cast<size_t>(round) % (sizeof kPlans / sizeof *kPlans)];
      const std::string wrong = check(r->comm, r->handle, mixed[i], plan, &again);
      r->expect(wrong.empty(), wrong);
      r->expect(again == first[i], words(mixed[i]) + ", plan " + plan + ": other bits than the sequence");
      ++runs;
    }
  }
  if (r->rank == 0) std::printf("%d runs\n", runs);
}

gpuopt_status all_reduce(Rank *r, int64_t m, int64_t n, void *memory) {
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  char *at = static_cast<char *>(memory);
  g.a = gpuopt_mat(at, m, 256, GPUOPT_BF16);
  g.b = gpuopt_mat(at + (1 << 20), 256, n, GPUOPT_BF16);
  g.d = gpuopt_mat(at + (2 << 20), m, n, GPUOPT_BF16);
  return gpuopt_gemm_all_reduce(r->comm, &g);
}

void disagree(Rank *r) {
  Buffer memory(r->handle, 4 << 20, GPUOPT_U8);
  memory.fill(0);
  const gpuopt_status s = all_reduce(r, 128, r->rank == r->size - 1 ? 192 : 128, memory.data());
  const std::string words = gpuopt_last_error();
  r->expect(s == GPUOPT_RANKS_DISAGREE && words.find("n=128") != std::string::npos &&
                words.find("n=192") != std::string::npos,
            words);
  r->expect(all_reduce(r, 128, 128, memory.data()) == GPUOPT_OK && gpuopt_comm_synchronize(r->comm) == GPUOPT_OK,
            std::string("the communicator goes on after it: ") + gpuopt_last_error());
}

// The last rank makes no second call. The others find out, and their GPUs go on.
void lost(Rank *r) {
  for (const char *plan : {"dist_peer:2", "dist_chunked:2"}) {
    Buffer memory(r->handle, 4 << 20, GPUOPT_U8);
    memory.fill(0);
    if (r->comm) r->expect(gpuopt_comm_set_plan(r->comm, plan) == GPUOPT_OK, plan);
    r->expect(all_reduce(r, 128, 128, memory.data()) == GPUOPT_OK && gpuopt_comm_synchronize(r->comm) == GPUOPT_OK,
              "before");
    if (r->rank == r->size - 1) {
      std::this_thread::sleep_for(std::chrono::seconds(6));
      return;
    }
    gpuopt_status s = all_reduce(r, 128, 128, memory.data());
    if (s == GPUOPT_OK) s = gpuopt_comm_synchronize(r->comm);
    const std::string words = gpuopt_last_error();
    r->expect(s == GPUOPT_TIME_LIMIT || s == GPUOPT_COMM_ERROR, words);
    r->expect(all_reduce(r, 128, 128, memory.data()) == GPUOPT_COMM_ERROR, "the communicator is broken");
    std::printf("rank %d, %s: %s\n", r->rank, plan, words.c_str());
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    g.a = g.b = gpuopt_mat(memory.data(), 128, 128, GPUOPT_BF16);
    g.d = gpuopt_mat(static_cast<char *>(memory.data()) + (2 << 20), 128, 128, GPUOPT_BF16);
    r->expect(gpuopt_gemm(r->handle, &g) == GPUOPT_OK && gpuopt_synchronize(r->handle) == GPUOPT_OK,
              std::string("the handle goes on: ") + gpuopt_last_error());
    return;
  }
}

// A captured call is replayed with other data and gives what an ordinary call gives.
void captured(Rank *r) {
  for (const char *plan : {"dist_peer:2", "dist_chunked:2", "dist_sequence"}) {
    for (int32_t op = 1; op <= 3; ++op) {
      const std::string where = std::string(plan) + " op " + std::to_string(op) + ": ";
      const int64_t m = 512, n = 384, k = 256;
      gpuopt_comm_set_plan(r->comm, plan);
      const bool gathers = op == GPUOPT_DIST_ALL_GATHER_GEMM;
      const int64_t a_rows = gathers ? m / r->size : m,
                    d_rows = op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? m / r->size : m;
      Buffer a(r->handle, a_rows * k, GPUOPT_BF16), b(r->handle, k * n, GPUOPT_BF16),
          d(r->handle, d_rows * n, GPUOPT_BF16);
      b.set(normal_values(k * n, 7));
      gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
      g.a = gpuopt_mat(a.data(), a_rows, k, GPUOPT_BF16);
      g.b = gpuopt_mat(b.data(), k, n, GPUOPT_BF16);
      g.d = gpuopt_mat(d.data(), d_rows, n, GPUOPT_BF16);
      const auto call = op == 1   ? gpuopt_all_gather_gemm
                        : op == 2 ? gpuopt_gemm_reduce_scatter
                                  : gpuopt_gemm_all_reduce;
      cudaStream_t stream;
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      gpuopt_set_stream(r->handle, stream);
      gpuopt_status s = gpuopt_comm_prepare(r->comm, op, &g);
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t exec = nullptr;
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
      if (s == GPUOPT_OK) s = call(r->comm, &g);
      r->expect(s == GPUOPT_OK, where + gpuopt_last_error());
      cudaError_t e = cudaStreamEndCapture(stream, &graph);
      if (e == cudaSuccess) e = cudaGraphInstantiate(&exec, graph, 0);
      r->expect(e == cudaSuccess, where + cudaGetErrorString(e));
      for (unsigned seed = 0; seed < 3 && exec; ++seed) {
        a.set(normal_values(a_rows * k, 100 + seed + static_cast<unsigned>(r->rank)));
        cudaStreamSynchronize(stream);
        r->expect(call(r->comm, &g) == GPUOPT_OK && gpuopt_comm_synchronize(r->comm) == GPUOPT_OK,
                  where + gpuopt_last_error());
        const std::vector<char> direct = d.bytes();
        for (int replay = 0; replay < 3; ++replay) {
          d.fill(0x11);
          cudaGraphLaunch(exec, stream);
          r->expect(gpuopt_comm_synchronize(r->comm) == GPUOPT_OK, where + gpuopt_last_error());
          r->expect(d.bytes() == direct, where + "a replay has other bits than the call");
        }
      }
      if (exec) cudaGraphExecDestroy(exec);
      if (graph) cudaGraphDestroy(graph);
      gpuopt_set_stream(r->handle, nullptr);
      cudaStreamDestroy(stream);
    }
  }
}

int run_rank(int32_t rank, int32_t size, const gpuopt_unique_id &id, const std::string &what, double seconds) {
  Rank r;
  r.rank = rank, r.size = size, r.seconds = seconds;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = rank;
  o.cpu_fallback = GPUOPT_FALLBACK_NEVER;
  gpuopt_comm_options co = GPUOPT_COMM_OPTIONS_INIT;
  co.time_limit_ms = what == "lost" ? 2000 : 20000;
  if (gpuopt_create(&r.handle, &o) != GPUOPT_OK ||
      gpuopt_comm_create(&r.comm, r.handle, &id, rank, size, &co) != GPUOPT_OK) {
    std::fprintf(stderr, "rank %d: %s\n", rank, gpuopt_last_error());
    return 1;
  }
  cudaSetDevice(rank);
  const auto body = what == "cases"      ? cases
                    : what == "soak"     ? soak
                    : what == "captured" ? captured
                    : what == "disagree" ? disagree
                                         : lost;
  body(&r);
  gpuopt_comm_destroy(r.comm);
  gpuopt_destroy(r.handle);
  return r.failures;
}

gpuopt_unique_id make_id(int device) {
  gpuopt_unique_id id = {};
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = device;
  gpuopt_handle *handle;
  if (gpuopt_create(&handle, &o) != GPUOPT_OK || gpuopt_get_unique_id(handle, &id) != GPUOPT_OK) {
    std::fprintf(stderr, "%s\n", gpuopt_last_error());
    std::exit(1);
  }
  gpuopt_destroy(handle);
  return id;
}

// Nothing of CUDA before the fork: it does not survive one.
int in_processes(const std::string &what, double seconds) {
  int way[2];
  if (pipe(way) != 0) return 1;
  const pid_t child = fork();
  gpuopt_unique_id id;
  if (child == 0) {
    if (read(way[0], &id, sizeof id) != static_cast<ssize_t>(sizeof id)) _exit(1);
    std::exit(run_rank(1, 2, id, what, seconds) != 0);
  }
  id = make_id(0);
  if (write(way[1], &id, sizeof id) != static_cast<ssize_t>(sizeof id)) return 1;
  const int failures = run_rank(0, 2, id, what, seconds);
  int status = 0;
  waitpid(child, &status, 0);
  return failures + (status != 0);
}

int in_threads(const std::string &what, double seconds) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2) {
    std::printf("SKIP: %d GPUs\n", count);
    return 0;
  }
  const gpuopt_unique_id id = make_id(0);
  std::vector<int> failures(static_cast<size_t>(count));
  std::vector<std::thread> ranks;
  for (int r = 0; r < count; ++r)
    ranks.emplace_back([&, r] { failures[static_cast<size_t>(r)] = run_rank(r, count, id, what, seconds); });
  int sum = 0;
  for (std::thread &t : ranks) t.join();
  for (int f : failures) sum += f;
  return sum;
}

}  // namespace

int main(int argc, char **argv) {
  const std::string how = argc > 2 ? argv[1] : "", what = argc > 2 ? argv[2] : "";
  const double seconds = argc > 3 ? std::atof(argv[3]) : 10;
  if (how != "threads" && how != "processes") return 2;
  const int failures = how == "threads" ? in_threads(what, seconds) : in_processes(what, seconds);
  if (failures == 0) std::printf("all is well\n");
  return failures != 0;
}
