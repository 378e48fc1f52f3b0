// Kernels that are images: which problems they take, without a GPU.
#include "image_problem.h"
#include "kernel_report.h"

using namespace gpuopt_test;

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

TEST_CASE("image kernel: grids above the limits of the device, without a value, or that clusters do not divide") {
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
  CHECK(reject("limit.cols = 9\ngrid = rows", 7, 9) == "");
  CHECK(reject("limit.cols = 8\ngrid = rows", 7, 9) == "SIZE_LIMIT: x.cols is 9, the limit is 8");
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
