// Captured sequences own their memory: many calls in one capture without prepare, forked captures, graphs beside each
// other and beside the handle, after its end, updated in place; and what a capture leaves behind.
#include "capture_memory.h"

#include <chrono>
#include <thread>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

constexpr int kPoison = 0x7f;

struct Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  Graph() = default;
  Graph(const Graph &) = delete;
  ~Graph() { reset(); }
  void reset() {
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
    exec = nullptr;
    graph = nullptr;
  }
  // calls() while the stream is captured; what it returns.
  template <class F>
  gpuopt_status capture(cudaStream_t stream, F &&calls) {
    GPUOPT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const gpuopt_status status = calls();
    GPUOPT_CUDA(cudaStreamEndCapture(stream, &graph));
    return status;
  }
  void instantiate() { GPUOPT_CUDA(cudaGraphInstantiate(&exec, graph, 0)); }
};

// Problems that need workspace, scratch and zeroed, beside such that need none: fp32 products split along k, long rows,
// sums over everything, chains. Each writes a place of its own in `out`.
class Sequence {
 public:
  static constexpr size_t kOut = size_t{1} << 16;
  DeviceArray<float> data{normal_values(size_t{1} << 21, 7)}, out;
  explicit Sequence(size_t calls) : out(calls * kOut), calls_(calls) {}

  gpuopt_status run(gpuopt_handle *h) const {
    for (size_t i = 0; i < calls_; ++i)
      if (const gpuopt_status s = call(h, i)) return s;
    return GPUOPT_OK;
  }
  gpuopt_status call(gpuopt_handle *h, size_t i) const {
    float *x = data.data + i % 13 * 64, *y = out.data + i * kOut;
    const auto view = [](float *p, int64_t rows, int64_t cols) { return gpuopt_mat(p, rows, cols, GPUOPT_F32); };
    const int64_t odd = static_cast<int64_t>(i % 5);
    switch (i % 6) {
      case 0: {  // few results, long k: split
        gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
        g.a = view(x, 64 + odd, 4096);
        g.b = view(x + 4096, 4096, 48 + odd);
        g.d = view(y, 64 + odd, 48 + odd);
        return gpuopt_gemm(h, &g);
      }
      case 1: {
        gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
        r.x = view(x, 1000 + odd, 1500);
        r.axis = odd == 0 ? GPUOPT_ALL : odd < 3 ? GPUOPT_EACH_COL : GPUOPT_EACH_ROW;
        r.out = odd == 0 ? view(y, 1, 1) : odd < 3 ? view(y, 1, 1500) : view(y, 1000 + odd, 1);
        return gpuopt_reduce(h, &r);
      }
      case 2: {
        gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
        n.x = view(x, 1, 60000 + odd);
        n.out = view(y, 1, 60000 + odd);
        return gpuopt_norm(h, &n);
      }
      case 3: {  // two steps in many kernels
        gpuopt_stage stages[2] = {gpuopt_act(GPUOPT_STAGE_GELU, 0, 0), gpuopt_act(GPUOPT_STAGE_MUL, 0.5, 0)};
        gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
        g.a = view(x, 200, 300 + odd);
        g.b = view(x, 300 + odd, 150);
        g.d = view(y, 200, 150);
        g.stages = stages;
        g.stage_count = 2;
        return gpuopt_gemm(h, &g);
      }
      case 4: {
        gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
        t.src = view(x, 100 + odd, 300);
        t.dst = view(y, 300, 100 + odd);
        return gpuopt_transpose(h, &t);
      }
      default: {
        gpuopt_stage stage = gpuopt_act(GPUOPT_STAGE_SILU, 0, 0);
        gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
        f.x = view(x, 100, 257 + odd);
        f.out = view(y, 100, 257 + odd);
        f.stages = &stage;
        f.stage_count = 1;
        return gpuopt_fused_act(h, &f);
      }
    }
  }
  // The bits that direct calls of a new handle leave.
  std::vector<float> expected() {
    out.fill(kPoison);
    const Gpu direct;
    REQUIRE_MESSAGE(run(direct.handle) == GPUOPT_OK, last_error());
    direct.sync();
    return out.get();
  }
  bool is(const std::vector<float> &expected) const {
    return std::memcmp(expected.data(), out.get().data(), expected.size() * sizeof(float)) == 0;
  }

 private:
  size_t calls_;
};

// What the pool of the first GPU holds for graphs, dead and alive.
size_t pool_bytes() {
  const gpuopt::CaptureMemoryUse use = gpuopt::capture_memory_use(0);
  return use.owned + use.waiting;
}

}  // namespace

TEST_CASE("capture memory: 500 mixed calls in one capture, nothing prepared, bitwise as direct calls") {
  GPUOPT_NEED_GPU();
  Sequence s(500);
  const std::vector<float> expected = s.expected();
  const Gpu g;
  Graph captured;
  const gpuopt_status status = captured.capture(g.stream, [&] { return s.run(g.handle); });
  REQUIRE_MESSAGE(status == GPUOPT_OK, last_error());
  captured.instantiate();
  for (int round = 0; round < 3; ++round) {
    s.out.fill(kPoison);
    GPUOPT_CUDA(cudaGraphLaunch(captured.exec, g.stream));
    g.sync();
    CHECK(s.is(expected));
  }
}

TEST_CASE("capture memory: every capturable kernel twice in one capture, nothing prepared") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  SampleProblem s;
  for (const gpuopt_kernel *k : kernels_for(g.handle, s)) {
    if (k->flags & (GPUOPT_KERNEL_NONDETERMINISTIC | GPUOPT_KERNEL_NOT_CAPTURABLE)) continue;
    CAPTURE(std::string(k->name));
    const Gpu fresh(GPUOPT_FALLBACK_NEVER, k->name);
    Graph captured;
    const gpuopt_status status = captured.capture(fresh.stream, [&] {
      const gpuopt_status first = s.run(fresh.handle, k->op);
      return first == GPUOPT_OK ? s.run(fresh.handle, k->op) : first;
    });
    REQUIRE_MESSAGE(status == GPUOPT_OK, last_error());
    captured.instantiate();
    s.out.fill(kPoison);
    REQUIRE_MESSAGE(s.run(fresh.handle, k->op) == GPUOPT_OK, last_error());
    fresh.sync();
    const std::vector<float> direct = s.out.get();
    s.out.fill(kPoison);
    GPUOPT_CUDA(cudaGraphLaunch(captured.exec, fresh.stream));
    fresh.sync();
    REQUIRE(std::memcmp(direct.data(), s.out.get().data(), direct.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("capture memory: a capture forked to a second stream has a set for each") {
  GPUOPT_NEED_GPU();
  Sequence one(60), two(60);
  const std::vector<float> first = one.expected(), second = two.expected();
  const Gpu g;
  cudaStream_t side;
  cudaEvent_t fork, join;
  GPUOPT_CUDA(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  GPUOPT_CUDA(cudaEventCreate(&fork));
  GPUOPT_CUDA(cudaEventCreate(&join));
  Graph captured;
  const gpuopt_status status = captured.capture(g.stream, [&] {
    GPUOPT_CUDA(cudaEventRecord(fork, g.stream));
    GPUOPT_CUDA(cudaStreamWaitEvent(side, fork, 0));
    gpuopt_status worst = GPUOPT_OK;
    for (size_t i = 0; i < 60 && worst == GPUOPT_OK; ++i) {
      gpuopt_set_stream(g.handle, g.stream);
      worst = one.call(g.handle, i);
      gpuopt_set_stream(g.handle, side);
      if (worst == GPUOPT_OK) worst = two.call(g.handle, i);
    }
    gpuopt_set_stream(g.handle, g.stream);
    GPUOPT_CUDA(cudaEventRecord(join, side));
    GPUOPT_CUDA(cudaStreamWaitEvent(g.stream, join, 0));
    return worst;
  });
  REQUIRE_MESSAGE(status == GPUOPT_OK, last_error());
  captured.instantiate();
  for (int round = 0; round < 20; ++round) {
    one.out.fill(kPoison);
    two.out.fill(kPoison);
    GPUOPT_CUDA(cudaGraphLaunch(captured.exec, g.stream));
    g.sync();
    REQUIRE(one.is(first));
    REQUIRE(two.is(second));
  }
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(side);
}

TEST_CASE("capture memory: two graphs on two streams while the handle works, then after its end") {
  GPUOPT_NEED_GPU();
  Sequence one(48), two(48), direct(48);
  const std::vector<float> first = one.expected(), second = two.expected(), third = direct.expected();
  Graph a, b;
  cudaStream_t x, y;
  GPUOPT_CUDA(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking));
  GPUOPT_CUDA(cudaStreamCreateWithFlags(&y, cudaStreamNonBlocking));
  const auto replay = [&](bool with_handle, const Gpu *g) {
    for (int round = 0; round < 20; ++round) {
      one.out.fill(kPoison);
      two.out.fill(kPoison);
      direct.out.fill(kPoison);
      for (int turn = 0; turn < 4; ++turn) {
        GPUOPT_CUDA(cudaGraphLaunch(a.exec, x));
        GPUOPT_CUDA(cudaGraphLaunch(b.exec, y));
        if (with_handle) REQUIRE_MESSAGE(direct.run(g->handle) == GPUOPT_OK, last_error());
      }
      GPUOPT_CUDA(cudaDeviceSynchronize());
      REQUIRE(one.is(first));
      REQUIRE(two.is(second));
      if (with_handle) REQUIRE(direct.is(third));
    }
  };
  {
    const Gpu g;
    REQUIRE_MESSAGE(a.capture(g.stream, [&] { return one.run(g.handle); }) == GPUOPT_OK, last_error());
    REQUIRE_MESSAGE(b.capture(g.stream, [&] { return two.run(g.handle); }) == GPUOPT_OK, last_error());
    a.instantiate();
    b.instantiate();
    replay(true, &g);
  }
  {  // others take what the handle has left, and capture as well
    const Gpu g;
    REQUIRE(direct.run(g.handle) == GPUOPT_OK);
    Graph c;
    REQUIRE(c.capture(g.stream, [&] { return direct.run(g.handle); }) == GPUOPT_OK);
    c.instantiate();
    GPUOPT_CUDA(cudaGraphLaunch(c.exec, g.stream));
    replay(false, nullptr);
  }
  cudaStreamDestroy(x);
  cudaStreamDestroy(y);
}

TEST_CASE("capture memory: an executable graph updated in place a hundred times") {
  GPUOPT_NEED_GPU();
  Sequence s(24);
  const std::vector<float> expected = s.expected();
  const Gpu g;
  Graph first;
  REQUIRE(first.capture(g.stream, [&] { return s.run(g.handle); }) == GPUOPT_OK);
  first.instantiate();
  for (int round = 0; round < 100; ++round) {
    Graph next;
    REQUIRE(next.capture(g.stream, [&] { return s.run(g.handle); }) == GPUOPT_OK);
    cudaGraphExecUpdateResultInfo result;
    GPUOPT_CUDA(cudaGraphExecUpdate(first.exec, next.graph, &result));
    s.out.fill(kPoison);
    GPUOPT_CUDA(cudaGraphLaunch(first.exec, g.stream));
    g.sync();
    REQUIRE(s.is(expected));
  }
}

TEST_CASE("capture memory: a thousand captures and ends hold no more than a few") {
  GPUOPT_NEED_GPU();
  Sequence s(12);
  const Gpu g;
  const auto once = [&] {
    Graph captured;
    REQUIRE(captured.capture(g.stream, [&] { return s.run(g.handle); }) == GPUOPT_OK);
    captured.instantiate();
    GPUOPT_CUDA(cudaGraphLaunch(captured.exec, g.stream));
    g.sync();
  };
  for (int i = 0; i < 20; ++i) once();
  const size_t before = pool_bytes();
  CHECK(before > 0);
  for (int i = 0; i < 1000; ++i) once();
  // The driver lets go of a graph's objects a little later; a hundred that stayed would be gigabytes.
  CHECK(pool_bytes() <= before + (size_t{256} << 20));
  GPUOPT_CUDA(cudaDeviceSynchronize());
  // So what was trimmed a moment ago may wait again.
  size_t waiting = SIZE_MAX;
  for (int left = 1000; left > 0 && waiting != 0; --left) {
    gpuopt::trim_capture_memory(0);
    waiting = gpuopt::capture_memory_use(0).waiting;
    if (waiting != 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(waiting == 0);
}

TEST_CASE("capture memory: no memory in the middle is a status, and the capture goes on") {
  GPUOPT_NEED_GPU();
  Sequence s(12);
  const std::vector<float> expected = s.expected();
  const Gpu g;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = 0;
  o.stream = g.stream;
  o.workspace_limit = size_t{1} << 45;
  o.kernel = "gemm=gemm_naive+fused_act_scalar";
  gpuopt_handle *boundless = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&boundless, &o) == GPUOPT_OK, last_error());
  // Between its two steps this product needs more than any GPU has. It fails before a launch, so D is never touched.
  DeviceArray<float> memory(2 * (1 << 18));
  constexpr int64_t n = 1 << 18;
  gpuopt_stage stage = gpuopt_act(GPUOPT_STAGE_GELU, 0, 0);
  gpuopt_gemm_args big = GPUOPT_GEMM_ARGS_INIT;
  big.a = gpuopt_mat(memory.data, n, 1, GPUOPT_F32);
  big.b = gpuopt_mat(memory.data, 1, n, GPUOPT_F32);
  big.d = gpuopt_mat(memory.data + n, n, n, GPUOPT_F32);
  big.stages = &stage;
  big.stage_count = 1;
  Graph captured;
  gpuopt_status refused = GPUOPT_OK;
  std::string message;
  const gpuopt_status rest = captured.capture(g.stream, [&] {
    const gpuopt_status first = s.call(g.handle, 0);
    refused = gpuopt_gemm(boundless, &big);
    message = last_error();
    return first == GPUOPT_OK ? s.run(g.handle) : first;
  });
  CHECK_MESSAGE(refused == GPUOPT_OUT_OF_MEMORY, message);
  CHECK(contains(message, "gpuopt_gemm"));
  REQUIRE_MESSAGE(rest == GPUOPT_OK, last_error());
  captured.instantiate();
  s.out.fill(kPoison);
  GPUOPT_CUDA(cudaGraphLaunch(captured.exec, g.stream));
  g.sync();
  CHECK(s.is(expected));
  gpuopt_destroy(boundless);
}
