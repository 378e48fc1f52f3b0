// Kernels that are images: which problems they take, what the driver is told, and what becomes of its refusals. The driver is
// a fake one; tests/gpu has the real one.
#include <cmath>

#include "decide.h"
#include "fake_driver.h"
#include "folder.h"
#include "images.h"
#include "kernel_report.h"
#include "plugins/loader.h"

using namespace gpuopt_test;

namespace {

// The twins, loaded once as plugin:twins/<name>.
const gpuopt_kernel *twin_kernel(const std::string &name) {
  static const std::string folder_of_all = [] {
    static const Folder folder;
    const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
    const Images images;
    for (const auto &file : images.files) folder.write(file.first, file.second);
    std::string text = "gpuopt = 1\nplugin = twins\n";
    for (const char *each : {"vector_add", "matmul", "bias_relu", "softmax", "layernorm"})
      text += "[" + std::string(each) + "]\nentry = run\n" + twin(each) + images.lines();
    const std::string path = folder.write("twins.gpuopt", text);
    REQUIRE_MESSAGE(gpuopt_load_plugin(path.c_str()) == GPUOPT_OK, last_error());
    return path;
  }();
  const gpuopt_kernel *k = gpuopt_kernel_find(("plugin:twins/" + name).c_str());
  REQUIRE(k != nullptr);
  return k;
}

// A kernel of a section alone, not registered.
struct Section {
  std::unique_ptr<gpuopt::Plugin> plugin;
  explicit Section(const std::string &text, const Images &images = Images())
      : plugin(read(manifest("k", text, images), images)) {
    for (const std::string &f : plugin->faults()) FAIL(f);
  }
  const gpuopt_kernel *kernel() const { return &plugin->kernels[0]->kernel; }
};

// A problem on a pretended device, as the library builds it, of any of the args structs.
struct Asked {
  gpuopt_device_facts facts;
  gpuopt_problem problem;
  template <class Args>
  Asked(const Args &args, const gpuopt_kernel *k, const char *device = "sm_80") : facts(pretend(device)) {
    const Handle h = cpu_handle();
    gpuopt::AnyArgs any;
    std::memcpy(static_cast<void *>(&any), &args, sizeof args);
    gpuopt_explain_options assumed = GPUOPT_EXPLAIN_OPTIONS_INIT;
    REQUIRE_MESSAGE(gpuopt::build_problem(h.get(), any, {"test", &assumed}, &problem) == GPUOPT_OK, last_error());
    problem.device = &facts;
    problem.space = GPUOPT_SPACE_DEVICE;
    problem.kernel = k;
    problem.workspace_limit = size_t{1} << 30;
  }
  // Why the kernel cannot run it; "" where it can.
  std::string reject() {
    gpuopt_reject r = {GPUOPT_REJECT_NONE, GPUOPT_OPERAND_NONE, 0, 0, nullptr};
    size_t scratch = 0, zeroed = 0;
    if (gpuopt::check_needs(*problem.kernel, problem, gpuopt::AskedOperands(problem), &r, &scratch, &zeroed)) return "";
    return gpuopt::reject_text(problem, problem, r);
  }
  // The status of prepare, or of prepare and launch, with the kernel's words.
  std::string words;
  gpuopt_status run(bool launches = true, void *scratch = nullptr) {
    char text[512] = "";
    gpuopt_launch l = {};
    l.struct_size = sizeof l;
    l.device = &facts;
    l.error = text;
    l.error_bytes = sizeof text;
    l.scratch = scratch;
    gpuopt_status s = problem.kernel->prepare(&problem, &l);
    if (s == GPUOPT_OK && launches) s = problem.kernel->launch(&problem, &l);
    words = text;
    return s;
  }
};

gpuopt_fused_act_args add_args(int64_t rows, int64_t cols, const gpuopt_stage *stage) {
  gpuopt_fused_act_args args = GPUOPT_FUSED_ACT_ARGS_INIT;
  args.x = gpuopt_mat(nullptr, rows, cols, GPUOPT_F32);
  args.out = args.x;
  args.stages = stage;
  args.stage_count = 1;
  return args;
}
// x + y of that shape.
struct Addition {
  gpuopt_stage stage;
  gpuopt_fused_act_args args;
  Addition(int64_t rows, int64_t cols)
      : stage(gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, gpuopt_mat(nullptr, rows, cols, GPUOPT_F32))),
        args(add_args(rows, cols, &stage)) {}
  Addition(const Addition &) = delete;
};

gpuopt_gemm_args product(int64_t m, int64_t n, int64_t k) {
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(nullptr, m, k, GPUOPT_F16);
  g.b = gpuopt_mat(nullptr, k, n, GPUOPT_F16);
  g.d = gpuopt_mat(nullptr, m, n, GPUOPT_F16);
  return g;
}

const std::vector<size_t> kAddParameters = {8, 8, 8, 4};

template <class T>
T parameter(void **params, size_t i) {
  T value;
  std::memcpy(&value, params[i], sizeof value);
  return value;
}

}  // namespace

TEST_CASE("image kernel: listed, explained on any device without a GPU, and checked by what it declares") {
  const gpuopt_kernel *k = twin_kernel("matmul");
  CHECK(contains(gpuopt_kernel_origin(k), "/twins.gpuopt"));
  const Handle h = cpu_handle();
  const gpuopt_gemm_args g = product(4096, 4096, 4096);
  const auto candidate = [&](const char *device) {
    const gpuopt_device_facts facts = pretend(device);
    gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
    o.pretend = &facts;
    Candidates seen;
    gpuopt_explain(h.get(), &g, &o, Candidates::add, &seen);
    REQUIRE(seen.find(k->name) != nullptr);
    return *seen.find(k->name);
  };
  CHECK(candidate("sm_80").verdict != GPUOPT_VERDICT_REJECTED);
  CHECK(candidate("sm_80").predicted_us == doctest::Approx(3 + 10 * 4096 * 20 / 1e3));
  CHECK(candidate("sm_90").verdict != GPUOPT_VERDICT_REJECTED);
  CHECK(candidate("sm_75").text == "ARCH: the device is sm_75, needs at least sm_80");
  CHECK(candidate("none").text == "NO_DEVICE: it needs a CUDA device and the handle has none");
  const gpuopt_check::Machine machine(GPUOPT_DEVICE_CPU);
  REQUIRE(machine.error() == "");
  for (const char *name : {"vector_add", "matmul", "bias_relu", "softmax", "layernorm"}) {
    CAPTURE(std::string(name));
    const gpuopt_check::KernelReport report = check_kernel(machine, *twin_kernel(name), {});
    for (const std::string &f : report.acceptance.failures) FAIL_CHECK(f);
    CHECK(report.acceptance.declared > 2);
    CHECK(!report.skipped.empty());
  }
}

TEST_CASE("image kernel: which image a device runs, and devices without one") {
  Images images;
  images.files["run90a.cubin"] = machine_code({"run"});
  const std::string lines =
      "image.sm_90a = run90a.cubin\nsha256.sm_90a = " + gpuopt::sha256_hex(images.files["run90a.cubin"]);
  std::string text = manifest("k", twin("vector_add"), images);
  const auto without_ptx = [&](std::string t) { return t.substr(0, t.find("image.ptx")); };
  const Addition add(3, 5);
  const auto reject = [&](const std::string &whole, const char *device) {
    const auto plugin = read(whole, images);
    REQUIRE(plugin->faults().empty());
    return Asked(add.args, &plugin->kernels[0]->kernel, device).reject();
  };
  for (const char *device : {"sm_80", "sm_86", "sm_90", "sm_120"}) CHECK(reject(text, device) == "");
  CHECK(contains(reject(text, "sm_75"), "needs at least sm_80"));
  text = without_ptx(text);
  CHECK(reject(text, "sm_89") == "");
  CHECK(contains(reject(text, "sm_90"), "needs at most sm_89"));
  text += lines + "\n";
  CHECK(reject(text, "sm_90") == "");
  CHECK(contains(reject(text, "sm_100"), "needs at most sm_90"));
  images.files["run.ptx"] = ptx("run", "sm_100");
  const std::string gap =
      text + "image.ptx = run.ptx\nsha256.ptx = " + gpuopt::sha256_hex(images.files["run.ptx"]) + "\n";
  CHECK(reject(gap, "sm_120") == "");
  images.files["run90a.cubin"] = machine_code({"run"});
  const std::string only_gap = without_ptx(manifest("k", twin("vector_add"), images)) +
                               "image.ptx = run.ptx\nsha256.ptx = " + gpuopt::sha256_hex(images.files["run.ptx"]) +
                               "\n";
  CHECK(reject(only_gap, "sm_90") == "ARCH: no image for sm_90 (sm_80, ptx_100)");
}

TEST_CASE("image kernel: needs that no field of a descriptor holds") {
  const gpuopt_kernel *k = twin_kernel("bias_relu");
  float memory[64] = {};
  gpuopt_stage stages[2] = {gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(memory, 1, 6, GPUOPT_F16)),
                            gpuopt_act(GPUOPT_STAGE_RELU, 0, 0)};
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = gpuopt_mat_ld(nullptr, 4, 6, 8, GPUOPT_F16);
  f.out = gpuopt_mat_ld(nullptr, 4, 6, 10, GPUOPT_F16);
  f.stages = stages;
  f.stage_count = 2;
  CHECK(Asked(f, k).reject() == "");
  stages[0].a = gpuopt_mat_ld(memory, 6, 1, 3, GPUOPT_F16);  // every third
  stages[0].a = gpuopt_t(gpuopt_t(stages[0].a));
  stages[0].a.rows = 1, stages[0].a.cols = 6, stages[0].a.layout = GPUOPT_COL;
  CHECK(Asked(f, k).reject() == "LAYOUT: stages[0].a.ld is 3, and only packed matrices are taken (1)");
  stages[0].a = gpuopt_mat(memory, 1, 6, GPUOPT_F16);
  f.x.layout = GPUOPT_COL;
  f.x.ld = 8;
  CHECK(contains(Asked(f, k).reject(), "LAYOUT: x.layout is col-major"));
  f.x.layout = GPUOPT_ROW;
  // Bases that a compiler took for multiples of 16.
  const Section aligned(std::string(twin("bias_relu")) + "align.stage0.a = 16\nalign.x = 16\n");
  CHECK(Asked(f, aligned.kernel()).reject() == "");
  stages[0].a.data = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(memory) / 16 * 16 + 2);
  CHECK(contains(Asked(f, aligned.kernel()).reject(), "ALIGN: stages[0].a.data is aligned to 2 bytes, needs 16"));
}

TEST_CASE("image kernel: grids above the device's limits, without a value, or that clusters do not divide") {
  const auto reject = [](const std::string &grid, int64_t rows, int64_t cols, const char *device = "sm_90") {
    std::string text = twin("vector_add");
    const std::string was = "grid = ceil_div(rows * cols, 1024)";
    text.replace(text.find(was), was.size(), grid);
    const Section section(text);
    const Addition add(rows, cols);
    return Asked(add.args, section.kernel(), device).reject();
  };
  CHECK(reject("grid = rows", 7, 9) == "");
  CHECK(reject("grid = rows * 1000000000", 7, 9) == "SIZE_LIMIT: grid.x is 7000000000, the limit is 2147483647");
  CHECK(reject("grid = 1, rows", 70000, 9) == "SIZE_LIMIT: grid.y is 70000, the limit is 65535");
  CHECK(reject("grid = 1, 1, 2 * rows", 70000, 9) == "SIZE_LIMIT: grid.z is 140000, the limit is 65535");
  CHECK(reject("grid = rows - cols", 7, 9) == "SIZE_LIMIT: grid.x is less than 1");
  CHECK(reject("grid = rows / (cols - 9)", 7, 9) == "SIZE_LIMIT: grid.x overflows or divides by zero");
  CHECK(reject("grid = rows * rows * 4000000000000000000", 7, 9) == "SIZE_LIMIT: grid.x overflows or divides by zero");
  CHECK(reject("cluster = 2\ngrid = rows", 8, 9) == "");
  CHECK(reject("cluster = 2\ngrid = rows", 7, 9) == "DIM_MULTIPLE: grid.x=7 is not a multiple of 2");
  CHECK(reject("cluster = 2\ngrid = rows", 8, 9, "sm_80") == "ARCH: the device is sm_80, needs for its clusters sm_90");
  CHECK(reject("shared = 200000\ngrid = rows", 8, 9) == "");
  CHECK(reject("shared = 200000\ngrid = rows", 8, 9, "sm_80") ==
        "SIZE_LIMIT: bytes of shared memory is 200000, the limit is 166912");
  CHECK(reject("understands = large\ngrid = rows", 65536, 65536) ==
        "SIZE_LIMIT: an argument of 32 bits is 4294967296, the limit is 2147483647");
  CHECK(reject("grid = rows", 65536, 65536) == "FEATURE: LARGE is not understood");
  // An empty output needs no grid.
  CHECK(reject("grid = rows", 0, 9) == "");
}

TEST_CASE("image kernel: workspace and time are expressions, and without a value never automatic") {
  std::string text = twin("vector_add");
  text.replace(text.find("out.ptr"), 7, "out.ptr, scratch.ptr, zeroed.ptr");
  const Section section(text + "workspace = rows * 100\nzeroed = cols / (rows - 3)\n");
  const Addition add(4, 5), none(3, 5);
  size_t scratch = 0, zeroed = 0;
  const Asked asked(add.args, section.kernel());
  section.kernel()->workspace(&asked.problem, &scratch, &zeroed);
  CHECK(scratch == 400);
  CHECK(zeroed == 5);
  CHECK(contains(Asked(none.args, section.kernel()).reject(), "WORKSPACE: needs "));
  CHECK(section.kernel()->predict_us(&asked.problem) == doctest::Approx(2.0));
  std::string timeless = twin("vector_add");
  timeless.replace(timeless.find("time_ns = 2000"), 14, "time_ns = 2000 / (rows - 4)");
  const Section never(timeless);
  const Asked again(add.args, never.kernel());
  CHECK(never.kernel()->predict_us(&again.problem) == 0);
}

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

TEST_CASE("image kernel: what the driver refuses is told, and the next best kernel may take its place") {
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
TEST_CASE("image kernel: a whole call computes, is forced, chosen, counted and logged, and a refusal falls back") {
  FakeDriver fake;
  twin_kernel("softmax");
  const Handle h = cpu_handle();
  const gpuopt_device_facts cpu = h->facts;
  h->facts = pretend("sm_80");
  h->cuda = true;
  h->space = GPUOPT_SPACE_DEVICE;
  LogLines log;
  gpuopt_set_log(h.get(), LogLines::add, &log);
  gpuopt_set_verbose(h.get(), "exec");
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
  REQUIRE(gpuopt_set_kernel(h.get(), "plugin:twins/softmax") == GPUOPT_OK);
  CHECK_MESSAGE(gpuopt_norm(h.get(), &n) == GPUOPT_OK, last_error());
  CHECK(out[0] == doctest::Approx(1.0 / 3));
  CHECK(out[5] == doctest::Approx(0.66524096));
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(h.get(), &info);
  CHECK(std::string(info.kernel) == "plugin:twins/softmax");
  CHECK(contains(log.lines.back(), "gpuopt,v1,exec,norm,plugin:twins/softmax,cuda0:sm_80,"));
  fake.launch = 701;
  CHECK(gpuopt_norm(h.get(), &n) == GPUOPT_CUDA_ERROR);
  CHECK_MESSAGE(contains(last_error(), "gpuopt_norm: plugin:twins/softmax: cuLaunchKernelEx of run: "), last_error());
  h->cuda = false;
  h->facts = cpu;
}
#endif
