// Tensor-parallel layers over the GPUs of this machine, a thread each: gpuopt::dist by every plan, beside the product alone and
// beside NCCL's own collectives before or after it. bf16, back to back, the slowest rank, medians, contenders in turn.
//   dist_layers [--tokens 512,2048,8192] [--layers llama70b,dsv3] [--rounds N] [--plans all|auto] [--exact]
// --exact: partial products travel in fp32, as calls without GPUOPT_ALLOW_INTERMEDIATE_ROUNDING have it.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/counts.h"
#include "gpuopt/dist.h"

namespace {

struct Layer {
  const char *name;
  int64_t hidden, inner;
};
constexpr Layer kLayers[] = {{"llama70b", 8192, 28672}, {"dsv3", 7168, 18432}};
constexpr int kBf16 = 9, kSum = 0;  // NCCL's numbers

// The peer: NCCL's own collectives.
struct Nccl {
  int (*init)(void **, int, gpuopt_unique_id, int);
  int (*all_gather)(const void *, void *, size_t, int, void *, cudaStream_t);
  int (*reduce_scatter)(const void *, void *, size_t, int, int, void *, cudaStream_t);
  int (*all_reduce)(const void *, void *, size_t, int, int, void *, cudaStream_t);
} nccl;

bool load_nccl() {
  void *library = nullptr;
  for (const char *name : {"libnccl.so.2", "/usr/local/cuda/lib/libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"})
    if (!library) library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
  if (!library) return false;
  const auto find = [&](auto *function, const char *name) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(library, name));
  };
  find(&nccl.init, "ncclCommInitRank");
  find(&nccl.all_gather, "ncclAllGather");
  find(&nccl.reduce_scatter, "ncclReduceScatter");
  find(&nccl.all_reduce, "ncclAllReduce");
  return nccl.init && nccl.all_gather && nccl.reduce_scatter && nccl.all_reduce;
}

struct Options {
  std::vector<int64_t> tokens = {512, 2048, 8192};
  std::vector<Layer> layers = {kLayers[0], kLayers[1]};
  int rounds = 7;
  bool all_plans = true, exact = false;
} options;

int ranks = 0;
pthread_barrier_t meeting;
std::vector<double> times;  // by rank

void need(bool good, const char *what) {
  if (good) return;
  std::fprintf(stderr, "%s: %s\n", what, gpuopt_last_error());
  std::exit(1);
}

struct Contender {
  std::string name;
  std::function<void()> call;
  std::string plan;  // of gpuopt::dist; else empty
  std::vector<double> us, of_product;
};

class Rank {
 public:
  Rank(int rank, const gpuopt_unique_id &id, const gpuopt_unique_id &peer_id) : rank_(rank) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = rank;
    o.space = GPUOPT_SPACE_DEVICE;
    cudaSetDevice(rank);
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    o.stream = stream_;
    need(gpuopt_create(&handle_, &o) == GPUOPT_OK, "gpuopt_create");
    need(gpuopt_comm_create(&comm_, handle_, &id, rank, ranks, nullptr) == GPUOPT_OK, "gpuopt_comm_create");
    need(nccl.init(&peer_, ranks, peer_id, rank) == 0, "ncclCommInitRank");
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }

  void layer(const Layer &l, int64_t tokens) {
    const int64_t first = 2 * l.inner / ranks, second = l.inner / ranks, own = tokens / ranks;
    void *x = normal(tokens * l.hidden), *w1 = normal(l.hidden * first), *h = normal(tokens * first);
    void *w2 = normal(second * l.hidden), *y = normal(tokens * l.hidden), *own_x = normal(own * l.hidden);
    void *own_y = normal(own * l.hidden);
    const uint32_t flags = options.exact ? 0 : GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
    const auto product = [&](void *a, void *b, void *d, int64_t a_rows, int64_t d_rows, int64_t n, int64_t k) {
      gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
      g.a = gpuopt_mat(a, a_rows, k, GPUOPT_BF16);
      g.b = gpuopt_mat(b, k, n, GPUOPT_BF16);
      g.d = gpuopt_mat(d, d_rows, n, GPUOPT_BF16);
      g.flags = flags;
      return g;
    };
    const gpuopt_gemm_args up = product(x, w1, h, tokens, tokens, first, l.hidden);
    const gpuopt_gemm_args down = product(h, w2, y, tokens, tokens, l.hidden, second);
    const auto gemm = [&](const gpuopt_gemm_args &g) { need(gpuopt_gemm(handle_, &g) == GPUOPT_OK, "gpuopt_gemm"); };
    const size_t part = static_cast<size_t>(own * l.hidden), all = static_cast<size_t>(tokens * l.hidden);
    std::vector<Contender> c = {
        {"product", [&] { gemm(up); }, "", {}, {}},
        {"nccl",
         [&] {
           nccl.all_gather(own_x, x, part, kBf16, peer_, stream_);
           gemm(up);
         },
         "",
         {},
         {}},
    };
    compare(l, tokens, "all_gather_gemm", std::move(c), product(own_x, w1, h, own, tokens, first, l.hidden),
            GPUOPT_DIST_ALL_GATHER_GEMM);
    c = {
        {"product", [&] { gemm(down); }, "", {}, {}},
        {"nccl",
         [&] {
           gemm(down);
           nccl.reduce_scatter(y, own_y, part, kBf16, kSum, peer_, stream_);
         },
         "",
         {},
         {}},
    };
    compare(l, tokens, "gemm_reduce_scatter", std::move(c), product(h, w2, own_y, tokens, own, l.hidden, second),
            GPUOPT_DIST_GEMM_REDUCE_SCATTER);
    c = {
        {"product", [&] { gemm(down); }, "", {}, {}},
        {"nccl",
         [&] {
           gemm(down);
           nccl.all_reduce(y, y, all, kBf16, kSum, peer_, stream_);
         },
         "",
         {},
         {}},
    };
    compare(l, tokens, "gemm_all_reduce", std::move(c), down, GPUOPT_DIST_GEMM_ALL_REDUCE);
    cudaStreamSynchronize(stream_);
    for (void *p : {x, w1, h, w2, y, own_x, own_y}) gpuopt_free(handle_, p);
  }

  void close() {
    gpuopt_comm_destroy(comm_);
    gpuopt_destroy(handle_);
  }

 private:
  // Normal numbers: a block of them again and again, which no unit's power depends on.
  void *normal(int64_t count) {
    void *p = nullptr;
    need(gpuopt_malloc(handle_, &p, static_cast<size_t>(count) * 2) == GPUOPT_OK, "gpuopt_malloc");
    constexpr int64_t kBlock = 1 << 20;
    static const std::vector<uint16_t> block = [] {
      std::mt19937 random(5);
      std::normal_distribution<float> values(0, 0.05f);
      std::vector<uint16_t> out(kBlock);
      for (uint16_t &v : out) {
        const float f = values(random);
        uint32_t bits;
        std::memcpy(&bits, &f, sizeof bits);
        v = static_cast<uint16_t>(bits >> 16);
      }
      return out;
    }();
    for (int64_t at = 0; at < count; at += kBlock)
      gpuopt_copy(handle_, static_cast<uint16_t *>(p) + at, block.data(),
                  static_cast<size_t>(std::min(kBlock, count - at)) * 2);
    return p;
  }
  double time(const std::function<void()> &call, int reps) {
    cudaStreamSynchronize(stream_);
    pthread_barrier_wait(&meeting);
    call();
    cudaEventRecord(begin_, stream_);
    for (int i = 0; i < reps; ++i) call();
    cudaEventRecord(end_, stream_);
    need(gpuopt_comm_synchronize(comm_) == GPUOPT_OK, "gpuopt_comm_synchronize");
    float ms = 0;
    cudaEventElapsedTime(&ms, begin_, end_);
    times[static_cast<size_t>(rank_)] = ms * 1e3 / reps;
    pthread_barrier_wait(&meeting);
    const double slowest = *std::max_element(times.begin(), times.end());
    pthread_barrier_wait(&meeting);
    return slowest;
  }
  void compare(const Layer &l, int64_t tokens, const char *op_name, std::vector<Contender> c, const gpuopt_gemm_args &g,
               int32_t op) {
    const auto call = op == GPUOPT_DIST_ALL_GATHER_GEMM       ? gpuopt_all_gather_gemm
                      : op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? gpuopt_gemm_reduce_scatter
                                                              : gpuopt_gemm_all_reduce;
    std::vector<std::string> plans = {"auto"};
    if (options.all_plans)
      for (const char *plan :
           {"dist_sequence", "dist_chunked:2", "dist_peer_whole", "dist_peer:1", "dist_peer:2", "dist_peer:4"})
        plans.push_back(plan);
    std::map<std::string, gpuopt_dist_run_info> ran;
    for (const std::string &plan : plans) {
      const auto run = [this, call, &g, plan] {
        gpuopt_comm_set_plan(comm_, plan == "auto" ? "" : plan.c_str());
        need(call(comm_, &g) == GPUOPT_OK, plan.c_str());
      };
      // A plan that cannot run here is left out, on every rank alike.
      gpuopt_comm_set_plan(comm_, plan == "auto" ? "" : plan.c_str());
      if (gpuopt_comm_prepare(comm_, op, &g) != GPUOPT_OK) {
        if (rank_ == 0) std::printf("  %s: %s\n", plan.c_str(), gpuopt_last_error());
        continue;
      }
      c.push_back({plan, run, plan, {}, {}});
      run();
      ran[plan] = GPUOPT_DIST_RUN_INFO_INIT;
      gpuopt_comm_last_run(comm_, &ran[plan]);
    }
    const int reps = tokens >= 4096 ? 5 : 20;
    for (int round = 0; round < options.rounds; ++round)
      for (Contender &each : c) {
        // Clocks follow power, and power what ran before: each is compared with a product right before it.
        const double alone = time(c[0].call, reps);
        each.us.push_back(time(each.call, reps));
        each.of_product.push_back(each.us.back() / alone);
      }
    if (rank_ != 0) return;
    const auto median = [](std::vector<double> v) {
      std::sort(v.begin(), v.end());
      return v[v.size() / 2];
    };
    const double alone = median(c[0].us), sequence = median(c[1].of_product);
    std::printf("%s %lld tokens %s: product %.1f us, predicted %.1f; NCCL's sequence %.3f of it\n", l.name,
                static_cast<long long>(tokens), op_name, alone, ran[c[2].plan].product_us, sequence);
    for (size_t i = 2; i < c.size(); ++i) {
      const double us = median(c[i].us), ratio = median(c[i].of_product);
      const gpuopt_dist_run_info &info = ran[c[i].plan];
      // The model's own error: of what comes to the product, whose prediction is the core's.
      const double predicted = 1 + (info.predicted_us - info.product_us) / (us / ratio);
      std::printf(
          "  %-15s %-15s:%-2d %9.1f us  %.3f of the product, %.3f of NCCL's sequence, hides %4.0f %%, predicted %.3f "
          "%+.0f %%\n",
          c[i].name.c_str(), info.plan, info.chunks, us, ratio, ratio / sequence,
          sequence > 1 ? 100 * (1 - (ratio - 1) / (sequence - 1)) : 0, predicted, 100 * (predicted / ratio - 1));
    }
    std::fflush(stdout);
  }

  int rank_;
  cudaStream_t stream_ = nullptr;
  gpuopt_handle *handle_ = nullptr;
  gpuopt_comm *comm_ = nullptr;
  void *peer_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

gpuopt_unique_id make_id() {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = 0;
  gpuopt_handle *handle;
  gpuopt_unique_id id;
  need(gpuopt_create(&handle, &o) == GPUOPT_OK && gpuopt_get_unique_id(handle, &id) == GPUOPT_OK,
       "gpuopt_get_unique_id");
  gpuopt_destroy(handle);
  return id;
}

bool read_arguments(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--exact") {
      options.exact = true;
      continue;
    }
    if (++i == argc) return false;
    std::string list = argv[i];
    if (word == "--rounds") {
      if (!gpuopt_bench::read_count(list, 1, 1000000, &options.rounds)) return false;
    } else if (word == "--plans") {
      options.all_plans = list == "all";
    } else if (word == "--tokens") {
      if (!gpuopt_bench::read_counts(list, &options.tokens)) return false;
    } else if (word == "--layers") {
      options.layers.clear();
      for (const Layer &l : kLayers)
        if (("," + list + ",").find("," + std::string(l.name) + ",") != std::string::npos) options.layers.push_back(l);
    } else {
      return false;
    }
  }
  return !options.tokens.empty() && !options.layers.empty();
}

}  // namespace

int main(int argc, char **argv) {
  if (!read_arguments(argc, argv)) {
    std::fprintf(
        stderr,
        "dist_layers [--tokens 512,2048,8192] [--layers llama70b,dsv3] [--rounds N] [--plans all|auto] [--exact]\n");
    return 2;
  }
  if (cudaGetDeviceCount(&ranks) != cudaSuccess || ranks < 2 || !load_nccl()) {
    std::printf("SKIP: it takes two GPUs and NCCL; there are %d GPUs\n", ranks);
    return 0;
  }
  pthread_barrier_init(&meeting, nullptr, static_cast<unsigned>(ranks));
  times.resize(static_cast<size_t>(ranks));
  const gpuopt_unique_id id = make_id(), peer_id = make_id();
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      Rank rank(r, id, peer_id);
      for (const Layer &l : options.layers)
        for (int64_t tokens : options.tokens) rank.layer(l, tokens);
      rank.close();
    });
  }
  for (std::thread &t : threads) t.join();
  return 0;
}
