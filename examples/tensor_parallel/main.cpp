// A transformer's layer over several ranks: the attention's output projection and the gated MLP, as Llama has them.
//
//     column parallel   gate, up = rows of x gathered, times this rank's columns     gpuopt_all_gather_gemm
//     row parallel      projection, down = this rank's part of k, rows of the sum    gpuopt_gemm_reduce_scatter
//
// Between the calls x lives split by rows (sequence parallel); the last product is done once more with gpuopt_gemm_all_reduce,
// which leaves it whole on every rank. Each result is compared with the same layer on one device, and each call's time with
// the unfused sequence's.
//
//     mpirun -n 4 tensor_parallel              a process a rank: on the CPU, or on a GPU each
//     tensor_parallel --threads 4              a thread a rank, of this process
//     tensor_parallel --gpus                   a thread for each GPU
// Options: --tokens N --hidden N --inner N
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gpuopt/dist.h"
#if TENSOR_PARALLEL_MPI
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace {

struct Shape {
  int64_t tokens = 96, hidden = 192, inner = 256;
  int rounds = 5;
};

[[noreturn]] void die(const char *what) {
  std::fprintf(stderr, "%s: %s\n", what, gpuopt_last_error());
  std::exit(1);
}
void need(gpuopt_status s, const char *what) {
  if (s != GPUOPT_OK) die(what);
}

// A matrix in the handle's own memory.
class Matrix {
 public:
  Matrix(gpuopt_handle *h, int64_t rows, int64_t cols) : h_(h), rows_(rows), cols_(cols) {
    need(gpuopt_malloc(h, &data_, bytes() + 4), "gpuopt_malloc");
  }
  // Rows [row, row + rows) and columns [col, col + cols) of a whole one that lies on the host.
  Matrix(gpuopt_handle *h, const std::vector<float> &whole, int64_t all_cols, int64_t row, int64_t rows, int64_t col,
         int64_t cols)
      : Matrix(h, rows, cols) {
    std::vector<float> part;
    for (int64_t i = row; i < row + rows; ++i)
      for (int64_t j = col; j < col + cols; ++j) part.push_back(whole[static_cast<size_t>(i * all_cols + j)]);
    if (!part.empty()) need(gpuopt_copy(h, data_, part.data(), bytes()), "gpuopt_copy");
    need(gpuopt_synchronize(h), "gpuopt_synchronize");
  }
  ~Matrix() { gpuopt_free(h_, data_); }
  Matrix(const Matrix &) = delete;
  Matrix &operator=(const Matrix &) = delete;
  gpuopt_matrix view() const { return gpuopt_mat(data_, rows_, cols_, GPUOPT_F32); }
  std::vector<float> values() const {
    std::vector<float> out(static_cast<size_t>(rows_ * cols_));
    if (!out.empty()) need(gpuopt_copy(h_, out.data(), data_, bytes()), "gpuopt_copy");
    need(gpuopt_synchronize(h_), "gpuopt_synchronize");
    return out;
  }

 private:
  size_t bytes() const { return static_cast<size_t>(rows_ * cols_) * sizeof(float); }
  gpuopt_handle *h_;
  int64_t rows_, cols_;
  void *data_ = nullptr;
};

// The layer's whole weights and input, the same numbers on every rank.
struct Whole {
  std::vector<float> attention, x, projection, gate, up, down;
  explicit Whole(const Shape &s) {
    unsigned seed = 0;
    const auto normal = [&](int64_t rows, int64_t cols) {
      std::mt19937 random(++seed);
      std::normal_distribution<float> values(0, 1 / std::sqrt(static_cast<float>(cols)));
      std::vector<float> out(static_cast<size_t>(rows * cols));
      for (float &v : out) v = values(random);
      return out;
    };
    attention = normal(s.tokens, s.hidden), x = normal(s.tokens, s.hidden), projection = normal(s.hidden, s.hidden);
    gate = normal(s.hidden, s.inner), up = normal(s.hidden, s.inner), down = normal(s.inner, s.hidden);
  }
};

gpuopt_gemm_args product(const gpuopt_matrix &a, const gpuopt_matrix &b, const gpuopt_matrix &d,
                         const std::vector<gpuopt_stage> &stages = {}) {
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = a, g.b = b, g.d = d;
  g.stages = stages.data();
  g.stage_count = static_cast<int32_t>(stages.size());
  return g;
}

using Op = gpuopt_status (*)(gpuopt_comm *, const gpuopt_gemm_args *);

double microseconds(gpuopt_comm *comm, int rounds, const std::function<void()> &call) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    need(gpuopt_comm_synchronize(comm), "gpuopt_comm_synchronize");
    best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

// One fused call: its result is in D; its time, the sequence's and the product's alone are printed by rank 0.
void run(gpuopt_comm *comm, gpuopt_handle *h, int32_t rank, const Shape &s, const char *name, Op op,
         const gpuopt_gemm_args &g) {
  const auto call = [&] { need(op(comm, &g), name); };
  call();
  gpuopt_dist_run_info info = GPUOPT_DIST_RUN_INFO_INIT;
  need(gpuopt_comm_last_run(comm, &info), "gpuopt_comm_last_run");
  const double fused = microseconds(comm, s.rounds, call);
  double unfused = fused;
  if (info.chunks > 0 && std::strcmp(info.plan, "dist_alone") != 0) {
    need(gpuopt_comm_set_plan(comm, "dist_sequence"), "gpuopt_comm_set_plan");
    call();
    unfused = microseconds(comm, s.rounds, call);
    need(gpuopt_comm_set_plan(comm, nullptr), "gpuopt_comm_set_plan");
  }
  // What this rank computes, without anybody else: scratch in place of what others would bring.
  const int64_t m = std::max(g.a.rows, g.d.rows);
  const Matrix a(h, m, g.a.cols), d(h, m, g.d.cols);
  const gpuopt_gemm_args alone = product(a.view(), g.b, d.view());
  const double compute = microseconds(comm, s.rounds, [&] { need(gpuopt_gemm(h, &alone), "gpuopt_gemm"); });
  if (rank != 0) return;
  const double moved = unfused - compute, hidden = moved > 0 ? 1 - (fused - compute) / moved : 0;
  std::printf("%-28s %-13s %9.1f us, the sequence %9.1f us, the product alone %9.1f us, hidden %3.0f %%\n", name,
              info.plan, fused, unfused, compute, 100 * std::max(0.0, std::min(1.0, hidden)));
}

double farthest(const std::vector<float> &is, const std::vector<float> &should, size_t from) {
  double worst = 0;
  for (size_t i = 0; i < is.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::fabs(is[i] - should[from + i])));
  return worst;
}

// The layer over the ranks; returns how many of its results differ from one device's by more than rounding.
int layer(gpuopt_comm *comm, gpuopt_handle *h, const Shape &s) {
  int32_t rank, size;
  need(gpuopt_comm_rank(comm, &rank, &size), "gpuopt_comm_rank");
  const Whole w(s);
  int64_t row, rows, col, cols, in, ins;
  gpuopt_dist_rows(s.tokens, rank, size, &row, &rows);
  gpuopt_dist_rows(s.hidden, rank, size, &col, &cols);
  gpuopt_dist_rows(s.inner, rank, size, &in, &ins);

  // This rank's heads of the attention's output, times its rows of the projection; the residual comes once, after the sum.
  const Matrix heads(h, w.attention, s.hidden, 0, s.tokens, col, cols),
      w_o(h, w.projection, s.hidden, col, cols, 0, s.hidden);
  const Matrix residual(h, w.x, s.hidden, row, rows, 0, s.hidden), x1(h, rows, s.hidden);
  run(comm, h, rank, s, "projection, reduce-scatter", gpuopt_gemm_reduce_scatter,
      product(heads.view(), w_o.view(), x1.view(),
              {gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, residual.view())}));

  // SwiGLU: the gate's product first, then the other one's, which takes it as a factor.
  const Matrix w_gate(h, w.gate, s.inner, 0, s.hidden, in, ins), w_up(h, w.up, s.inner, 0, s.hidden, in, ins);
  const Matrix gate(h, s.tokens, ins), both(h, s.tokens, ins);
  run(comm, h, rank, s, "gate, all-gather", gpuopt_all_gather_gemm,
      product(x1.view(), w_gate.view(), gate.view(), {gpuopt_act(GPUOPT_STAGE_SILU, 0, 0)}));
  run(comm, h, rank, s, "up * gate, all-gather", gpuopt_all_gather_gemm,
      product(x1.view(), w_up.view(), both.view(), {gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, gate.view())}));
  const Matrix w_down(h, w.down, s.hidden, in, ins, 0, s.hidden), x2(h, rows, s.hidden), whole(h, s.tokens, s.hidden);
  run(comm, h, rank, s, "down, reduce-scatter", gpuopt_gemm_reduce_scatter,
      product(both.view(), w_down.view(), x2.view(), {gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, x1.view())}));
  run(comm, h, rank, s, "down, all-reduce", gpuopt_gemm_all_reduce, product(both.view(), w_down.view(), whole.view()));

  // One device.
  const Matrix a(h, w.attention, s.hidden, 0, s.tokens, 0, s.hidden),
      p(h, w.projection, s.hidden, 0, s.hidden, 0, s.hidden);
  const Matrix x(h, w.x, s.hidden, 0, s.tokens, 0, s.hidden), y1(h, s.tokens, s.hidden), y2(h, s.tokens, s.hidden);
  const Matrix g(h, w.gate, s.inner, 0, s.hidden, 0, s.inner), u(h, w.up, s.inner, 0, s.hidden, 0, s.inner);
  const Matrix d(h, w.down, s.hidden, 0, s.inner, 0, s.hidden), t1(h, s.tokens, s.inner), t2(h, s.tokens, s.inner);
  const Matrix y3(h, s.tokens, s.hidden);
  const auto gemm = [&](const gpuopt_gemm_args &args) { need(gpuopt_gemm(h, &args), "gpuopt_gemm"); };
  gemm(product(a.view(), p.view(), y1.view(), {gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, x.view())}));
  gemm(product(y1.view(), g.view(), t1.view(), {gpuopt_act(GPUOPT_STAGE_SILU, 0, 0)}));
  gemm(product(y1.view(), u.view(), t2.view(), {gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, t1.view())}));
  gemm(product(t2.view(), d.view(), y2.view(), {gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, y1.view())}));
  gemm(product(t2.view(), d.view(), y3.view()));
  const size_t from = static_cast<size_t>(row * s.hidden);
  const double bound = 1e-4;
  const struct {
    const char *name;
    double off;
  } results[] = {{"projection", farthest(x1.values(), y1.values(), from)},
                 {"layer, by rows", farthest(x2.values(), y2.values(), from)},
                 {"layer, whole", farthest(whole.values(), y3.values(), 0)}};
  int wrong = 0;
  for (const auto &r : results) {
    if (r.off <= bound) continue;
    ++wrong;
    std::printf("WRONG: rank %d: %s is off by %g, one device's result by at most %g\n", rank, r.name, r.off, bound);
  }
  return wrong;
}

gpuopt_handle *handle_of(int32_t device) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = device;
  if (device == GPUOPT_DEVICE_CPU) o.num_threads = 1;
  gpuopt_handle *h = nullptr;
  need(gpuopt_create(&h, &o), "gpuopt_create");
  return h;
}

int in_threads(const Shape &s, int32_t count, bool gpus) {
  gpuopt_handle *maker = handle_of(gpus ? 0 : GPUOPT_DEVICE_CPU);
  gpuopt_unique_id id;
  need(gpuopt_get_unique_id(maker, &id), "gpuopt_get_unique_id");
  gpuopt_destroy(maker);
  std::vector<int> wrong(static_cast<size_t>(count));
  std::vector<std::thread> ranks;
  for (int32_t r = 0; r < count; ++r) {
    ranks.emplace_back([&, r] {
      gpuopt_handle *h = handle_of(gpus ? r : GPUOPT_DEVICE_CPU);
      gpuopt_comm *comm = nullptr;
      need(gpuopt_comm_create(&comm, h, &id, r, count, nullptr), "gpuopt_comm_create");
      wrong[static_cast<size_t>(r)] = layer(comm, h, s);
      gpuopt_comm_destroy(comm);
      gpuopt_destroy(h);
    });
  }
  int sum = 0;
  for (std::thread &t : ranks) t.join();
  for (int each : wrong) sum += each;
  return sum;
}

int32_t gpu_count() {
  int32_t n = 0;
  for (gpuopt_handle *h = nullptr;; ++n) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = n;
    if (gpuopt_create(&h, &o) != GPUOPT_OK) return n;
    gpuopt_destroy(h);
  }
}

#if TENSOR_PARALLEL_MPI
int under_mpi(const Shape &s) {
  MPI_Init(nullptr, nullptr);
  int rank, local = 0, wrong;
  MPI_Comm world = MPI_COMM_WORLD, host;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &local);
  int sharing;
  MPI_Comm_size(host, &sharing);
  gpuopt_handle *h = handle_of(gpu_count() >= sharing ? local : static_cast<int32_t>(GPUOPT_DEVICE_CPU));
  gpuopt_comm *comm = nullptr;
  need(gpuopt_comm_from_mpi(&comm, h, &world, nullptr), "gpuopt_comm_from_mpi");
  const int mine = layer(comm, h, s);
  MPI_Allreduce(&mine, &wrong, 1, MPI_INT, MPI_SUM, world);
  gpuopt_comm_destroy(comm);
  gpuopt_destroy(h);
  MPI_Comm_free(&host);
  MPI_Finalize();
  return rank == 0 ? wrong : wrong == 0 ? -1 : wrong;
}
#else
int under_mpi(const Shape &) {
  std::printf("SKIP: built without MPI\n");
  return -1;
}
#endif

}  // namespace

int main(int argc, char **argv) {
  Shape s;
  int32_t threads = 0;
  bool gpus = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--gpus") {
      gpus = true;
      continue;
    }
    const long long value = i + 1 < argc ? std::atoll(argv[++i]) : 0;
    int64_t *const extent = word == "--tokens"   ? &s.tokens
                            : word == "--hidden" ? &s.hidden
                            : word == "--inner"  ? &s.inner
                                                 : nullptr;
    if (value < 1 || (!extent && word != "--threads")) {
      std::fprintf(stderr, "tensor_parallel [--threads N | --gpus] [--tokens N] [--hidden N] [--inner N]\n");
      return 2;
    }
    if (extent)
      *extent = value;
    else
      threads = static_cast<int32_t>(value);
  }
  if (gpus && gpu_count() < 2) {
    std::printf("SKIP: there are not two GPUs\n");
    return 0;
  }
  const int wrong = gpus          ? in_threads(s, gpu_count(), true)
                    : threads > 0 ? in_threads(s, threads, false)
                                  : under_mpi(s);
  if (wrong == 0) std::printf("every result is one device's\n");
  return wrong > 0;
}
