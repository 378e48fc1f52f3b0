#include "representative.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>

#include "../core/explain_on.h"
#include "gpuopt_call/text.h"
#include "problems.h"

namespace gpuopt_bench {
namespace {

constexpr double kLeastShare = 0.5;  // below it a kernel's best problem says nothing about what it is for
constexpr double kBetter = 1.1;      // a later problem must be better by more than this
constexpr double kMostShare = 1.25;  // further ahead of the others is no more typical

using Groups = std::vector<std::vector<std::string>>;  // a group: the problems of one set of types
using Kernels = std::vector<const gpuopt_kernel *>;

Kernels gpu_kernels(int32_t op) {
  Kernels all;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel *k = gpuopt_kernel_get(i);
    if (k->op == op && !(k->flags & GPUOPT_KERNEL_HOST)) all.push_back(k);
  }
  return all;
}

int rank(gpuopt_dtype type) {
  constexpr gpuopt_dtype kUsual[] = {GPUOPT_F32, GPUOPT_BF16, GPUOPT_F16, GPUOPT_F64};
  return static_cast<int>(std::find(std::begin(kUsual), std::end(kUsual), type) - std::begin(kUsual));
}

// What signatures say of their first operand's type, the usual ones first; one of each size where only that matters.
std::vector<gpuopt_dtype> first_types(const Kernels &kernels, bool one_a_size) {
  std::vector<gpuopt_dtype> types;
  for (const gpuopt_kernel *k : kernels)
    for (size_t i = 0; i < k->signature_count; ++i) {
      const int32_t type = k->signatures[i].dtype[0];
      types.push_back(type == GPUOPT_ANY ? GPUOPT_F32 : type);
    }
  std::stable_sort(types.begin(), types.end(), [](auto a, auto b) { return rank(a) < rank(b); });
  std::vector<gpuopt_dtype> kept;
  for (gpuopt_dtype type : types)
    if (std::none_of(kept.begin(), kept.end(), [&](gpuopt_dtype k) {
          return k == type || (one_a_size && gpuopt_dtype_size(k) == gpuopt_dtype_size(type));
        }))
      kept.push_back(type);
  return kept;
}

// cuBLAS, the peer, takes one-byte types in this layout alone.
std::vector<const char *> layouts_of(gpuopt_dtype type) {
  return gpuopt_dtype_size(type) == 1 ? std::vector<const char *>{"nt"} : std::vector<const char *>{"nn", "nt", "tn"};
}

Groups gemm_problems() {
  Groups all;
  constexpr int64_t kExtents[][3] = {
      {4096, 4096, 4096}, {4097, 4099, 4101}, {1024, 1024, 1024}, {1001, 1001, 1001},
      {9477, 1152, 588},  {512, 512, 512},    {128, 128, 128},    {64, 64, 64},
      {128, 4096, 4096},  {64, 4096, 4096},   {16, 4096, 4096},   {4096, 16, 4096},
      {128, 128, 1024},   {256, 256, 4096},   {1, 4096, 4096},    {4096, 1, 4096},
  };
  std::vector<GemmShape> types;
  for (const gpuopt_kernel *k : gpu_kernels(GPUOPT_OP_GEMM))
    for (size_t i = 0; i < k->signature_count; ++i) {
      const gpuopt_signature &s = k->signatures[i];
      GemmShape g = {};
      g.type = s.dtype[0] == GPUOPT_ANY ? GPUOPT_F32 : s.dtype[0];
      g.b_type = s.dtype[1] == GPUOPT_ANY || s.dtype[1] == g.type ? 0 : s.dtype[1];
      g.d_type = s.dtype[3] == GPUOPT_ANY ? usual_output(g.type) : s.dtype[3];
      g.compute = s.compute == GPUOPT_ANY ? usual_compute(g.type) : s.compute;
      types.push_back(g);
    }
  const auto unusual = [](const GemmShape &g) {
    return (g.d_type != usual_output(g.type)) + (g.compute != usual_compute(g.type)) + (g.b_type != 0);
  };
  std::stable_sort(types.begin(), types.end(), [&](const GemmShape &a, const GemmShape &b) {
    return unusual(a) != unusual(b) ? unusual(a) < unusual(b) : rank(a.type) < rank(b.type);
  });
  for (GemmShape g : types) {
    std::vector<std::string> group;
    for (const auto &e : kExtents)
      for (const char *layout : layouts_of(g.type)) {
        g.m = e[0], g.n = e[1], g.k = e[2], g.layout = layout;
        group.push_back("gemm " + text_of(g));
      }
    if (std::find(all.begin(), all.end(), group) == all.end()) all.push_back(std::move(group));
  }
  return all;
}

Groups transpose_problems() {
  Groups all;
  for (gpuopt_dtype type : first_types(gpu_kernels(GPUOPT_OP_TRANSPOSE), true)) {
    all.emplace_back();
    for (const char *extents : {"8192x8192", "4097x4099", "1024x1024", "256x256", "4194304x3", "3x4194304",
                                "1048576x64", "64x1048576", "512x512x64", "16x16x65536", "3x3x1048576"})
      all.back().push_back(std::string("transpose ") + extents + ":" + gpuopt_dtype_name(type));
    all.back().push_back(std::string("transpose 8192x8192:") + gpuopt_dtype_name(type) + ":in_place");
  }
  return all;
}

Groups reduce_problems() {
  Groups all;
  struct Axis {
    const char *name;
    int32_t axis;
    std::vector<const char *> extents;
  };
  const Axis axes[] = {{"all", GPUOPT_ALL, {"1x268435456", "1x16777216", "1x1048576", "1x65536", "4097x4099"}},
                       {"row",
                        GPUOPT_EACH_ROW,
                        {"8192x8192", "4097x4099", "65536x1024", "1048576x64", "1048576x63", "4194304x16", "64x1048576",
                         "8x8388608", "32x4096", "16x65536", "1x65536", "1x1024"}},
                       {"col", GPUOPT_EACH_COL, {"8192x8192", "4097x4099", "1048576x64", "64x1048576", "1024x1024"}}};
  uint32_t variants = 0, declared = 0;
  const Kernels kernels = gpu_kernels(GPUOPT_OP_REDUCE);
  for (const gpuopt_kernel *k : kernels) variants |= k->variants, declared |= k->axes;
  for (int32_t v = 0; v < 32; ++v) {
    if (!(variants >> v & 1) || v == GPUOPT_REDUCE_DOT) continue;
    for (gpuopt_dtype type : first_types(kernels, false)) {
      all.emplace_back();
      for (const Axis &axis : axes)
        for (const char *extents : axis.extents)
          if (declared >> axis.axis & 1)
            all.back().push_back(std::string("reduce ") + extents + ":" + gpuopt_dtype_name(type) + ":" +
                                 gpuopt_reduce_name(v) + ":" + axis.name);
    }
  }
  return all;
}

Groups fused_problems() {
  Groups all;
  const Kernels kernels = gpu_kernels(GPUOPT_OP_FUSED_ACT);
  uint64_t kinds = 0;
  for (const gpuopt_kernel *k : kernels) kinds |= k->stage_kinds;
  std::vector<std::string> chains = {"relu_bias_scale", "bias_gelu_tanh", "silu_mul", "five_gelu"};
  for (int32_t stage : {GPUOPT_STAGE_TANH, GPUOPT_STAGE_LEAKY_RELU, GPUOPT_STAGE_RELU, GPUOPT_STAGE_CLAMP,
                        GPUOPT_STAGE_GELU, GPUOPT_STAGE_SIGMOID})
    if (kinds >> stage & 1) chains.push_back(gpuopt_stage_name(stage));
  const auto add_group = [&](gpuopt_dtype type, gpuopt_dtype out) {
    const std::string of_out = out == type ? "" : std::string(":") + gpuopt_dtype_name(out);
    std::vector<std::string> group;
    for (const char *how : {"row", "col"})
      for (const std::string &chain : chains)
        for (const char *extents : {"8192x8192", "4097x4099", "1024x1024", "256x256"})
          group.push_back(std::string("fused_act ") + extents + ":" + gpuopt_dtype_name(type) + ":" + chain + ":" +
                          how + of_out);
    if (std::find(all.begin(), all.end(), group) == all.end()) all.push_back(std::move(group));
  };
  for (gpuopt_dtype type : first_types(kernels, false)) add_group(type, type);
  // Kernels that take x and out of two types alone.
  for (const gpuopt_kernel *k : kernels) {
    const gpuopt_signature *const end = k->signatures + k->signature_count;
    const bool takes_one_type = std::any_of(k->signatures, end, [](const gpuopt_signature &s) {
      const int32_t x = s.dtype[GPUOPT_OPERAND_X], out = s.dtype[GPUOPT_OPERAND_OUT];
      return x == GPUOPT_ANY || out == GPUOPT_ANY || x == out;
    });
    if (!takes_one_type) add_group(k->signatures->dtype[GPUOPT_OPERAND_X], k->signatures->dtype[GPUOPT_OPERAND_OUT]);
  }
  return all;
}

Groups norm_problems() {
  Groups all;
  const Kernels kernels = gpu_kernels(GPUOPT_OP_NORM);
  uint32_t variants = 0;
  for (const gpuopt_kernel *k : kernels) variants |= k->variants;
  for (gpuopt_dtype type : first_types(kernels, false)) {
    all.emplace_back();
    for (int kind = 0; kind < kNormKinds; ++kind)
      for (const char *extents :
           {"8192x8192", "4097x4099", "65536x1024", "1048576x64", "4096x16384", "256x262144", "32x4096"})
        if (variants >> norm_kind(kind).norm & 1)
          all.back().push_back(std::string("norm ") + extents + ":" + gpuopt_dtype_name(type) + ":" +
                               norm_kind(kind).name);
  }
  return all;
}

// Memory that is nowhere, at aligned addresses far from each other: explain looks at no more than that.
void *nowhere(uintptr_t index) { return reinterpret_cast<void *>((index + 1) << 42); }

void with_args(const std::string &problem, const std::function<void(const void *args)> &use) {
  const auto [op, shape] = split_problem(problem);
  void *const m[] = {nowhere(0), nowhere(1), nowhere(2), nowhere(3), nowhere(4), nowhere(5)};
  if (op == "gemm") {
    std::vector<gpuopt_stage> stages;
    const gpuopt_gemm_args g = gemm_args(read_gemm_shape(shape), {m[0], m[1], m[2], nullptr}, &stages);
    use(&g);
  } else if (op == "transpose") {
    const gpuopt_transpose_args t = transpose_args(read_transpose_shape(shape), m[0], m[1]);
    use(&t);
  } else if (op == "reduce") {
    const gpuopt_reduce_args r = reduce_args(read_reduce_shape(shape), m[0], m[1]);
    use(&r);
  } else if (op == "fused_act") {
    std::vector<gpuopt_stage> stages;
    const gpuopt_fused_act_args f = fused_act_args(read_fused_shape(shape), {m[0], m[1], m[2], m[3], m[4]}, &stages);
    use(&f);
  } else {
    gpuopt_stage stage;
    const gpuopt_norm_args n = norm_args(read_norm_shape(shape), {m[0], m[1], m[2], m[3], m[4], m[5]}, &stage);
    use(&n);
  }
}

// What explain says of one problem, by kernel.
struct Verdict {
  bool runs, of_types;  // of_types: refused for them
  double us;
  std::string text;
};
struct Verdicts {
  std::map<std::string, Verdict> of;
  double least_us = 0, second_us = 0;
};

void take(void *user, const gpuopt_candidate *c) {
  Verdicts &v = *static_cast<Verdicts *>(user);
  const bool runs = c->verdict != GPUOPT_VERDICT_REJECTED;
  v.of[c->kernel] = {runs, c->reject == GPUOPT_REJECT_DTYPE, c->predicted_us, c->text};
  if (!runs || !(c->predicted_us > 0)) return;
  if (v.least_us == 0 || c->predicted_us < v.least_us) {
    v.second_us = v.least_us;
    v.least_us = c->predicted_us;
  } else if (v.second_us == 0 || c->predicted_us < v.second_us) {
    v.second_us = c->predicted_us;
  }
}

Verdicts explained(gpuopt_handle *handle, const gpuopt_device_facts &device, const std::string &problem) {
  Verdicts v;
  const gpuopt_explain_options o = explain_on(device);
  with_args(problem, [&](const void *args) { gpuopt_explain(handle, args, &o, take, &v); });
  return v;
}

// How well a problem shows a kernel: the least time that another is predicted to take over its own.
double share_of(const Verdict &v, const Verdicts &all) {
  if (!(v.us > 0)) return 0;
  const double other = v.us > all.least_us || all.second_us == 0 ? all.least_us : all.second_us;
  return std::min(other / v.us, kMostShare);
}

Groups groups_of(int32_t op) {
  switch (op) {
    case GPUOPT_OP_GEMM:
      return gemm_problems();
    case GPUOPT_OP_TRANSPOSE:
      return transpose_problems();
    case GPUOPT_OP_REDUCE:
      return reduce_problems();
    case GPUOPT_OP_FUSED_ACT:
      return fused_problems();
    default:
      return norm_problems();
  }
}

struct Found {
  std::string problem;
  double share = 0;
};
struct Search {
  const gpuopt_kernel *kernel;
  bool done;          // a group had a problem that shows it well: best
  Found best, first;  // of a group; the first that it can run at all
  std::string reason;
};

// Looks at one group of problems for all kernels that have none yet.
void look_at(const std::vector<std::string> &group, gpuopt_handle *handle, const gpuopt_device_facts &device,
             std::vector<Search> *searches) {
  for (Search &s : *searches)
    if (!s.done) s.best = Found();
  for (const std::string &problem : group) {
    const Verdicts verdicts = explained(handle, device, problem);
    for (Search &s : *searches) {
      const auto found = verdicts.of.find(s.kernel->name);
      if (s.done || found == verdicts.of.end()) continue;
      if (!found->second.runs) {
        if (!found->second.of_types) s.reason = found->second.text;
        continue;
      }
      const Found here = {problem, share_of(found->second, verdicts)};
      if (s.first.problem.empty()) s.first = here;
      if (here.share > kBetter * s.best.share) s.best = here;
    }
  }
  for (Search &s : *searches)
    if (!s.done && s.best.share >= kLeastShare) s.done = true;
}

}  // namespace

std::string call_text(const std::string &problem) {
  std::string text;
  with_args(problem, [&](const void *args) { text = gpuopt_call::text_of(gpuopt_call::call_of(args)); });
  return text;
}

std::vector<Representative> representatives(gpuopt_handle *handle, const gpuopt_device_facts &device) {
  std::vector<Representative> all;
  for (int32_t op : {GPUOPT_OP_GEMM, GPUOPT_OP_TRANSPOSE, GPUOPT_OP_REDUCE, GPUOPT_OP_FUSED_ACT, GPUOPT_OP_NORM}) {
    std::vector<Search> searches;
    for (const gpuopt_kernel *k : gpu_kernels(op)) searches.push_back({k, false, {}, {}, "no problem has its types"});
    for (const std::vector<std::string> &group : groups_of(op)) look_at(group, handle, device, &searches);
    for (const Search &s : searches) {
      const Found &found = s.done ? s.best : s.first;
      all.push_back({s.kernel, found.problem, found.share, found.problem.empty() ? s.reason : ""});
    }
  }
  return all;
}

}  // namespace gpuopt_bench
