// `gpuopt bench <op> ...`: every kernel that can run a problem, timed against the one that would be chosen.
#include <algorithm>
#include <cstdio>

#include "bench_timer.h"
#include "commands.h"
#include "numbers.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

constexpr int64_t kMost = int64_t(1) << 40, kMostRepeats = 1000000;

struct Able {
  const BenchOptions *options;
  std::vector<KernelTime> kernels;
  size_t rejected = 0;
};

void take_able(void *user, const gpuopt_candidate *c) {
  Able &able = *static_cast<Able *>(user);
  if (c->verdict == GPUOPT_VERDICT_REJECTED) {
    ++able.rejected;
    return;
  }
  const bool chosen = c->verdict == GPUOPT_VERDICT_CHOSEN;
  const gpuopt_kernel *single = gpuopt_kernel_find(c->kernel);  // nullptr: two steps
  if (!chosen &&
      !(single ? matches_kernel(able.options->kernel, *single) : matches_globs(able.options->kernel, c->kernel)))
    return;  // the chosen one is what all are compared with
  KernelTime k;
  k.kernel = c->kernel;
  k.chosen = chosen;
  able.kernels.push_back(k);
}

void print_table(const std::vector<KernelTime> &kernels, const BenchCall &call, bool on_device) {
  const bool flops = call.flops > 0;
  std::vector<std::string> head = {"kernel", "", on_device ? "S us" : "us", "p10", "p90"};
  if (on_device) head.push_back("G us");
  head.insert(head.end(), {flops ? "TFLOP/s" : "GB/s", "x chosen", "samples"});
  Table table(head);
  for (size_t c = 2; c < head.size(); ++c) table.align_right(c);
  double chosen_us = 0;
  for (const KernelTime &k : kernels)
    if (k.chosen) chosen_us = k.us;
  for (const KernelTime &k : kernels) {
    std::vector<std::string> row = {k.kernel, k.chosen ? "chosen" : ""};
    if (!k.failure.empty()) {
      row[1] = "failed: " + k.failure;
      table.add(row);
      continue;
    }
    const double us = k.graph_us > 0 ? k.graph_us : k.us;
    for (double x : {k.us, k.p10_us, k.p90_us}) row.push_back(formatted(x, "%.2f"));
    if (on_device) row.push_back(k.graph_us > 0 ? formatted(k.graph_us, "%.2f") : "-");
    row.push_back(flops ? formatted(call.flops / us * 1e-6, "%.4g")
                        : formatted(double(call.bytes) / us * 1e-3, "%.4g"));
    row.push_back(chosen_us > 0 ? formatted(chosen_us / k.us, "%.3f") : "-");
    row.push_back(std::to_string(k.samples));
    table.add(row);
  }
  table.print();
}

void print_times(const std::vector<KernelTime> &kernels, const BenchCall &call, const std::string &device,
                 const char *method) {
  std::printf("{\"device\": %s, \"method\": %s, \"flops\": %.6g, \"bytes\": %lld, \"kernels\": [",
              json_string(device).c_str(), json_string(method).c_str(), call.flops, static_cast<long long>(call.bytes));
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelTime &k = kernels[i];
    std::printf(
        "%s\n  {\"kernel\": %s, \"chosen\": %s, \"us\": %.6g, \"p10_us\": %.6g, \"p90_us\": %.6g, \"graph_us\": %.6g, "
        "\"samples\": %lld, \"failure\": %s}",
        i ? "," : "", json_string(k.kernel).c_str(), k.chosen ? "true" : "false", k.us, k.p10_us, k.p90_us, k.graph_us,
        static_cast<long long>(k.samples), json_string(k.failure).c_str());
  }
  std::printf("\n]}\n");
}

// The ordinal that a handle made with these options has; -2 for the CPU.
int32_t ordinal_of(int32_t device) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = device;
  gpuopt_handle *handle = nullptr;
  if (gpuopt_create(&handle, &o) != GPUOPT_OK) throw_last_error("gpuopt_create");
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  const gpuopt_status s = gpuopt_get_device(handle, &facts);
  gpuopt_destroy(handle);
  if (s != GPUOPT_OK) throw_last_error("gpuopt_get_device");
  return facts.ordinal;
}

int bench(const BenchOptions &o) {
  const int32_t device = ordinal_of(parse_device(o.device));
  std::unique_ptr<BenchTimer> timer = device >= 0 ? make_device_timer(o, device) : nullptr;
  const bool on_device = timer != nullptr;
  if (!timer) timer = make_host_timer(o, device);
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_get_device(timer->handle(), &facts);
  Able able;
  able.options = &o;
  const gpuopt_status s = gpuopt_explain(timer->handle(), timer->call().call.args(), nullptr, take_able, &able);
  if (s != GPUOPT_OK) {
    std::fprintf(stderr, "gpuopt bench: %s: %s\n", gpuopt_status_name(s), gpuopt_last_error());
    return s == GPUOPT_INVALID_ARGUMENT ? kUsage : kFailure;
  }
  timer->time(&able.kernels);
  std::stable_sort(able.kernels.begin(), able.kernels.end(), [](const KernelTime &a, const KernelTime &b) {
    return a.failure.empty() != b.failure.empty() ? a.failure.empty() : a.us < b.us;
  });
  if (o.json) {
    print_times(able.kernels, timer->call(), facts.name, timer->method());
  } else {
    std::printf("device: %s; %s; medians\n", facts.name, timer->method());
    print_table(able.kernels, timer->call(), on_device);
    if (able.rejected)
      std::printf("%zu more kernels cannot run this problem here: gpuopt explain says why\n", able.rejected);
  }
  for (const KernelTime &k : able.kernels)
    if (!k.failure.empty()) return kFailure;
  return kOk;
}

void add_common(CLI::App *verb, const std::shared_ptr<BenchOptions> &o, int32_t op, int *exit_code) {
  verb->add_option("--type", o->call.type, "Data type of the inputs (f32)");
  add_integer(verb, "--batch", &o->call.batch, 1, kMost, "Matrices in the batch");
  verb->add_option("--kernel", o->kernel, "Only kernels whose names match this glob, beside the chosen one");
  verb->add_option("--device", o->device, "auto, cpu, or a CUDA ordinal");
  add_integer(verb, "--repeat", &o->repeat, 1, kMostRepeats,
              "Samples of each kernel (as many as fit in about a second)");
  verb->add_flag("--json", o->json, "As JSON");
  verb->callback([o, op, exit_code] {
    o->call.op = op;
    *exit_code = bench(*o);
  });
}

void add_matrix(CLI::App *verb, const std::shared_ptr<BenchOptions> &o) {
  add_integer(verb, "--rows", &o->call.rows, 1, kMost, "Rows of the input")->required();
  add_integer(verb, "--cols", &o->call.cols, 1, kMost, "Columns of the input")->required();
  verb->add_option("--layout", o->call.layout, "row or col, of the input");
}

void add_stages(CLI::App *verb, const std::shared_ptr<BenchOptions> &o) {
  verb->add_option("--stage", o->call.stages, "One stage of the chain, in order, repeatable: " + stage_syntax());
}

}  // namespace

void add_bench(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<BenchOptions>();
  CLI::App *verb = app.add_subcommand("bench", "Every kernel that can run a problem, timed");
  verb->require_subcommand(1);

  CLI::App *gemm = verb->add_subcommand("gemm", "D = stages(A * B)");
  add_integer(gemm, "--m", &o->call.m, 1, kMost, "Rows of A and D")->required();
  add_integer(gemm, "--n", &o->call.n, 1, kMost, "Columns of B and D")->required();
  add_integer(gemm, "--k", &o->call.k, 1, kMost, "Columns of A, rows of B")->required();
  gemm->add_option("--d-type", o->call.d_type, "Data type of D (the table's for these inputs)");
  gemm->add_option("--compute", o->call.compute, "default, f32, tf32, f32_tensor, f64, i32, f16, f8_fast");
  gemm->add_option("--layout", o->call.layout, "nn, nt, tn, tt: n row-major, t the transposed view, of A and B");
  add_stages(gemm, o);
  add_common(gemm, o, GPUOPT_OP_GEMM, exit_code);

  CLI::App *transpose = verb->add_subcommand("transpose", "dst = transpose(src)");
  add_matrix(transpose, o);
  add_common(transpose, o, GPUOPT_OP_TRANSPOSE, exit_code);

  CLI::App *reduce = verb->add_subcommand("reduce", "One value per row, per column, or per matrix");
  add_matrix(reduce, o);
  reduce->add_option("--reduce", o->call.reduce, "sum, mean, min, max, prod, sumsq, nrm2, asum, argmin, argmax, dot");
  reduce->add_option("--axis", o->call.axis, "row, col, all");
  reduce->add_option("--out-type", o->call.out_type, "Data type of the result");
  add_common(reduce, o, GPUOPT_OP_REDUCE, exit_code);

  CLI::App *norm = verb->add_subcommand("norm", "out = stages(norm of each row)");
  add_matrix(norm, o);
  norm->add_option("--norm", o->call.norm, "layernorm, rmsnorm, softmax, log_softmax");
  norm->add_option("--out-type", o->call.out_type, "Data type of the result (the input's)");
  norm->add_flag("--weights", o->call.weights, "With gamma, and beta for layernorm");
  norm->add_flag("--residual", o->call.sum, "A residual is added and the sum written");
  add_common(norm, o, GPUOPT_OP_NORM, exit_code);

  CLI::App *fused_act = verb->add_subcommand("fused_act", "out = stages(x)");
  add_matrix(fused_act, o);
  fused_act->add_option("--out-type", o->call.out_type, "Data type of the output (that of the input)");
  add_stages(fused_act, o);
  add_common(fused_act, o, GPUOPT_OP_FUSED_ACT, exit_code);
}

}  // namespace gpuopt_cli
