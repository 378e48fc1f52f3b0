// The suite model_rows: each problem of model_problems.h by the automatic choice, beside copy (reductions: read) of the same
// bytes, in single calls and, where one is short, in a graph.
#include <cstdio>

#include "../core/copy.h"
#include "../core/read.h"
#include "gpuopt_call/place.h"
#include "gpuopt_call/work.h"
#include "model_problems.h"
#include "suite.h"

namespace gpuopt_bench {
namespace {

void build(const ModelProblem &problem, Context &context, Case *c) {
  gpuopt_call::Call call = problem.call;
  const bool reads = call.op() == GPUOPT_OP_REDUCE;
  c->bytes_per_call = gpuopt_call::touched_bytes(&call);
  c->work = static_cast<double>(c->bytes_per_call);
  c->budget_ms = 15;
  const auto shape_of = [](gpuopt_dtype type, int64_t bytes) {
    const int64_t size = gpuopt_dtype_size(type);
    return OperandShape{type, (bytes + size - 1) / size};
  };
  // What the ceiling reads, and writes; then the call's own.
  const int64_t moved = (c->bytes_per_call / (reads ? 1 : 2) + 255) / 256 * 256;
  std::vector<OperandShape> shapes = {shape_of(GPUOPT_F32, moved), shape_of(GPUOPT_F32, reads ? 4 : moved)};
  gpuopt_call::place(&call, [&](const gpuopt_call::Block &block) -> void * {
    shapes.push_back(shape_of(block.dtype, block.bytes));
    return gpuopt_call::nowhere(shapes.size(), 256);
  });
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  c->operands = std::make_shared<OperandSets>(shapes, sets, context.session.stream());
  auto calls = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  for (int set = 0; set < sets; ++set) {
    const auto own = std::make_shared<gpuopt_call::Call>(problem.call);
    size_t operand = 2;
    gpuopt_call::place(own.get(), [&](const gpuopt_call::Block &) { return c->operands->at(operand++, set); });
    const void *const args = own->args();
    calls->push_back(std::shared_ptr<const void>(own, args));
  }
  c->add_library(context, calls);
  if (reads)
    c->add(Role::ceiling, read_contenders(context.session, *c->operands, 0, static_cast<size_t>(moved)));
  else
    c->add(Role::ceiling, copy_contenders(context.session, *c->operands, 0, 1, static_cast<size_t>(moved)));
}

}  // namespace

void run_model_rows(Context &context) {
  const Options &o = context.options;
  const int count = o.count > 0 ? o.count : o.quick ? 60 : kModelCount;
  const uint64_t seed = o.seed_given ? o.seed : kModelSeed;
  std::printf("model_rows: %d problems, seed %llu\n", count, static_cast<unsigned long long>(seed));
  int number = 0;
  for (const ModelProblem &problem : model_problems(seed, count)) {
    Plan plan;
    plan.names = named_case("model_rows", shape_text(problem.rows, problem.cols), gpuopt_dtype_name(problem.type),
                            "#" + std::to_string(number++) + " " + problem.kind + (problem.odd ? " odd" : ""));
    plan.build = [&](Context &own, Case *c) { build(problem, own, c); };
    context.library.forget_when_short_of_memory();
    run_plan(context, plan);
  }
  std::printf("\n%s", model_table(context.record.rows).c_str());
}

}  // namespace gpuopt_bench
