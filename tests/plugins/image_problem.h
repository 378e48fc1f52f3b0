// Kernels of image manifests without a GPU: a section's kernel, and a problem for it as the library builds it.
#pragma once
#include "decide.h"
#include "folder.h"
#include "images.h"
#include "support.h"

namespace gpuopt_test {

// The twins, loaded once as plugin:twins/<name>.
inline const gpuopt_kernel *twin_kernel(const std::string &name) {
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

inline gpuopt_fused_act_args add_args(int64_t rows, int64_t cols, const gpuopt_stage *stage) {
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

inline gpuopt_gemm_args product(int64_t m, int64_t n, int64_t k) {
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(nullptr, m, k, GPUOPT_F16);
  g.b = gpuopt_mat(nullptr, k, n, GPUOPT_F16);
  g.d = gpuopt_mat(nullptr, m, n, GPUOPT_F16);
  return g;
}

}  // namespace gpuopt_test
