#include "model_problems.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "../core/stats.h"
#include "gpuopt_call/work.h"

namespace gpuopt_bench {
namespace {

using gpuopt_call::Call;

constexpr int64_t kWidths[] = {256,  512,  640,  768,  896,  1024, 1536, 1600,  2048,  2560,  2880,
                               3072, 3584, 4096, 5120, 6144, 7168, 8192, 12288, 14336, 16384, 28672};
constexpr int64_t kVocabularies[] = {30000,  30522,  32000,  50257,  50304,  64000,  65024,  100352, 128256,
                                     129280, 131072, 151936, 152064, 200064, 202048, 248320, 256000, 262144};
constexpr int64_t kRows[] = {1, 16, 256, 4096, 32768, 100000};
constexpr gpuopt_dtype kTypes[] = {GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16};
constexpr SizeClass kSizes[] = {SizeClass::small, SizeClass::middle, SizeClass::large};

struct Shape {
  int64_t rows, cols;
  gpuopt_dtype type;
};
struct Kind {
  const char *name;
  Call (*make)(const Shape &);
};

gpuopt_matrix mat(int64_t rows, int64_t cols, gpuopt_dtype type) { return gpuopt_mat(nullptr, rows, cols, type); }

Call norm_call(const Shape &s, int32_t norm, gpuopt_dtype weights) {
  Call c(GPUOPT_OP_NORM);
  c.norm.norm = norm;
  c.norm.x = c.norm.out = mat(s.rows, s.cols, s.type);
  if (weights != 0) c.norm.gamma = mat(1, s.cols, weights);
  if (weights != 0 && norm == GPUOPT_NORM_LAYERNORM) c.norm.beta = c.norm.gamma;
  return c;
}
Call with_residual(Call c, bool sum) {
  c.norm.residual = c.norm.x;
  if (sum) c.norm.sum = c.norm.x;
  return c;
}
Call with_statistics(Call c) {
  c.norm.statistics = mat(c.norm.x.rows, 2, GPUOPT_F32);
  return c;
}
Call with_stage(Call c, int32_t kind) {
  c.stages.push_back(gpuopt_act(kind, 0, 0));
  return c;
}
Call quantised(Call c) {
  c.norm.out.dtype = GPUOPT_E4M3;
  c.stages.push_back(gpuopt_act(GPUOPT_STAGE_MUL, 16, 0));
  return c;
}
Call layer_norm(const Shape &s) { return norm_call(s, GPUOPT_NORM_LAYERNORM, s.type); }
Call rms_norm(const Shape &s) { return norm_call(s, GPUOPT_NORM_RMSNORM, s.type); }
Call softmax(const Shape &s) { return norm_call(s, GPUOPT_NORM_SOFTMAX, 0); }
Call log_softmax(const Shape &s) { return norm_call(s, GPUOPT_NORM_LOG_SOFTMAX, 0); }

Call chain(const Shape &s, const gpuopt_stage &first, const gpuopt_stage &second) {
  Call c(GPUOPT_OP_FUSED_ACT);
  c.fused_act.x = c.fused_act.out = mat(s.rows, s.cols, s.type);
  c.stages = {first, second};
  return c;
}
Call reduction(const Shape &s, int32_t reduce, int32_t axis) {
  Call c(GPUOPT_OP_REDUCE);
  const bool arg = reduce == GPUOPT_REDUCE_ARGMAX;
  c.reduce.reduce = reduce;
  c.reduce.axis = axis;
  c.reduce.x = mat(s.rows, s.cols, s.type);
  c.reduce.out = axis == GPUOPT_EACH_ROW ? mat(s.rows, 1, arg ? GPUOPT_I64 : s.type) : mat(1, s.cols, s.type);
  return c;
}

constexpr Kind kKinds[] = {
    {"layernorm", layer_norm},
    {"rmsnorm", rms_norm},
    {"add_rmsnorm", [](const Shape &s) { return with_residual(rms_norm(s), false); }},
    {"add_rmsnorm_sum", [](const Shape &s) { return with_residual(rms_norm(s), true); }},
    {"rmsnorm_f32_weights", [](const Shape &s) { return norm_call(s, GPUOPT_NORM_RMSNORM, GPUOPT_F32); }},
    {"softmax", softmax},
    {"log_softmax", log_softmax},
    {"layernorm_statistics", [](const Shape &s) { return with_statistics(layer_norm(s)); }},
    {"log_softmax_statistics", [](const Shape &s) { return with_statistics(log_softmax(s)); }},
    {"layernorm_gelu", [](const Shape &s) { return with_stage(layer_norm(s), GPUOPT_STAGE_GELU); }},
    {"rmsnorm_silu", [](const Shape &s) { return with_stage(rms_norm(s), GPUOPT_STAGE_SILU); }},
    {"rmsnorm_e4m3", [](const Shape &s) { return quantised(rms_norm(s)); }},
    {"bias_gelu",
     [](const Shape &s) {
       return chain(s, gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, mat(1, s.cols, s.type)),
                    gpuopt_act(GPUOPT_STAGE_GELU, 0, 0));
     }},
    {"silu_mul",
     [](const Shape &s) {
       return chain(s, gpuopt_act(GPUOPT_STAGE_SILU, 0, 0),
                    gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, mat(s.rows, s.cols, s.type)));
     }},
    {"sum", [](const Shape &s) { return reduction(s, GPUOPT_REDUCE_SUM, GPUOPT_EACH_ROW); }},
    {"max", [](const Shape &s) { return reduction(s, GPUOPT_REDUCE_MAX, GPUOPT_EACH_ROW); }},
    {"argmax", [](const Shape &s) { return reduction(s, GPUOPT_REDUCE_ARGMAX, GPUOPT_EACH_ROW); }},
    {"column_sum", [](const Shape &s) { return reduction(s, GPUOPT_REDUCE_SUM, GPUOPT_EACH_COL); }},
    {"transpose",
     [](const Shape &s) {
       Call c(GPUOPT_OP_TRANSPOSE);
       c.transpose.src = mat(s.rows, s.cols, s.type);
       c.transpose.dst = mat(s.cols, s.rows, s.type);
       return c;
     }},
};

struct Cell {
  const Kind *kind;
  gpuopt_dtype type;
  bool odd;
  SizeClass size;
};

uint64_t below(std::mt19937_64 *random, uint64_t count) { return (*random)() % count; }  // the same in every library

template <class T>
void shuffle(std::mt19937_64 *random, std::vector<T> *values) {
  for (size_t i = values->size(); i > 1; --i) std::swap((*values)[i - 1], (*values)[below(random, i)]);
}

// Softmax, its statistics and arg max are of vocabularies too.
bool takes_vocabularies(const Kind &kind) {
  const std::string name = kind.name;
  return name.find("softmax") != std::string::npos || name == "argmax";
}

ModelProblem draw(std::mt19937_64 *random, const Cell &cell) {
  std::vector<int64_t> widths(std::begin(kWidths), std::end(kWidths));
  if (takes_vocabularies(*cell.kind) && below(random, 2) == 0)
    widths.assign(std::begin(kVocabularies), std::end(kVocabularies));
  std::vector<Shape> fitting;
  const int64_t off = (below(random, 2) == 0 ? 1 : -1) * static_cast<int64_t>(1 + 2 * below(random, 3));
  for (const int64_t width : widths)
    for (const int64_t rows : kRows) {
      const Shape shape = {rows, cell.odd ? width / 2 * 2 + off : width / 2 * 2, cell.type};
      Call call = cell.kind->make(shape);
      const int64_t bytes = gpuopt_call::touched_bytes(&call);
      if (bytes <= kMostModelBytes && size_class(static_cast<double>(bytes)) == cell.size) fitting.push_back(shape);
    }
  const Shape s = fitting[below(random, fitting.size())];
  return {cell.kind->name, cell.odd, s.rows, s.cols, s.type, cell.kind->make(s)};
}

struct Group {
  std::vector<double> shares, beyond_us;
  std::string worst;
};

}  // namespace

SizeClass size_class(double bytes) {
  return bytes <= 4 << 20 ? SizeClass::small : bytes <= 64 << 20 ? SizeClass::middle : SizeClass::large;
}
const char *word(SizeClass size) {
  return size == SizeClass::small ? "to 4 MB" : size == SizeClass::middle ? "to 64 MB" : "above 64 MB";
}

std::vector<ModelProblem> model_problems(uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<Cell> cells;
  for (const Kind &kind : kKinds)
    for (const gpuopt_dtype type : kTypes)
      for (const bool odd : {false, true})
        for (const SizeClass size : kSizes) cells.push_back({&kind, type, odd, size});
  std::vector<ModelProblem> problems;
  for (size_t i = 0; i < static_cast<size_t>(std::max(count, 0)); ++i) {
    if (i % cells.size() == 0) shuffle(&random, &cells);
    problems.push_back(draw(&random, cells[i % cells.size()]));
  }
  return problems;
}

std::string model_table(const std::vector<Row> &rows) {
  std::map<std::string, Group> groups;
  for (const Row &r : rows) {
    if (r.suite != "model_rows" || r.role != Role::automatic || !r.timing.ok() || r.against_ceiling <= 0) continue;
    const SizeClass size = size_class(r.rate * r.timing.median_us * 1e3);
    if ((size == SizeClass::large) != (r.mode == Mode::single)) continue;
    const std::string detail = r.detail.substr(r.detail.find(' ') + 1);  // behind the number
    for (const std::string &name : {std::string("all"), detail}) {
      Group &g = groups[std::string(word(size)) + ", " + name];
      g.shares.push_back(r.against_ceiling);
      g.beyond_us.push_back(r.timing.median_us * (1 - r.against_ceiling));
      if (*std::min_element(g.shares.begin(), g.shares.end()) == r.against_ceiling)
        g.worst = r.shape + " " + r.type + " " + r.detail + ", " + r.kernel;
    }
  }
  std::string text = "model_rows, of copy or read                 problems   mean     p5  least  us more  least of\n";
  for (auto &entry : groups) {
    Group &g = entry.second;
    double logs = 0;
    for (const double share : g.shares) logs += std::log(share);
    std::sort(g.shares.begin(), g.shares.end());
    char line[512];
    std::snprintf(line, sizeof line, "%-44s%8zu  %.3f  %.3f  %.3f  %7.2f  %.300s\n", entry.first.c_str(),
                  g.shares.size(), std::exp(logs / static_cast<double>(g.shares.size())), quantile(g.shares, 0.05),
                  g.shares.front(), spread_of(g.beyond_us).median, g.worst.c_str());
    text += line;
  }
  return text;
}

}  // namespace gpuopt_bench
