// Stream capture: every kernel captured, instantiated and replayed 100 times with changing data gives the bits of direct
// calls; nothing is allocated while capturing; another thread's capture survives a first call; the legacy stream is refused.
#include <thread>

#include "gpu_support.h"
#include "synthetic_kernel.h"

using namespace gpuopt_test;

namespace {

struct Graph {
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec = nullptr;
  void instantiate() { GPUOPT_CUDA(cudaGraphInstantiate(&exec, graph_, 0)); }
  ~Graph() {
    if (exec) cudaGraphExecDestroy(exec);
    if (graph_) cudaGraphDestroy(graph_);
  }
};

}  // namespace

TEST_CASE("capture: every kernel replays 100 times bitwise equal to direct calls") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  SampleProblem s;
  const auto kernels = kernels_for(g.handle, s);
  CHECK(kernels.size() >= 4);
  for (const gpuopt_kernel *k : kernels) {
    if (k->flags & (GPUOPT_KERNEL_NONDETERMINISTIC | GPUOPT_KERNEL_NOT_CAPTURABLE)) continue;
    CAPTURE(std::string(k->name));
    const Gpu fresh(GPUOPT_FALLBACK_NEVER, k->name);
    REQUIRE_MESSAGE(gpuopt_prepare(fresh.handle, s.args(k->op)) == GPUOPT_OK, last_error());
    Graph captured;
    GPUOPT_CUDA(cudaStreamBeginCapture(fresh.stream, cudaStreamCaptureModeGlobal));
    const gpuopt_status status = s.run(fresh.handle, k->op);
    const std::string message = last_error();
    GPUOPT_CUDA(cudaStreamEndCapture(fresh.stream, &captured.graph_));
    REQUIRE_MESSAGE(status == GPUOPT_OK, message);
    captured.instantiate();
    const int rounds = std::getenv("GPUOPT_TEST_REDUCED") ? 3 : 100;
    for (int round = 0; round < rounds; ++round) {
      s.refill(static_cast<uint32_t>(10 * round));
      s.out.fill(0x7f);
      REQUIRE_MESSAGE(s.run(fresh.handle, k->op) == GPUOPT_OK, last_error());
      fresh.sync();
      const std::vector<float> direct = s.out.get();
      s.out.fill(0x7f);
      GPUOPT_CUDA(cudaGraphLaunch(captured.exec, fresh.stream));
      fresh.sync();
      REQUIRE(std::memcmp(direct.data(), s.out.get().data(), direct.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("capture: with a caller's allocator what was not prepared fails and says so, and the capture survives") {
  GPUOPT_NEED_GPU();
  SampleProblem s;
  Gpu g(GPUOPT_FALLBACK_NEVER, nullptr, true);
  s.gemm.stages = s.stages;
  s.gemm.stage_count = 2;
  REQUIRE(gpuopt_set_kernel(g.handle, "gemm_naive+fused_act_scalar") == GPUOPT_OK);  // two steps need scratch
  gpuopt_explain_options in_capture = GPUOPT_EXPLAIN_OPTIONS_INIT;
  in_capture.capturing = 1;
  CHECK(gpuopt_explain(g.handle, &s.gemm, &in_capture, nullptr, nullptr) == GPUOPT_WORKSPACE_TOO_SMALL);
  CHECK(gpuopt_explain(g.handle, &s.gemm, nullptr, nullptr, nullptr) == GPUOPT_OK);
  Graph captured;
  GPUOPT_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeGlobal));
  const gpuopt_status status = gpuopt_gemm(g.handle, &s.gemm);
  const std::string message = last_error();
  GPUOPT_CUDA(cudaStreamEndCapture(g.stream, &captured.graph_));
  CHECK(status == GPUOPT_WORKSPACE_TOO_SMALL);
  CHECK_MESSAGE(contains(message, "call gpuopt_prepare() with these args before it"), message);
  size_t nodes = 1;
  GPUOPT_CUDA(cudaGraphGetNodes(captured.graph_, nullptr, &nodes));
  CHECK(nodes == 0);
  // The choice in capture is the choice outside of it.
  REQUIRE(gpuopt_prepare(g.handle, &s.gemm) == GPUOPT_OK);
  CHECK(gpuopt_explain(g.handle, &s.gemm, &in_capture, nullptr, nullptr) == GPUOPT_OK);
  Graph second;
  GPUOPT_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeGlobal));
  const gpuopt_status again = gpuopt_gemm(g.handle, &s.gemm);
  GPUOPT_CUDA(cudaStreamEndCapture(g.stream, &second.graph_));
  CHECK_MESSAGE(again == GPUOPT_OK, last_error());
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(g.handle, &info);
  CHECK(std::string(info.kernel) == "gemm_naive+fused_act_scalar");
}

TEST_CASE("capture: host data and the legacy stream are refused with the reason") {
  GPUOPT_NEED_GPU();
  Gpu g(GPUOPT_FALLBACK_AUTO);
  SmallGemm host;
  Graph captured;
  GPUOPT_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeThreadLocal));
  CHECK(gpuopt_gemm(g.handle, &host.args) == GPUOPT_NOT_CAPTURABLE);
  CHECK(gpuopt_explain(g.handle, &host.args, nullptr, nullptr, nullptr) == GPUOPT_NOT_CAPTURABLE);
  GPUOPT_CUDA(cudaStreamEndCapture(g.stream, &captured.graph_));
  gpuopt_explain_options in_capture = GPUOPT_EXPLAIN_OPTIONS_INIT;
  in_capture.capturing = 1;
  CHECK(gpuopt_explain(g.handle, &host.args, &in_capture, nullptr, nullptr) == GPUOPT_NOT_CAPTURABLE);
  CHECK(gpuopt_explain(g.handle, &host.args, nullptr, nullptr, nullptr) == GPUOPT_OK);
  // A handle on the legacy stream while a blocking stream captures.
  const SampleProblem s;
  cudaStream_t blocking;
  GPUOPT_CUDA(cudaStreamCreate(&blocking));
  gpuopt_handle *legacy = nullptr;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = 0;
  REQUIRE(gpuopt_create(&legacy, &o) == GPUOPT_OK);
  Graph other;
  GPUOPT_CUDA(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeThreadLocal));
  CHECK(gpuopt_gemm(legacy, &s.gemm) == GPUOPT_NOT_CAPTURABLE);
  CHECK(contains(last_error(), "legacy default stream"));
  CHECK(gpuopt_explain(legacy, &s.gemm, nullptr, nullptr, nullptr) == GPUOPT_NOT_CAPTURABLE);
  GPUOPT_CUDA(cudaStreamEndCapture(blocking, &other.graph_));
  gpuopt_destroy(legacy);
  cudaStreamDestroy(blocking);
}

TEST_CASE("capture: another thread's capture survives our first call, which allocates and loads") {
  GPUOPT_NEED_GPU();
  SampleProblem s;
  const Gpu capturing;
  REQUIRE(gpuopt_prepare(capturing.handle, &s.transpose) == GPUOPT_OK);
  Graph captured;
  GPUOPT_CUDA(cudaStreamBeginCapture(capturing.stream, cudaStreamCaptureModeGlobal));
  std::string failure;
  std::thread other([&] {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = 0;
    o.cpu_fallback = GPUOPT_FALLBACK_NEVER;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // for this thread's own stream creation
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaThreadExchangeStreamCaptureMode(&mode);
    o.stream = stream;
    gpuopt_handle *h = nullptr;
    if (gpuopt_create(&h, &o) != GPUOPT_OK) failure = gpuopt_last_error();
    for (int32_t op = 1; failure.empty() && op < GPUOPT_OP_COUNT_; ++op)
      if (op != GPUOPT_OP_TRANSPOSE && s.run(h, op) != GPUOPT_OK) failure = gpuopt_last_error();
    gpuopt_destroy(h);
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaStreamDestroy(stream);
  });
  other.join();
  CHECK_MESSAGE(failure.empty(), failure);
  CHECK_MESSAGE(gpuopt_transpose(capturing.handle, &s.transpose) == GPUOPT_OK, last_error());
  GPUOPT_CUDA(cudaStreamEndCapture(capturing.stream, &captured.graph_));
  captured.instantiate();
}

TEST_CASE("capture: another stream's capture survives the times of a profiled handle") {
  GPUOPT_NEED_GPU();
  const SampleProblem s;
  const Gpu profiled, capturing;
  REQUIRE(gpuopt_set_profiling(profiled.handle, 1) == GPUOPT_OK);
  REQUIRE(gpuopt_prepare(capturing.handle, &s.transpose) == GPUOPT_OK);
  for (const bool reset : {false, true}) {
    CAPTURE(reset);
    REQUIRE_MESSAGE(gpuopt_gemm(profiled.handle, &s.gemm) == GPUOPT_OK, last_error());
    Graph captured;
    GPUOPT_CUDA(cudaStreamBeginCapture(capturing.stream, cudaStreamCaptureModeGlobal));
    gpuopt_counter counter = {};
    size_t count = 0;
    const gpuopt_status status =
        reset ? gpuopt_reset_counters(profiled.handle) : gpuopt_counters(profiled.handle, &counter, 1, &count);
    const gpuopt_status call = gpuopt_transpose(capturing.handle, &s.transpose);
    GPUOPT_CUDA(cudaStreamEndCapture(capturing.stream, &captured.graph_));
    CHECK(status == GPUOPT_OK);
    CHECK(call == GPUOPT_OK);
    CHECK((reset || (count == 1 && counter.ms > 0)));
    captured.instantiate();
  }
}

namespace {
// A kernel that uses zeroed workspace as a counter: adds 1 and resets, writing what it found.
gpuopt_status count_in_zeroed(const gpuopt_problem *p, const gpuopt_launch *l) {
  if (cudaMemcpyAsync(p->operand[GPUOPT_OPERAND_DST].m.data, l->zeroed, 4, cudaMemcpyDeviceToDevice, l->stream) !=
          cudaSuccess ||
      cudaMemsetAsync(l->scratch, 0xff, 64, l->stream) != cudaSuccess)
    return GPUOPT_CUDA_ERROR;
  return GPUOPT_OK;
}
constexpr gpuopt_signature kI32[] = {{{GPUOPT_I32, GPUOPT_I32, -1, -1}, -1}};
}  // namespace

TEST_CASE("capture: zeroed workspace is zero, and from a caller's allocator each captured call owns its slot") {
  GPUOPT_NEED_GPU();
  static gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_TRANSPOSE, "transpose_test_zeroed", GPUOPT_KERNEL_TEACHING, kI32);
  k.understands = ~0u;
  // Only this case's calls carry that flag on a transpose: the kernel is not one for other tests that walk the registry.
  k.can_run = [](const gpuopt_problem *p, gpuopt_reject *r) -> int {
    *r = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, p->m, 1, "m"};
    return (p->flags & GPUOPT_REQUIRE_BATCH_INVARIANT) != 0;
  };
  k.workspace = [](const gpuopt_problem *, size_t *scratch, size_t *zeroed) { *scratch = 64, *zeroed = 512; };
  k.launch = count_in_zeroed;
  REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, last_error());
  Gpu g(GPUOPT_FALLBACK_NEVER, "transpose_test_zeroed", true);
  DeviceArray<float> memory(64);
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
  t.src = gpuopt_mat(memory.data, 1, 1, GPUOPT_I32);
  t.dst = gpuopt_mat(memory.data + 32, 1, 1, GPUOPT_I32);
  memory.fill(0x55);
  REQUIRE_MESSAGE(gpuopt_transpose(g.handle, &t) == GPUOPT_OK, last_error());
  g.sync();
  CHECK(memory.get()[32] == 0);
  const auto capture = [&] {
    Graph captured;
    GPUOPT_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeGlobal));
    const gpuopt_status status = gpuopt_transpose(g.handle, &t);
    GPUOPT_CUDA(cudaStreamEndCapture(g.stream, &captured.graph_));
    return status;
  };
  CHECK(capture() == GPUOPT_WORKSPACE_TOO_SMALL);
  REQUIRE(gpuopt_prepare(g.handle, &t) == GPUOPT_OK);
  REQUIRE(gpuopt_prepare(g.handle, &t) == GPUOPT_OK);
  CHECK(capture() == GPUOPT_OK);
  CHECK(capture() == GPUOPT_OK);
  CHECK(capture() == GPUOPT_WORKSPACE_TOO_SMALL);
  CHECK(contains(last_error(), "no zeroed slot"));
}
