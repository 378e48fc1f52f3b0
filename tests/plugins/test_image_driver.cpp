// Kernels that are images, launched: what the driver is told, and what becomes of its refusals. The driver is a fake one;
// tests/gpu has the real one.
#include <cmath>

#include "fake_driver.h"
#include "image_problem.h"

using namespace gpuopt_test;

namespace {

const std::vector<size_t> kAddParameters = {8, 8, 8, 4};

template <class T>
T parameter(void **params, size_t i) {
  T value;
  std::memcpy(&value, params[i], sizeof value);
  return value;
}

}  // namespace

TEST_CASE("image kernel: the entry gets its arguments in order, and its grid, blocks, clusters and shared memory") {
  FakeDriver fake;
  std::string text = twin("matmul");
  text.replace(text.find("block = 256"), 11, "block = 32, 4, 2\ncluster = 2, 1");
  const Section section(text);
  void *at[4];  // nothing is there, and nothing looks
  for (uintptr_t i = 0; i < 4; ++i) at[i] = reinterpret_cast<void *>((i + 1) << 28);
  gpuopt_gemm_args g = product(256, 384, 64);
  g.a.data = at[0];
  g.b = gpuopt_t(gpuopt_mat_ld(at[1], 384, 64, 72, GPUOPT_F16));  // column-major
  g.c = gpuopt_mat_ld(at[2], 256, 384, 400, GPUOPT_F16);
  g.d.data = at[3];
  g.alpha = 2.5;
  g.beta = -0.5;
  g.batch = 3;
  Asked asked(g, section.kernel(), "sm_90");
  CHECK(asked.reject() == "");
  fake.parameters = {8, 8, 8, 8, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 4, 4, 8, 8};
  fake.static_shared = 1024;
  fake.run = [&](void **p) {
    for (size_t i = 0; i < 4; ++i) CHECK(parameter<void *>(p, i) == at[i]);
    const int32_t extents[] = {256, 384, 64};
    for (size_t i = 0; i < 3; ++i) CHECK(parameter<int32_t>(p, 4 + i) == extents[i]);
    const int64_t strides[] = {64, 1, 256 * 64, 1, 72, 384 * 72, 400, 256 * 400, 384, 256 * 384};
    for (size_t i = 0; i < 10; ++i) CHECK(parameter<int64_t>(p, 7 + i) == strides[i]);
    CHECK(parameter<float>(p, 17) == 2.5f);
    CHECK(parameter<float>(p, 18) == -0.5f);
    CHECK(parameter<void *>(p, 19) == nullptr);
    CHECK(parameter<void *>(p, 20) == nullptr);
  };
  CHECK_MESSAGE(asked.run() == GPUOPT_OK, asked.words);
  CHECK(fake.launches == 1);
  CHECK(fake.entry == "run");
  CHECK(fake.code == "//\n.");  // of sm_90 the PTX, which is newer than sm_80's code
  CHECK((fake.config.grid[0] == 6 && fake.config.grid[1] == 1 && fake.config.grid[2] == 3));
  CHECK((fake.config.block[0] == 32 && fake.config.block[1] == 4 && fake.config.block[2] == 2));
  CHECK((fake.cluster[0] == 2 && fake.cluster[1] == 1 && fake.cluster[2] == 1));
  CHECK(fake.config.shared_bytes == 98304);
  CHECK(fake.shared_allowed == 98304);
  // Once for all problems of a device.
  Asked again(g, section.kernel(), "sm_90");
  CHECK(again.run() == GPUOPT_OK);
  CHECK(fake.loads == 1);
  CHECK(fake.launches == 2);
}

TEST_CASE("image kernel: what the driver refuses is told with its words") {
  const Addition add(3, 5);
  const auto refused = [&](auto change, gpuopt_status status, const char *words) {
    const Section section(twin("vector_add"));
    FakeDriver fake;
    fake.parameters = kAddParameters;
    change(fake);
    Asked asked(add.args, section.kernel());
    CHECK(asked.run() == status);
    CHECK_MESSAGE(contains(asked.words, words), asked.words);
    CHECK(fake.launches == (fake.launch != 0 ? 1 : 0));
  };
  const auto nothing = [](FakeDriver &) {};
  {
    const Section section(twin("vector_add"));
    FakeDriver fake;
    fake.parameters = kAddParameters;
    nothing(fake);
    CHECK(Asked(add.args, section.kernel()).run() == GPUOPT_OK);
  }
  refused([](FakeDriver &f) { f.load = driver::kInvalidImage; }, GPUOPT_NOT_SUPPORTED,
          "the driver does not take the image sm_80: CUDA_ERROR_INVALID_IMAGE (200)");
  refused([](FakeDriver &f) { f.load = driver::kNoBinaryForGpu; }, GPUOPT_NOT_SUPPORTED,
          "CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
  refused([](FakeDriver &f) { f.load = driver::kOutOfMemory; }, GPUOPT_OUT_OF_MEMORY,
          "the driver does not take the image");
  refused([](FakeDriver &f) { f.load = 700; }, GPUOPT_CUDA_ERROR, "CUDA_ERROR_OF_A_TEST (700)");
  refused([](FakeDriver &f) { f.get_kernel = driver::kNotFound; }, GPUOPT_NOT_SUPPORTED,
          "the image sm_80 has no entry run");
  refused([](FakeDriver &f) { f.device = 101; }, GPUOPT_CUDA_ERROR, "the driver cannot load run");
  refused([](FakeDriver &f) { f.get_attribute = driver::kNoBinaryForGpu; }, GPUOPT_NOT_SUPPORTED,
          "the driver cannot load run");
  refused([](FakeDriver &f) { f.most_threads = 64; }, GPUOPT_NOT_SUPPORTED,
          "the manifest has blocks of 128 threads, run allows 64");
  refused([](FakeDriver &f) { f.static_shared = 200000; }, GPUOPT_NOT_SUPPORTED,
          "run needs 200000 bytes of shared memory, the device has 166912");
  refused([](FakeDriver &f) { f.static_shared = 100000, f.set_attribute = 1; }, GPUOPT_CUDA_ERROR,
          "the driver does not allow 0 bytes of shared memory");
  refused([](FakeDriver &f) { f.launch = 701; }, GPUOPT_CUDA_ERROR,
          "cuLaunchKernelEx of run: CUDA_ERROR_OF_A_TEST (701)");
  // An entry with other parameters.
  refused(
      [](FakeDriver &f) {
        f.parameters = {8, 8, 8};
      },
      GPUOPT_NOT_SUPPORTED, "the manifest gives run 4 arguments, it has only 3 parameters");
  refused([](FakeDriver &f) { f.parameters = {8, 8, 8, 4, 8, 8}; }, GPUOPT_NOT_SUPPORTED,
          "the manifest gives run 4 arguments, it has more parameters");
  refused(
      [](FakeDriver &f) {
        f.parameters = {8, 8, 8, 8};
      },
      GPUOPT_NOT_SUPPORTED, "of which argument 4 has 4 bytes and the parameter 8");
  const Section section(twin("vector_add"));
  FakeDriver older;  // one that cannot tell
  older.without_parameter_info();
  CHECK(Asked(add.args, section.kernel()).run() == GPUOPT_OK);
  // What was refused stays so, and is not loaded again and again.
  const Section other(twin("vector_add"));
  FakeDriver fake;
  fake.parameters = {8};
  for (int i = 0; i < 3; ++i) CHECK(Asked(add.args, other.kernel()).run() == GPUOPT_NOT_SUPPORTED);
  CHECK(fake.loads == 1);
}

TEST_CASE("image kernel: PTX that the driver does not compile is told with its log") {
  const Addition add(3, 5);
  const Section section(twin("vector_add"));
  FakeDriver fake;
  fake.parameters = kAddParameters;
  fake.load = driver::kInvalidPtx;
  fake.jit_log = "ptxas application ptx input, line 7; fatal";
  Asked asked(add.args, section.kernel(), "sm_90");
  CHECK(asked.run() == GPUOPT_NOT_SUPPORTED);
  CHECK_MESSAGE(contains(asked.words, "the driver does not take the image ptx_80: ptxas application ptx input, line 7"),
                asked.words);
}

#if !GPUOPT_TEST_HAVE_CUDA
TEST_CASE("image kernel: without a driver it is refused with what is missing") {
  const Addition add(3, 5);
  const Section section(twin("vector_add"));
  Asked asked(add.args, section.kernel());
  CHECK(asked.run() == GPUOPT_NOT_SUPPORTED);
  CHECK(asked.words == "the CUDA driver has no cuLibraryLoadData: images need driver 12.0 or newer");
}

// A handle that believes to have a GPU, in a build that never asks one: the whole call, the driver apart.
struct Pretender {
  const Handle h = cpu_handle();
  const gpuopt_device_facts cpu = h->facts;
  LogLines log;
  Pretender() {
    h->facts = pretend("sm_80");
    h->cuda = true;
    h->space = GPUOPT_SPACE_DEVICE;
    gpuopt_set_log(h.get(), LogLines::add, &log);
    gpuopt_set_verbose(h.get(), "exec");
  }
  Pretender(const Pretender &) = delete;
  ~Pretender() {
    h->cuda = false;
    h->facts = cpu;
  }
  std::string last_kernel() const {
    gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
    gpuopt_last_kernel(h.get(), &info);
    return info.kernel;
  }
};

TEST_CASE("image kernel: a whole call computes, is forced and logged, and its failure is told") {
  FakeDriver fake;
  twin_kernel("softmax");
  const Pretender gpu;
  gpuopt_handle *const h = gpu.h.get();
  float x[6] = {0, 0, 0, 1, 2, 3}, out[6] = {};
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.norm = GPUOPT_NORM_SOFTMAX;
  n.x = gpuopt_mat(x, 2, 3, GPUOPT_F32);
  n.out = gpuopt_mat(out, 2, 3, GPUOPT_F32);
  fake.parameters = {8, 8, 4, 8, 8};
  fake.run = [&](void **p) {
    const auto *from = parameter<const float *>(p, 0);
    auto *to = parameter<float *>(p, 1);
    const int32_t cols = parameter<int32_t>(p, 2);
    for (uint32_t row = 0; row < fake.config.grid[0]; ++row) {
      float sum = 0;
      for (int32_t j = 0; j < cols; ++j) sum += std::exp(from[row * parameter<int64_t>(p, 3) + j]);
      for (int32_t j = 0; j < cols; ++j)
        to[row * parameter<int64_t>(p, 4) + j] = std::exp(from[row * parameter<int64_t>(p, 3) + j]) / sum;
    }
  };
  REQUIRE(gpuopt_set_kernel(h, "plugin:twins/softmax") == GPUOPT_OK);
  CHECK_MESSAGE(gpuopt_norm(h, &n) == GPUOPT_OK, last_error());
  CHECK(out[0] == doctest::Approx(1.0 / 3));
  CHECK(out[5] == doctest::Approx(0.66524096));
  CHECK(gpu.last_kernel() == "plugin:twins/softmax");
  CHECK(contains(gpu.log.lines.back(), "plugin:twins/softmax,cuda0:sm_80,"));
  fake.launch = 701;
  CHECK(gpuopt_norm(h, &n) == GPUOPT_CUDA_ERROR);
  CHECK_MESSAGE(contains(last_error(), "gpuopt_norm: plugin:twins/softmax: cuLaunchKernelEx of run: "), last_error());
}

TEST_CASE("image kernel: the next best takes the place of one that the driver refuses, a forced one has none") {
  FakeDriver fake;
  const Folder folder;
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
  const Images images;
  for (const auto &file : images.files) folder.write(file.first, file.second);
  // The first would be chosen, and its entry has a parameter more than the manifest says.
  std::string first = twin("vector_add"), second = first;
  first.replace(first.find("2000 + "), 7, "1 + ");
  second.replace(second.find("2000 + "), 7, "2 + ");
  second.replace(second.find("cols:i32\n"), 9, "cols:i32, null\n");
  const std::string path = folder.write("rivals.gpuopt", "gpuopt = 1\n[first]\nentry = run\n" + first + images.lines() +
                                                             "[second]\nentry = run\n" + second + images.lines());
  REQUIRE_MESSAGE(gpuopt_load_plugin(path.c_str()) == GPUOPT_OK, last_error());
  fake.parameters = {8, 8, 8, 4, 8};
  const Pretender gpu;
  gpuopt_handle *const h = gpu.h.get();
  gpuopt_set_verbose(h, "dispatch");
  float x[15] = {}, y[15] = {}, out[15] = {};
  Addition add(3, 5);
  add.args.x.data = x;
  add.args.out.data = out;
  add.stage.a.data = y;
  CHECK_MESSAGE(gpuopt_fused_act(h, &add.args) == GPUOPT_OK, last_error());
  CHECK(gpu.last_kernel() == "plugin:rivals/second");
  CHECK(fake.launches == 1);
  bool told = false;
  for (const std::string &line : gpu.log.lines)
    told = told || (contains(line, "plugin:rivals/first") && contains(line, "it has more parameters"));
  CHECK(told);
  REQUIRE(gpuopt_set_kernel(h, "plugin:rivals/first") == GPUOPT_OK);
  CHECK(gpuopt_fused_act(h, &add.args) == GPUOPT_NOT_SUPPORTED);
  CHECK_MESSAGE(contains(last_error(), "it has more parameters"), last_error());
}
#endif
