// Grouped products as mixtures of experts have them, offsets on the device, against cuBLAS's grouped call, a loop of our own
// single calls, one dense product, and, where groups have few rows, reading the weights. And the same as lists of products on the
// device, all of one width or wide and narrow ones in turn.
#include "../core/error.h"
#include "../core/read.h"
#include "../peers/cublas_grouped.h"
#include "suite.h"

namespace gpuopt_bench {
namespace {

struct Experts {
  const char *model;
  int64_t k, n;
  int64_t groups;
};
constexpr Experts kExperts[] = {
    {"Mixtral", 4096, 14336, 8},    {"Mixtral", 4096, 14336, 64},    {"Mixtral", 4096, 14336, 256},
    {"DeepSeek-V3", 7168, 2048, 8}, {"DeepSeek-V3", 7168, 2048, 64}, {"DeepSeek-V3", 7168, 2048, 256},
};
constexpr int64_t kRows[] = {1, 4, 16, 32, 64, 128, 256, 1024};
constexpr int64_t kFewRows = 16, kTile = 128;
constexpr gpuopt_dtype kType = GPUOPT_BF16;

enum class Rows { balanced, skewed };
enum class Form { offsets, list, mixed_list };  // mixed: every second product is the layer behind, from n to k

// Skewed: from none to twice the mean, every fourth group empty.
std::vector<int64_t> offsets_of(const Experts &e, int64_t mean, Rows rows) {
  std::vector<int64_t> offsets = {0};
  for (int64_t i = 0; i < e.groups; ++i) {
    const int64_t own = rows == Rows::balanced ? mean : i % 4 == 1 ? 0 : 1 + 2 * mean * (e.groups - i) / e.groups;
    offsets.push_back(offsets.back() + own);
  }
  return offsets;
}

// Where each group's matrices lie.
std::vector<GroupShape> groups_of(const Experts &e, const std::vector<int64_t> &offsets, Form form) {
  std::vector<GroupShape> groups;
  for (int64_t i = 0; i < e.groups; ++i) {
    const int64_t first = offsets[static_cast<size_t>(i)], rows = offsets[static_cast<size_t>(i) + 1] - first;
    const bool behind = form == Form::mixed_list && i % 2 != 0;
    const int64_t k = behind ? e.n : e.k, n = behind ? e.k : e.n, widest = std::max(e.k, e.n);
    const bool mixed = form == Form::mixed_list;
    groups.push_back({rows, n, k, first * (mixed ? widest : k), i * e.k * e.n, first * (mixed ? widest : n)});
  }
  return groups;
}

// A dense product of so many rows with the first matrix, our choice: a ceiling of what groups can reach.
Contender dense_contender(Context &context, Case *c, int64_t rows, const Experts &e) {
  const auto memory = std::make_shared<OperandSets>(std::vector<OperandShape>{{kType, rows * e.k}, {kType, rows * e.n}},
                                                    1, context.session.stream());
  c->kept.push_back(memory);
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  std::vector<gpuopt_gemm_args> calls;
  for (int set = 0; set < c->operands->sets(); ++set) {
    g.a = gpuopt_mat(memory->at(0, 0), rows, e.k, kType);
    g.b = gpuopt_mat(c->operands->at(1, set), e.k, e.n, kType);
    g.d = gpuopt_mat(memory->at(1, 0), rows, e.n, kType);
    calls.push_back(g);
  }
  Contender dense = context.library.automatic(library_call(std::move(calls)));
  dense.name = "one dense product of " + std::to_string(rows) + " rows";
  return dense;
}

Contender loop_contender(Context &context, Case *c, const std::vector<GroupShape> &groups) {
  std::vector<Contender> each;
  for (const GroupShape &shape : groups) {
    if (shape.m == 0) continue;
    std::vector<gpuopt_gemm_args> calls;
    for (int set = 0; set < c->operands->sets(); ++set) {
      const auto at = [&](size_t operand, int64_t element) {
        return static_cast<char *>(c->operands->at(operand, set)) + element * gpuopt_dtype_size(kType);
      };
      gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
      g.a = gpuopt_mat(at(0, shape.a), shape.m, shape.k, kType);
      g.b = gpuopt_mat(at(1, shape.b), shape.k, shape.n, kType);
      g.d = gpuopt_mat(at(2, shape.d), shape.m, shape.n, kType);
      calls.push_back(g);
    }
    each.push_back(context.library.automatic(library_call(std::move(calls))));
  }
  const auto all = std::make_shared<std::vector<Contender>>(std::move(each));
  return {"a loop of single calls",
          [all](cudaStream_t stream, int set) {
            for (const Contender &one : *all) one.call(stream, set);
          },
          [all](int set) {
            for (const Contender &one : *all)
              if (one.prepare) one.prepare(set);
          }};
}

// Our call of one set of operands. kept: what it points to on the device.
gpuopt_gemm_grouped_args call_of(const Experts &e, const std::vector<int64_t> &offsets,
                                 const std::vector<GroupShape> &groups, Form form, int set, Case *c) {
  const auto upload = [c](const auto &values) {
    const auto there = std::make_shared<DeviceMemory>(values.size() * sizeof(values[0]));
    BENCH_CUDA(cudaMemcpy(there->data(), values.data(), there->bytes(), cudaMemcpyHostToDevice));
    c->kept.push_back(there);
    return there->data();
  };
  gpuopt_gemm_grouped_args g = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  g.groups = e.groups;
  if (form == Form::offsets) {
    g.a = gpuopt_mat(c->operands->at(0, set), offsets.back(), e.k, kType);
    g.b = gpuopt_mat(c->operands->at(1, set), e.k, e.n, kType);
    g.d = gpuopt_mat(c->operands->at(2, set), offsets.back(), e.n, kType);
    g.offsets = gpuopt_mat(upload(offsets), 1, e.groups + 1, GPUOPT_I64);
    return g;
  }
  std::vector<gpuopt_gemm_group> list;
  int64_t m = 0, n = 0, k = 0;
  for (const GroupShape &shape : groups) {
    const auto at = [&](size_t operand, int64_t element) {
      return static_cast<char *>(c->operands->at(operand, set)) + element * gpuopt_dtype_size(kType);
    };
    gpuopt_gemm_group x = {};
    x.a = at(0, shape.a);
    x.b = at(1, shape.b);
    x.d = at(2, shape.d);
    x.m = shape.m;
    x.n = shape.n;
    x.k = shape.k;
    list.push_back(x);
    m = std::max(m, x.m), n = std::max(n, x.n), k = std::max(k, x.k);
  }
  g.a = gpuopt_mat(nullptr, m, k, kType);
  g.b = gpuopt_mat(nullptr, k, n, kType);
  g.d = gpuopt_mat(nullptr, m, n, kType);
  for (int32_t &align : g.list_align) align = 16;
  g.list = static_cast<const gpuopt_gemm_group *>(upload(list));
  return g;
}

void build(Context &context, const Experts &e, const std::vector<int64_t> &offsets, int64_t mean, Rows rows, Form form,
           Case *c) {
  const int64_t total = offsets.back(), widest = form == Form::mixed_list ? std::max(e.k, e.n) : 0;
  const std::vector<GroupShape> groups = groups_of(e, offsets, form);
  const int sets = c->bytes_per_call > int64_t{4} << 30 ? 1 : sets_past_l2(context.session.device(), c->bytes_per_call);
  c->operands = std::make_shared<OperandSets>(std::vector<OperandShape>{{kType, total * std::max(e.k, widest)},
                                                                        {kType, e.groups * e.k * e.n},
                                                                        {kType, total * std::max(e.n, widest)}},
                                              sets, context.session.stream());
  std::vector<gpuopt_gemm_grouped_args> calls;
  for (int set = 0; set < sets; ++set) calls.push_back(call_of(e, offsets, groups, form, set, c));
  c->add_library(context, library_call(std::move(calls)));
  if (context.options.peers) {
    c->add(Role::peer, cublas_grouped_contender(kType, groups, *c->operands, context.session.stream()));
    if (mean <= kTile) c->add(Role::peer, loop_contender(context, c, groups));
  }
  if (mean <= kFewRows && rows == Rows::balanced) {
    c->add(Role::ceiling, read_contenders(context.session, *c->operands, 1,
                                          static_cast<size_t>(e.groups * e.k * e.n * gpuopt_dtype_size(kType))));
  } else if (mean >= kTile) {
    int64_t rounded = 0;
    for (size_t i = 0; i + 1 < offsets.size(); ++i)
      rounded += (offsets[i + 1] - offsets[i] + kTile - 1) / kTile * kTile;
    c->add(Role::ceiling, dense_contender(context, c, rows == Rows::balanced ? total : rounded, e));
  }
}

}  // namespace

void run_gemm_grouped(Context &context) {
  for (const Experts &e : kExperts)
    for (const int64_t mean : kRows)
      for (const Rows rows : {Rows::balanced, Rows::skewed})
        for (const Form form : {Form::offsets, Form::list, Form::mixed_list}) {
          if (rows == Rows::skewed && mean < kTile) continue;
          if (form != Form::offsets && (e.groups > 64 || (form == Form::mixed_list && rows == Rows::skewed))) continue;
          const std::vector<int64_t> offsets = offsets_of(e, mean, rows);
          const char *const what = form == Form::offsets ? "" : form == Form::list ? " list" : " mixed list";
          Plan plan;
          plan.names = named_case("gemm_grouped",
                                  std::to_string(e.groups) + "x" + std::to_string(mean) + "x" + std::to_string(e.n) +
                                      "x" + std::to_string(e.k),
                                  gpuopt_dtype_name(kType),
                                  std::string(rows == Rows::balanced ? "balanced " : "skewed ") + e.model + what);
          plan.names.work =
              2.0 * static_cast<double>(offsets.back()) * static_cast<double>(e.n) * static_cast<double>(e.k);
          plan.names.is_flops = true;
          plan.names.bytes_per_call = (offsets.back() * (e.n + e.k) + e.groups * e.n * e.k) * gpuopt_dtype_size(kType);
          plan.quick = e.groups == 8 && (mean == 1 || mean == 16 || mean == 256);
          plan.single_only = e.groups > 8;
          plan.build = [&e, offsets, mean, rows, form](Context &in, Case *c) {
            build(in, e, offsets, mean, rows, form, c);
          };
          run_plan(context, plan);
        }
}

}  // namespace gpuopt_bench
