// The problems of the suite model_rows: norms, softmax, chains, sums and transposes at the widths, vocabularies and row
// counts of published models. No CUDA.
#pragma once
#include <string>
#include <vector>

#include "../core/record.h"
#include "gpuopt_call/call.h"

namespace gpuopt_bench {

constexpr uint64_t kModelSeed = 20261123;
constexpr int kModelCount = 600;
constexpr int64_t kMostModelBytes = int64_t{2} << 30;

enum class SizeClass { small, middle, large };  // up to 4 MB, up to 64 MB, above
SizeClass size_class(double bytes);
const char *word(SizeClass size);

struct ModelProblem {
  std::string kind;  // "add_rmsnorm_sum"
  bool odd = false;  // its width is one, three or five off a model's
  int64_t rows = 0, cols = 0;
  gpuopt_dtype type = 0;
  gpuopt_call::Call call;  // its operands lie nowhere
};

// Every cell of kind, type, parity and size class has as many problems as the next, or one more; a function of the seed.
std::vector<ModelProblem> model_problems(uint64_t seed, int count);

// Shares of the ceiling (copy, or read) by op, parity and size class: geometric mean, 5th percentile, least. Of problems
// above 64 MB in single calls; of smaller ones in graphs, with the time beyond the ceiling's.
std::string model_table(const std::vector<Row> &rows);

}  // namespace gpuopt_bench
