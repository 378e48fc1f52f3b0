// Image plugins on a real driver: machine code and PTX are launched with the right arguments, in captures and from other
// threads, and an image that does not fit is refused with the driver's reason.
#include <cmath>
#include <thread>

#include "gpu_support.h"
#include "plugins/real_images.h"
#include "worst.h"

using namespace gpuopt_test;

namespace {

// The plugin of twins.cu, loaded once as plugin:real/<kernel>.
void load_real() {
  static const Folder folder;
  static const gpuopt_status loaded = gpuopt_load_plugin(write_real_plugin(folder, "real").c_str());
  REQUIRE_MESSAGE(loaded == GPUOPT_OK, last_error());
}

// A problem for each of its kernels, and what comes out of it.
struct RealProblem {
  static constexpr int64_t rows = 67, cols = 300;
  std::vector<float> x = normal_values(rows * cols, 1), y = normal_values(rows * cols, 2);
  DeviceArray<float> on_x{x}, on_y{y}, out{static_cast<size_t>(rows * cols)};

  gpuopt_status run(gpuopt_handle *h, const std::string &kernel) {
    const gpuopt_matrix in = gpuopt_mat(on_x.data, rows, cols, GPUOPT_F32);
    REQUIRE(gpuopt_set_kernel(h, ("plugin:real/" + kernel).c_str()) == GPUOPT_OK);
    if (kernel == "vector_add") {
      const gpuopt_stage add =
          gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, gpuopt_mat(on_y.data, rows, cols, GPUOPT_F32));
      gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
      f.x = in;
      f.out = gpuopt_mat(out.data, rows, cols, GPUOPT_F32);
      f.stages = &add;
      f.stage_count = 1;
      return gpuopt_fused_act(h, &f);
    }
    if (kernel == "softmax") {
      gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
      n.norm = GPUOPT_NORM_SOFTMAX;
      n.x = in;
      n.out = gpuopt_mat(out.data, rows, cols, GPUOPT_F32);
      return gpuopt_norm(h, &n);
    }
    gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
    r.reduce = GPUOPT_REDUCE_SUM;
    r.axis = GPUOPT_EACH_COL;
    r.x = in;
    r.out = gpuopt_mat(out.data, 1, cols, GPUOPT_F32);
    return gpuopt_reduce(h, &r);
  }

  // The largest difference from the truth.
  double error(const std::string &kernel) const {
    const std::vector<float> got = out.get();
    double most = 0;
    for (int64_t j = 0; j < cols; ++j) {
      double column = 0;
      for (int64_t i = 0; i < rows; ++i) column += static_cast<double>(x[i * cols + j]);
      if (kernel == "column_sums") note(&most, std::abs(static_cast<double>(got[j]) - column));
    }
    for (int64_t i = 0; i < rows && kernel != "column_sums"; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < cols; ++j) sum += std::exp(static_cast<double>(x[i * cols + j]));
      for (int64_t j = 0; j < cols; ++j) {
        const double own = static_cast<double>(x[i * cols + j]), other = static_cast<double>(y[i * cols + j]);
        const double want = kernel == "softmax" ? std::exp(own) / sum : own + other;
        note(&most, std::abs(static_cast<double>(got[i * cols + j]) - want));
      }
    }
    return most;
  }
};

constexpr const char *kKernels[] = {"vector_add", "softmax", "column_sums"};

}  // namespace

TEST_CASE("image plugin: every kernel computes, from a first call on and again") {
  GPUOPT_NEED_GPU();
  load_real();
  RealProblem p;
  const Gpu g;
  for (const char *kernel : kKernels)
    for (int again = 0; again < 3; ++again) {
      CAPTURE(std::string(kernel));
      p.out.fill(0x7f);
      REQUIRE_MESSAGE(p.run(g.handle, kernel) == GPUOPT_OK, last_error());
      g.sync();
      CHECK(p.error(kernel) < 1e-4);
    }
}

TEST_CASE("image plugin: a first call inside a capture loads the image, and the graph replays") {
  GPUOPT_NEED_GPU();
  static const Folder folder;  // images that nothing has loaded yet
  REQUIRE_MESSAGE(gpuopt_load_plugin(write_real_plugin(folder, "captured").c_str()) == GPUOPT_OK, last_error());
  load_real();
  RealProblem p;
  const Gpu g;
  for (const char *kernel : kKernels) {
    CAPTURE(std::string(kernel));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    GPUOPT_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeGlobal));
    const gpuopt_status status = p.run(g.handle, kernel);
    const std::string message = last_error();
    GPUOPT_CUDA(cudaStreamEndCapture(g.stream, &graph));
    REQUIRE_MESSAGE(status == GPUOPT_OK, message);
    GPUOPT_CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < 10; ++round) {
      p.out.fill(0x7f);
      GPUOPT_CUDA(cudaGraphLaunch(exec, g.stream));
      g.sync();
      CHECK(p.error(kernel) < 1e-4);
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
}

TEST_CASE("image plugin: a thread whose first call of CUDA it is, on the legacy stream") {
  GPUOPT_NEED_GPU();
  load_real();
  RealProblem p;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = 0;
  o.cpu_fallback = GPUOPT_FALLBACK_NEVER;
  gpuopt_handle *h = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
  gpuopt_status status = GPUOPT_INTERNAL;
  std::string message;
  p.out.fill(0x7f);
  std::thread([&] {
    status = p.run(h, "vector_add");
    message = last_error();
  }).join();
  CHECK_MESSAGE(status == GPUOPT_OK, message);
  GPUOPT_CUDA(cudaDeviceSynchronize());
  CHECK(p.error("vector_add") < 1e-6);
  gpuopt_destroy(h);
}

TEST_CASE(
    "image plugin: an entry with other parameters, and an image for no such device, are refused with the reason") {
  GPUOPT_NEED_GPU();
  const Folder folder;
  std::string text = file_text(write_real_plugin(folder, "whole"));
  const std::string was = "args = x.ptr, stage0.a.ptr, out.ptr, rows * cols:i32";
  text.replace(text.find(was), was.size(), "args = x.ptr, stage0.a.ptr, out.ptr, rows * cols:i64");
  RealProblem p;
  const Gpu g;
  const auto refusal = [&](const std::string &name, const std::string &manifest) {
    REQUIRE_MESSAGE(gpuopt_load_plugin(folder.write(name + ".gpuopt", manifest).c_str()) == GPUOPT_OK, last_error());
    REQUIRE(gpuopt_set_kernel(g.handle, ("plugin:" + name + "/vector_add").c_str()) == GPUOPT_OK);
    const gpuopt_stage add =
        gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, gpuopt_mat(p.on_y.data, 67, 300, GPUOPT_F32));
    gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
    f.x = gpuopt_mat(p.on_x.data, 67, 300, GPUOPT_F32);
    f.out = gpuopt_mat(p.out.data, 67, 300, GPUOPT_F32);
    f.stages = &add;
    f.stage_count = 1;
    const gpuopt_status s = gpuopt_fused_act(g.handle, &f);
    return std::to_string(s) + " " + last_error();
  };
  const std::string unsupported = std::to_string(GPUOPT_NOT_SUPPORTED) + " ";
  const std::string other = refusal("other_parameters", text);
  CHECK_MESSAGE(contains(other, unsupported), other);
  // A driver before 12.4 cannot tell.
  int driver = 0;
  GPUOPT_CUDA(cudaDriverGetVersion(&driver));
  if (driver >= 12040) CHECK_MESSAGE(contains(other, "of which argument 4 has 8 bytes and the parameter 4"), other);
  // The machine code is said to be of the device's architecture, and is not.
  cudaDeviceProp device;
  GPUOPT_CUDA(cudaGetDeviceProperties(&device, 0));
  const int cc = 10 * device.major + device.minor;
  if (cc == 90) return;
  std::string lie = file_text(folder / "whole.gpuopt");
  for (size_t at; (at = lie.find("image.ptx")) != std::string::npos;) lie.erase(at, lie.find("\n\n", at) - at);
  for (const char *key : {"image.sm_90 ", "sha256.sm_90 "})
    for (size_t at; (at = lie.find(key)) != std::string::npos;)
      lie.replace(at, std::string(key).size(),
                  std::string(key, std::strchr(key, '_') - key) + "_" + std::to_string(cc) + " ");
  const std::string refused = refusal("lies", lie);
  CHECK_MESSAGE(contains(refused, unsupported), refused);
  CHECK_MESSAGE(contains(refused, "the driver does not take the image"), refused);
}
