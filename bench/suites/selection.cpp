// The suite selection: random problems of every op, one in five of gemm's a square or a layer of a model, with every
// candidate that predictions alone could have chosen, timed. The rows say how near the choice comes to the best and the
// predictions to the times (selection_judge.h). It is cheap, a tenth of a second a problem: memory is made once and shared, and
// a candidate far behind gets one sample.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "../core/compared.h"
#include "../core/error.h"
#include "../core/stats.h"
#include "../core/stop.h"
#include "gpuopt_call/place.h"
#include "gpuopt_call/random_call.h"
#include "gpuopt_call/text.h"
#include "gpuopt_call/work.h"
#include "model_gemms.h"
#include "operand_pools.h"
#include "plans.h"
#include "samples.h"
#include "selection_judge.h"

namespace gpuopt_bench {
namespace {

using gpuopt_call::Call;

constexpr int kUsualCount = 400;  // problems of each op
constexpr double kMostUs = 5e3;   // a problem predicted to take longer is left out
constexpr double kHopelessUs =
    5e3;                          // a candidate that takes longer, and kHopeless times the best, gets no sample at all:
constexpr double kHopeless = 10;  // the rough time of its first calls counts
constexpr double kFarBehind = 4;  // times the best so far: no more samples
constexpr uint64_t kModelOneOf = 5;   // of gemm's problems
constexpr double kWorstShare = 0.05;  // of the problems, measured again
constexpr int kAgain = 3;
constexpr int64_t kMostPoolSets = 128;
constexpr int kGraphSamples = 5;

struct Entry {  // a candidate
  std::string kernel;
  double predicted_us = 0;
  Contender contender;
  double estimate_us = 0;
  std::vector<double> samples;
  std::string failure;
  Timing graph = {};  // of short calls, which are compared by both modes (core/compared.h)
};
double single_us(const Entry &e) { return e.failure.empty() ? spread_of(e.samples).median : 0; }
double graph_us(const Entry &e) { return e.graph.samples > 0 && e.graph.ok() ? e.graph.median_us : 0; }

struct Problem {
  Case names;
  LibraryCall call;
  MeasureOptions options;
  SetRotation sets{1};
  std::vector<Entry> entries;  // the chosen one first
  size_t first_row = 0;        // in the record
};

int samples_of(double us) { return us < 20 ? 7 : us < 200 ? 5 : 3; }

void measure(Context &context, Problem *p, double far_behind) {
  double best = 0;
  for (Entry &e : p->entries) {
    if (!e.failure.empty()) continue;
    try {
      if (e.estimate_us == 0) e.estimate_us = context.session.estimate_us(e.contender, &p->sets);
      if (best > 0 && e.estimate_us > kHopelessUs && e.estimate_us > kHopeless * best) {
        e.samples.push_back(e.estimate_us);
        continue;
      }
      e.samples.push_back(context.session.sample_us(e.contender, e.estimate_us, p->options, &p->sets));
      if (best == 0 || e.samples.back() < best) best = e.samples.back();
    } catch (const Refused &refused) {
      e.failure = refused.what();
    }
  }
  const int rounds = samples_of(best);
  for (int round = 1; round < rounds; ++round)
    for (size_t turn = 0; turn < p->entries.size(); ++turn) {
      Entry &e = p->entries[(turn + static_cast<size_t>(round)) % p->entries.size()];
      if (!e.failure.empty() || e.samples.front() > far_behind * best || round >= samples_of(e.samples.front()))
        continue;
      try {
        e.samples.push_back(context.session.sample_us(e.contender, e.estimate_us, p->options, &p->sets));
      } catch (const Refused &refused) {
        e.failure = refused.what();
      }
    }
}

// Of times, of which 0 is none; 0: there is none.
double least_of(const std::vector<double> &us) {
  double least = 0;
  for (const double one : us)
    if (one > 0 && (least == 0 || one < least)) least = one;
  return least;
}

// In graphs too, where the fastest is short, but for those far behind. Measured again, each keeps the rows that it has.
void measure_in_graphs(Context &context, Problem *p) {
  std::vector<double> alone;
  for (const Entry &e : p->entries) alone.push_back(single_us(e));
  const double best = least_of(alone);
  if (best == 0 || best > gpuopt_measure::kLongestShortUs) return;
  MeasureOptions o = p->options;
  o.mode = Mode::graph;
  o.least = o.most = kGraphSamples;
  o.least_nodes = 2;
  std::vector<Contender> contenders;
  std::vector<Entry *> entries;
  for (size_t i = 0; i < alone.size(); ++i)
    if (alone[i] > 0 && alone[i] <= kFarBehind * best) {
      contenders.push_back(p->entries[i].contender);
      entries.push_back(&p->entries[i]);
    }
  const std::vector<Timing> timings = context.session.measure(contenders, o);
  for (size_t i = 0; i < timings.size(); ++i) {
    const bool has_row = p->first_row == 0 || graph_us(*entries[i]) > 0;
    if (has_row && timings[i].ok()) entries[i]->graph = timings[i];
  }
}

std::string type_text(Call call) {
  std::string text;
  for (const Call::Operand &o : call.operands())
    if (o.name[0] != 's' || o.name == "sum" || o.name == "src")
      text += (text.empty() ? "" : ",") + std::string(gpuopt_dtype_name(o.matrix->dtype));
  return text;
}
std::string extents_text(const Call &c) {
  const std::string batch = c.batch() > 1 ? "*" + std::to_string(c.batch()) : "";
  switch (c.op()) {
    case GPUOPT_OP_GEMM:
      return shape_text(c.gemm.d.rows, c.gemm.d.cols, c.gemm.a.cols) + batch;
    case GPUOPT_OP_GEMM_GROUPED:
      return shape_text(c.gemm_grouped.d.rows, c.gemm_grouped.d.cols, c.gemm_grouped.a.cols) + "/" +
             std::to_string(c.gemm_grouped.groups);
    case GPUOPT_OP_TRANSPOSE:
      return shape_text(c.transpose.src.rows, c.transpose.src.cols) + batch;
    case GPUOPT_OP_REDUCE:
      return shape_text(c.reduce.x.rows, c.reduce.x.cols) + batch;
    case GPUOPT_OP_FUSED_ACT:
      return shape_text(c.fused_act.x.rows, c.fused_act.x.cols) + batch;
    default:
      return shape_text(c.norm.x.rows, c.norm.x.cols) + batch;
  }
}

void write_rows(Context &context, Problem *p) {
  auto &rows = context.record.rows;
  if (p->first_row == 0) {
    p->first_row = rows.size() + 1;
    for (const Entry &e : p->entries) rows.resize(rows.size() + (graph_us(e) > 0 ? 2 : 1));
  }
  size_t place = p->first_row - 1;
  for (size_t i = 0; i < p->entries.size(); ++i) {
    const Entry &e = p->entries[i];
    const auto write = [&](Mode mode, const Timing &timing) {
      Row r = row_of(p->names, mode);
      r.contender = e.contender.name;
      r.kernel = e.kernel;
      r.role = i == 0 ? Role::automatic : Role::kernel;
      r.predicted_us = e.predicted_us;
      r.timing = timing;
      r.unit = p->names.is_flops ? "TFLOP/s" : "GB/s";
      if (timing.median_us > 0) r.rate = p->names.work / timing.median_us * (p->names.is_flops ? 1e-6 : 1e-3);
      rows[place++] = std::move(r);
    };
    const Spread s = spread_of(e.samples);
    write(Mode::single, {s.median, s.p10, s.p90, static_cast<int>(e.samples.size()), 1, e.failure, 1});
    if (graph_us(e) > 0) write(Mode::graph, e.graph);
  }
}

std::vector<double> times_of(const Problem &p) {
  std::vector<ModeTimes> times;
  for (const Entry &e : p.entries) times.push_back({single_us(e), graph_us(e)});
  return compared_us(times);
}

double share(const Problem &p) {
  const std::vector<double> us = times_of(p);
  return us.front() > 0 ? least_of(us) / us.front() : 1;
}

// Predicted to take so long, as the fallbacks do for large products, that one call would take longer than all others'.
bool is_hopeless(double predicted_us, double of_chosen_us) {
  return predicted_us > kHopelessUs && predicted_us > kHopeless * of_chosen_us;
}

struct Drawn {
  std::string name;  // of a model's; else ""
  Call call;
};
Drawn draw(int32_t op, uint64_t seed, uint64_t index) {
  if (op != GPUOPT_OP_GEMM || index % kModelOneOf != kModelOneOf - 1)
    return {"", gpuopt_call::random_call(op, seed, index)};
  ModelGemm gemm = random_model_gemm(seed, index);
  return {" " + gemm.name, std::move(gemm.call)};
}

// Every choice is by predictions while it lives: of tuned ones, as models' products have them, the suite says nothing.
class Untuned {
 public:
  explicit Untuned(Library *library) : library_(*library) { set("none"); }
  ~Untuned() { set(std::getenv("GPUOPT_TUNE_CACHE")); }
  Untuned(const Untuned &) = delete;
  Untuned &operator=(const Untuned &) = delete;

 private:
  void set(const char *path) { gpuopt_set_tune_cache(library_.handle(), path); }
  Library &library_;
};

// The choice and every candidate with a prediction. False where nothing runs.
bool prepare(Context &context, OperandPools *pools, Problem *p, Call call) {
  const int64_t bytes = gpuopt_call::touched_bytes(&call);
  const int64_t sets = 2 * static_cast<int64_t>(context.session.device().l2_bytes) / std::max<int64_t>(bytes, 1) + 1;
  p->options.sets = static_cast<int>(std::clamp<int64_t>(sets, 2, kMostPoolSets));
  p->options.bytes_per_set = bytes;
  p->sets = SetRotation(p->options.sets);
  p->names.is_flops = call.op() == GPUOPT_OP_GEMM || call.op() == GPUOPT_OP_GEMM_GROUPED;
  p->names.work = p->names.is_flops ? gpuopt_call::flops_of(call) : static_cast<double>(bytes);
  try {
    p->call = pools->place(call, p->options.sets);
    const std::vector<AbleKernel> kernels = context.library.able_kernels(p->call);
    const double chosen_us = chosen_of(kernels).predicted_us;
    for (const AbleKernel &able : kernels) {
      if (able.chosen)
        p->entries.insert(p->entries.begin(),
                          {able.kernel, able.predicted_us, context.library.automatic(p->call), 0, {}, ""});
      else if (able.predicted_us > 0 && wanted(context.options, able.kernel) &&
               !is_hopeless(able.predicted_us, chosen_us))
        p->entries.push_back({able.kernel, able.predicted_us, context.library.forced(p->call, able.kernel), 0, {}, ""});
    }
  } catch (const Refused &refused) {
    report_left_out(p->names, refused.what());
    return false;
  }
  if (p->entries.empty() || p->entries.front().predicted_us <= 0) return false;
  if (p->entries.front().predicted_us <= kMostUs) return true;
  report_left_out(p->names, "it takes too long");
  return false;
}

// Those whose choice is worst, measured three times more, each candidate's time the median of the three.
void measure_again(Context &context, std::vector<Problem> *problems) {
  std::sort(problems->begin(), problems->end(), [](const Problem &a, const Problem &b) { return share(a) < share(b); });
  const size_t count = static_cast<size_t>(kWorstShare * static_cast<double>(problems->size()) + 0.999);
  for (size_t i = 0; i < std::min(count, problems->size()) && !stop_asked(); ++i) {
    Problem &p = (*problems)[i];
    const double before = share(p);
    std::vector<std::vector<double>> medians(p.entries.size());
    for (int again = 0; again < kAgain; ++again) {
      for (Entry &e : p.entries) {
        e.samples.clear();
        e.estimate_us = 0;  // its handle may be a new one
      }
      measure(context, &p, 2);
      for (size_t j = 0; j < p.entries.size(); ++j) medians[j].push_back(spread_of(p.entries[j].samples).median);
    }
    for (size_t j = 0; j < p.entries.size(); ++j) p.entries[j].samples = medians[j];
    measure_in_graphs(context, &p);
    write_rows(context, &p);
    std::printf("again  %-60s %.3f, was %.3f\n", p.names.label().c_str(), share(p), before);
  }
}

}  // namespace

void run_selection(Context &context) {
  const int asked = context.options.count > 0 ? context.options.count : kUsualCount;
  const int count = context.options.quick ? std::min(asked, 40) : asked;
  std::printf("selection: %d problems of each op, seed %llu\n", count,
              static_cast<unsigned long long>(context.options.seed));
  OperandPools pools(context.session);
  const Untuned untuned(&context.library);
  for (int32_t op = 1; op < GPUOPT_OP_COUNT_; ++op) {
    const std::string suite = std::string("selection_") + gpuopt_op_name(op);
    std::vector<Problem> problems;
    int none = 0;
    const double us = wall_us([&] {
      for (int i = 0; i < count; ++i) {
        auto [name, call] = draw(op, context.options.seed, static_cast<uint64_t>(i));
        Problem p;
        p.names = named_case(suite, extents_text(call), type_text(call),
                             std::to_string(context.options.seed) + "#" + std::to_string(i) + name);
        p.names.call = gpuopt_call::text_of(call);
        if (left_out(context, p.names, true)) continue;
        context.library.forget_when_short_of_memory();
        if (!prepare(context, &pools, &p, std::move(call))) {
          ++none;
          continue;
        }
        measure(context, &p, kFarBehind);
        measure_in_graphs(context, &p);
        write_rows(context, &p);
        std::printf("%-60s %-40s %9.2f us, predicted %9.2f, %2zu candidates, best / chosen %.3f\n",
                    p.names.label().c_str(), p.entries.front().kernel.c_str(), times_of(p).front(),
                    p.entries.front().predicted_us, p.entries.size(), share(p));
        problems.push_back(std::move(p));
      }
      measure_again(context, &problems);
    });
    if (!problems.empty())
      std::printf("%s: %zu problems in %.1f s; %d that nothing runs or that take too long\n", suite.c_str(),
                  problems.size(), us / 1e6, none);
    std::fflush(stdout);
  }
  std::printf("\n%s", selection_table(measured_problems(context.record.rows)).c_str());
}

}  // namespace gpuopt_bench
