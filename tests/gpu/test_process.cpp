// A GPU's handles in the process around them: small stacks, and fork.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu_support.h"
#include "painted_stack.h"

using namespace gpuopt_test;

namespace {

struct DeviceGemm {
  DeviceArray<float> a, b, d;
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  DeviceGemm() : a(normal_values(256 * 256, 1)), b(normal_values(256 * 256, 2)), d(256 * 256) {
    args.a = gpuopt_mat(a.data, 256, 256, GPUOPT_F32);
    args.b = gpuopt_mat(b.data, 256, 256, GPUOPT_F32);
    args.d = gpuopt_mat(d.data, 256, 256, GPUOPT_F32);
  }
};

}  // namespace

TEST_CASE("process: a repeated call of every gemm kernel on a GPU needs at most 64 KiB of stack, of cuBLAS 96") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  DeviceGemm gemm;
  PaintedStack stack;
  int ran = 0;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel &kernel = *gpuopt_kernel_get(i);
    if (kernel.op != GPUOPT_OP_GEMM || kernel.flags & GPUOPT_KERNEL_HOST) continue;
    REQUIRE(gpuopt_set_kernel(g.handle, kernel.name) == GPUOPT_OK);
    if (gpuopt_gemm(g.handle, &gemm.args) != GPUOPT_OK) continue;
    // The first call of a thread makes what the runtime and cuBLAS keep for it.
    gpuopt_status status = GPUOPT_INTERNAL;
    const auto call = [&] { status = gpuopt_gemm(g.handle, &gemm.args); };
    const size_t used = stack.used_by(call, call);
    CHECK(status == GPUOPT_OK);
    // cuBLAS and cuBLASLt take some 65 of their own.
    const size_t most = size_t{contains(kernel.name, "_cublas") ? 96u : 64u} << 10;
    CHECK_MESSAGE(used <= most, std::string(kernel.name) << ": " << used);
    ++ran;
  }
  CHECK(ran > 3);
  g.sync();
}

TEST_CASE(
    "process: a GPU's handle answers with an error in a child of fork and never hangs, and the parent's works on") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  DeviceGemm gemm;
  REQUIRE(gpuopt_gemm(g.handle, &gemm.args) == GPUOPT_OK);
  for (int round = 0; round < 20; ++round) {
    const pid_t pid = fork();
    if (pid == 0) {
      signal(SIGALRM, SIG_DFL);
      alarm(20);
      size_t bytes = 0;
      gpuopt_options o = GPUOPT_OPTIONS_INIT;
      gpuopt_handle *another = nullptr;
      int wrong = gpuopt_gemm(g.handle, &gemm.args) != GPUOPT_CUDA_ERROR;
      wrong |= gpuopt_synchronize(g.handle) != GPUOPT_CUDA_ERROR;
      wrong |= gpuopt_workspace_size(g.handle, &gemm.args, &bytes) != GPUOPT_CUDA_ERROR;
      gpuopt_destroy(g.handle);
      o.device = 0;
      wrong |= gpuopt_create(&another, &o) != GPUOPT_NO_DEVICE;
      o.device = GPUOPT_DEVICE_AUTO;
      wrong |= gpuopt_create(&another, &o) != GPUOPT_OK;  // the CPU
      _exit(wrong);
    }
    int status = -1;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
    CHECK(gpuopt_gemm(g.handle, &gemm.args) == GPUOPT_OK);
  }
  g.sync();
}
