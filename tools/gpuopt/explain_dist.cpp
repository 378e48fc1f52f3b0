// `gpuopt explain all_gather_gemm` and the like: what gpuopt::dist would do with a product over so many ranks of a machine that
// need not be there.
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "commands.h"
#include "explain.h"
#include "gpuopt/dist.h"
#include "numbers.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

struct DistOptions {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int32_t ranks = 2;
  std::string type = "bf16", link = "nvlink", pretend, plan;
  bool exact = false, csv = false;
};

struct Lines {
  Table table{{"verdict", "plan", "chunks", "predicted us", "of the product", "text"}};
  double product_us = 0;
  int64_t bytes = 0;
};

void take(void *user, const gpuopt_dist_candidate *c) {
  static const char *const verdicts[] = {"rejected", "accepted", "CHOSEN"};
  auto *lines = static_cast<Lines *>(user);
  lines->product_us = c->product_us;
  lines->bytes = c->bytes;
  const bool runs = c->verdict != GPUOPT_VERDICT_REJECTED;
  lines->table.add({verdicts[c->verdict], c->plan, runs ? std::to_string(c->chunks) : "",
                    runs ? formatted(c->predicted_us, "%.1f") : "",
                    runs && c->product_us > 0 ? formatted(c->predicted_us / c->product_us, "%.3f") : "", c->text});
}

void take_csv(void *user, const gpuopt_dist_candidate *c) {
  static const char *const verdicts[] = {"rejected", "accepted", "chosen"};
  const auto *o = static_cast<const DistOptions *>(user);
  std::printf("%s,%s,%d,%d,%.3f,%.3f,%lld,%s\n", verdicts[c->verdict], c->plan, o->ranks, c->chunks, c->predicted_us,
              c->product_us, static_cast<long long>(c->bytes), csv_field(c->text).c_str());
}

int explain(int32_t op, const char *name, const DistOptions &o) {
  if (o.m == 0 || o.n == 0 || o.k == 0)
    throw CLI::ValidationError(name, "needs --m, --n and --k, of the whole product");
  const bool gathers = op == GPUOPT_DIST_ALL_GATHER_GEMM;
  int64_t begin, rows, n = o.n, k = o.k;
  gpuopt_dist_rows(o.m, 0, o.ranks, &begin, &rows);
  gpuopt_dist_rows(gathers ? o.n : o.k, 0, o.ranks, &begin, gathers ? &n : &k);
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  const bool pretends = o.pretend != "none" || o.link != "memory";
  if (pretends) facts = parse_pretend(o.pretend);
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  options.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *handle = nullptr;
  if (gpuopt_create(&handle, &options) != GPUOPT_OK) throw std::runtime_error(gpuopt_last_error());
  const int32_t type = parse_dtype("--type", lowered(o.type));
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(nullptr, gathers ? rows : o.m, k, type);
  g.b = gpuopt_mat(nullptr, k, n, type);
  g.d = gpuopt_mat(nullptr, op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? rows : o.m, n, type);
  g.batch = o.batch;
  if (!o.exact) g.flags = GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  gpuopt_dist_explain_options e = GPUOPT_DIST_EXPLAIN_OPTIONS_INIT;
  e.op = op, e.ranks = o.ranks, e.link = o.link.c_str(), e.plan = o.plan.c_str();
  if (pretends) e.pretend = &facts;
  Lines lines;
  DistOptions copy = o;
  if (o.csv) std::printf("verdict,plan,ranks,chunks,predicted_us,product_us,bytes,text\n");
  const gpuopt_status s =
      o.csv ? gpuopt_dist_explain(handle, &g, &e, take_csv, &copy) : gpuopt_dist_explain(handle, &g, &e, take, &lines);
  const std::string words = gpuopt_last_error();
  gpuopt_destroy(handle);
  if (s != GPUOPT_OK) {
    std::fprintf(stderr, "gpuopt explain %s: %s: %s\n", name, gpuopt_status_name(s), words.c_str());
    return s == GPUOPT_INVALID_ARGUMENT ? kUsage : kFailure;
  }
  if (o.csv) return kOk;
  std::printf("%s m=%lld n=%lld k=%lld %s over %d ranks, %s, %s\n", name, static_cast<long long>(o.m),
              static_cast<long long>(o.n), static_cast<long long>(o.k), o.type.c_str(), o.ranks, o.link.c_str(),
              pretends ? facts.name : "this CPU");
  std::printf("a rank computes %lld x %lld x %lld, predicted %.1f us, and sends %.2f MB\n", static_cast<long long>(o.m),
              static_cast<long long>(n), static_cast<long long>(k), lines.product_us,
              static_cast<double>(lines.bytes) * 1e-6);
  lines.table.align_right(2);
  lines.table.align_right(3);
  lines.table.align_right(4);
  lines.table.print();
  return kOk;
}

}  // namespace

void add_explain_dist(CLI::App *explain_verb, int *exit_code) {
  static constexpr struct {
    int32_t op;
    const char *name, *help;
  } ops[] = {{GPUOPT_DIST_ALL_GATHER_GEMM, "all_gather_gemm",
              "Over several ranks: rows of A gathered, columns of B a rank's own"},
             {GPUOPT_DIST_GEMM_REDUCE_SCATTER, "gemm_reduce_scatter",
              "Over several ranks: k split, rows of the sum a rank's own"},
             {GPUOPT_DIST_GEMM_ALL_REDUCE, "gemm_all_reduce", "Over several ranks: k split, the sum everybody's"}};
  for (const auto &each : ops) {
    const auto o = std::make_shared<DistOptions>();
    o->pretend = "h200";
    CLI::App *verb = explain_verb->add_subcommand(each.name, each.help);
    add_integer(verb, "--m", &o->m, 1, kMostExtent, "Rows of the whole product");
    add_integer(verb, "--n", &o->n, 1, kMostExtent, "Its columns");
    add_integer(verb, "--k", &o->k, 1, kMostExtent, "Its inner extent");
    add_integer(verb, "--batch", &o->batch, 1, kMostExtent, "Matrices");
    add_integer(verb, "--ranks", &o->ranks, 1, 65536, "Ranks that share it (2)");
    verb->add_option("--type", o->type, "Type of A, B and D (bf16)");
    verb->add_option("--link", o->link, "Between ranks: nvlink, ib400, memory (nvlink)");
    verb->add_option("--pretend", o->pretend, "The device of every rank (h200); none: this CPU, with --link memory");
    verb->add_option("--plan", o->plan, "Force a plan, as GPUOPT_DIST_PLAN does: name or name:chunks");
    verb->add_flag("--exact", o->exact, "Partial products travel in fp32");
    verb->add_flag("--csv", o->csv, "As CSV");
    const int32_t op = each.op;
    const char *name = each.name;
    verb->callback([=] { *exit_code = explain(op, name, *o); });
  }
}

}  // namespace gpuopt_cli
