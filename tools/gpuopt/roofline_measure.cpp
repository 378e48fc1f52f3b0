#include "roofline_measure.h"

#include <algorithm>
#include <stdexcept>

#include "explain.h"
#include "forced_time.h"
#include "gpuopt_call/text.h"
#include "gpuopt_call/work.h"
#include "gpuopt_roofline/cpu_rates.h"
#include "gpuopt_roofline/intensity.h"
#include "ncu_count.h"
#include "numbers.h"
#include "progress.h"
#include "text.h"
#include "verdicts.h"

namespace gpuopt_cli {
namespace {

using gpuopt_roofline::Ceiling;
using gpuopt_roofline::Point;
using gpuopt_roofline::Roofline;

constexpr double kSeconds = 0.15;  // of each kernel

struct Wanted {
  const char *label, *mark, *kernel, *problem;
};

// A1, A2 and A3 are the points of text 003: near the slope, far below it, near the roof.
constexpr const char kSquare[] = "gemm a=4096x4096:f32 b=4096x4096:f32 d=4096x4096:f32";
constexpr Wanted kOfGpu[] = {
    {"relu", "A1", "", "fused_act x=16384x8192:f32 out=16384x8192:f32 stage=RELU"},
    {"naive", "A2", "gemm_naive", kSquare},
    {"f32 product", "A3", "", "gemm compute=f32 a=8192x8192:f32 b=8192x8192:f32 d=8192x8192:f32"},
    {"uncoalesced", "", "gemm_uncoalesced", "gemm a=2048x2048:f32 b=2048x2048:f32 d=2048x2048:f32"},
    {"tiled 16", "", "gemm_tiled_16", kSquare},
    {"tiled 32", "", "gemm_tiled_32", kSquare},
    {"tiled 64", "", "gemm_tiled_64", kSquare},
    {"8 x 4 sums", "", "gemm_regblock_8x4", kSquare},
    {"8 x 8 sums", "", "gemm_regblock_8x8", kSquare},
    {"vectors", "", "gemm_vec4", kSquare},
    {"sum", "", "", "reduce reduce=SUM axis=all x=8192x8192:f32 out=1x1:f32"},
    {"layer norm", "", "", "norm norm=LAYERNORM x=8192x4096:bf16 out=8192x4096:bf16"},
    {"tf32 product", "", "", "gemm compute=tf32 a=4096x4096:f32 b=4096x4096:f32 d=4096x4096:f32"},
    {"bf16 product", "", "", "gemm a=4096x4096:bf16 b=4096x4096:bf16 d=4096x4096:bf16"},
    {"bf16, 16 rows", "", "", "gemm a=16x8192:bf16 b=8192x8192:bf16:col d=16x8192:bf16"},
};
constexpr Wanted kOfCpu[] = {
    {"relu", "A1", "", "fused_act x=4096x4096:f32 out=4096x4096:f32 stage=RELU"},
    {"reference", "A2", "gemm_cpu_reference", "gemm a=256x256:f32 b=256x256:f32 d=256x256:f32"},
    {"f32 product", "A3", "", "gemm a=1024x1024:f32 b=1024x1024:f32 d=1024x1024:f32"},
    {"f64 product", "", "", "gemm a=512x512:f64 b=512x512:f64 d=512x512:f64"},
    {"sum", "", "", "reduce reduce=SUM axis=all x=4096x4096:f32 out=1x1:f32"},
    {"layer norm", "", "", "norm norm=LAYERNORM x=2048x4096:f32 out=2048x4096:f32"},
};

// What tensor cores reach is known of products only: the best one of each type, on data as it comes.
constexpr Wanted kTensor[] = {
    {"tf32 tensor", "", "", "gemm compute=tf32 a=8192x8192:f32 b=8192x8192:f32 d=8192x8192:f32"},
    {"f16 tensor", "", "", "gemm a=8192x8192:f16 b=8192x8192:f16 d=8192x8192:f16"},
    {"bf16 tensor", "", "", "gemm a=8192x8192:bf16 b=8192x8192:bf16 d=8192x8192:bf16"},
    {"e4m3 tensor", "", "", "gemm a=8192x8192:e4m3 b=8192x8192:e4m3:col d=8192x8192:bf16"},
    {"i8 tensor", "", "", "gemm a=8192x8192:i8 b=8192x8192:i8:col d=8192x8192:i32"},
    {"f64 tensor", "", "", "gemm a=4096x4096:f64 b=4096x4096:f64 d=4096x4096:f64"},
};

// A product's; of others what a reader would count an element: a stage one, a sum one, a norm's mean, squares and scaling six.
double work_of(const gpuopt_call::Call &call) {
  const double product = gpuopt_call::flops_of(call);
  if (product > 0) return product;
  const auto elements = [&](const gpuopt_matrix &m) {
    return static_cast<double>(m.rows) * static_cast<double>(m.cols) * static_cast<double>(call.batch());
  };
  switch (call.op()) {
    case GPUOPT_OP_REDUCE:
      return elements(call.reduce.x);
    case GPUOPT_OP_FUSED_ACT:
      return elements(call.fused_act.x) * static_cast<double>(call.stages.size());
    case GPUOPT_OP_NORM:
      return 6 * elements(call.norm.x);
    default:
      return 0;
  }
}

std::string roof_of(const gpuopt_call::Call &call, bool cpu) {
  const bool grouped = call.op() == GPUOPT_OP_GEMM_GROUPED;
  if (call.op() != GPUOPT_OP_GEMM && !grouped) return "fp32 FMA";
  const gpuopt_dtype a = grouped ? call.gemm_grouped.a.dtype : call.gemm.a.dtype;
  const int32_t compute = grouped ? call.gemm_grouped.compute : call.gemm.compute;
  if (cpu) return a == GPUOPT_F64 ? "fp64 FMA" : "fp32 FMA";
  if (a == GPUOPT_F64) return "f64 tensor";
  if (a == GPUOPT_F32) return compute == GPUOPT_COMPUTE_TF32 ? "tf32 tensor" : "fp32 FMA";
  return lowered(gpuopt_dtype_name(a)) + " tensor";
}

class Machine {
 public:
  Machine(std::string device, int32_t ordinal, bool ncu, Progress *progress)
      : device_(std::move(device)), ordinal_(ordinal), ncu_(ncu, facts(), device_), progress_(*progress) {
    roofline_.device = facts().name;
  }

  void measure_ceilings() {
    progress_.show("ceilings of " + roofline_.device);
    if (on_cpu()) {
      roofline_.ceilings = gpuopt_roofline::measure_cpu(facts().cpu_threads, 0.2);
      return;
    }
    roofline_.ceilings = device_ceilings(ordinal_);
    if (roofline_.ceilings.empty())
      roofline_.note =
          "This build has no timer of the device (GPUOPT_BUILD_BENCH), so memories and CUDA cores are not measured. ";
    for (const Wanted &w : kTensor) {
      const gpuopt_call::Call call = gpuopt_call::read_call(w.problem);
      std::string why;
      const std::string kernel = kernel_for(call, "", device_, &why);
      progress_.show(std::string(w.label) + ", " + kernel);
      const double us = kernel.empty() ? 0 : timed_us(call, kernel);
      if (us > 0) roofline_.ceilings.push_back({w.label, true, gpuopt_call::flops_of(call) / us * 1e-3, kernel});
    }
  }

  void add(const Wanted &w) {
    const gpuopt_call::Call call = gpuopt_call::read_call(w.problem);
    std::string why;
    const std::string kernel = kernel_for(call, w.kernel, device_, &why);
    if (kernel.empty()) {
      roofline_.note += std::string(w.label) + " is left out: " + why + ". ";
      return;
    }
    add(w.label, w.mark, w.problem, call, kernel);
  }

  // Every kernel that can run the call and that the globs match.
  void add_kernels(const std::string &problem, const std::string &globs) {
    const gpuopt_call::Call call = gpuopt_call::read_call(problem);
    ExplainOptions e;
    e.device = device_;
    Explainer explainer(e);
    Verdicts verdicts;
    explainer.explain(call, Verdicts::take, &verdicts);
    verdicts.sort();
    for (const Verdict *v : verdicts.accepted()) {
      const bool wanted = globs.empty() ? v->verdict == GPUOPT_VERDICT_CHOSEN : matches_name(globs, v->kernel);
      if (wanted) add(v->kernel, "", problem, call, v->kernel);
    }
    if (roofline_.points.empty()) roofline_.note += "No kernel that was asked for can run the problem here. ";
  }

  bool on_cpu() const { return ordinal_ < 0; }
  Roofline &&take() {
    if (!on_cpu() && !ncu_.note().empty()) roofline_.note += "Traffic is not counted: " + ncu_.note() + ". ";
    return std::move(roofline_);
  }

 private:
  gpuopt_device_facts facts() const {
    ExplainOptions e;
    e.device = device_;
    return Explainer(e).facts();
  }

  double timed_us(const gpuopt_call::Call &call, const std::string &kernel) {
    try {
      const std::vector<KernelTime> times = time_kernels(call, {kernel}, {ordinal_, kSeconds, "normal", true});
      if (!times[0].failure.empty()) roofline_.note += kernel + " failed: " + times[0].failure + ". ";
      return us_of(times[0]);
    } catch (const std::runtime_error &bad) {
      roofline_.note += kernel + " was not timed: " + bad.what() + ". ";
      return 0;
    }
  }

  void add(const std::string &label, const std::string &mark, const std::string &problem, gpuopt_call::Call call,
           const std::string &kernel) {
    Point p;
    p.label = label;
    p.mark = mark;
    p.kernel = kernel;
    p.problem = problem;
    p.roof = roof_of(call, on_cpu());
    const double flops = work_of(call);
    p.intensity = flops / static_cast<double>(std::max<int64_t>(gpuopt_call::touched_bytes(&call), 1));
    progress_.show(label + ", " + kernel);
    p.us = timed_us(call, kernel);
    if (p.us <= 0) return;
    p.gflops = flops / p.us * 1e-3;
    p.predicted = gpuopt_roofline::rung_intensity(kernel);
    if (p.predicted > 0) {
      const double bytes = ncu_.count(gpuopt_lab::Metric::l2_bytes, problem, kernel, "normal");
      if (bytes > 0) p.counted = flops / bytes;
    }
    roofline_.points.push_back(p);
  }

  std::string device_;
  int32_t ordinal_;
  NcuCounter ncu_;
  Progress &progress_;
  Roofline roofline_;
};

}  // namespace

std::vector<Roofline> measure_rooflines(const RooflineOptions &o) {
  const int32_t ordinal = ordinal_of(parse_device(o.device));
  std::vector<Roofline> all;
  Progress progress("roofline");
  const auto measure = [&](Machine machine, const auto &wanted) {
    machine.measure_ceilings();
    if (!o.problem.empty()) {
      machine.add_kernels(o.problem, o.kernel);
    } else {
      for (const Wanted &w : wanted)
        if (o.kernel.empty() || matches_name(o.kernel, w.kernel)) machine.add(w);
    }
    all.push_back(machine.take());
  };
  if (ordinal >= 0) measure(Machine(o.device, ordinal, o.ncu, &progress), kOfGpu);
  measure(Machine("cpu", GPUOPT_DEVICE_CPU, false, &progress), kOfCpu);
  if (ordinal < 0 && o.device != "cpu")
    all[0].note += "There is no GPU that can be used, so this is the CPU's roofline alone. ";
  return all;
}

}  // namespace gpuopt_cli
