// One stage of a chain from its text, e.g. "add:per_col:f32".
#include <vector>

#include "numbers.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

struct StageWord {
  const char *name;
  int32_t kind;
  int operands, scalars;
};
constexpr StageWord kStages[] = {
#define GPUOPT_X_(name, value, operands, scalars, what) {#name, value, operands, scalars},
    GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};

gpuopt_matrix shaped(int64_t rows, int64_t cols, gpuopt_dtype type) { return gpuopt_mat(nullptr, rows, cols, type); }

bool has_form(int32_t kind) { return kind == GPUOPT_STAGE_ADD || kind == GPUOPT_STAGE_SUB || kind == GPUOPT_STAGE_MUL; }

}  // namespace

std::string stage_syntax() {
  return "relu | leaky_relu:SLOPE | clamp:LOW:HIGH | add|sub|mul:scalar:VALUE | "
         "add|sub|mul:per_row|per_col|matrix:TYPE[:FACTOR] | "
         "add_outer:TYPE[:FACTOR] | store|relu_grad|gelu_grad|silu_grad:TYPE | gelu | ...";
}

gpuopt_stage parse_stage(const std::string &argument, const std::string &text, int64_t rows, int64_t cols) {
  const std::vector<std::string> part = split(text, ':');
  const StageWord *word = nullptr;
  std::string all;
  for (const StageWord &w : kStages) {
    if (lowered(w.name) == lowered(part[0])) word = &w;
    all += (all.empty() ? "" : ", ") + lowered(w.name);
  }
  if (!word) reject_word(argument, part[0], "must be one of: " + all);
  const auto count = [&](size_t least, size_t most, const char *shape) {
    if (part.size() < least || part.size() > most)
      reject_word(argument, text, std::string("must be written as ") + lowered(word->name) + shape);
  };
  if (has_form(word->kind)) {
    count(3, 4, ":scalar:VALUE or :per_row|per_col|matrix:TYPE[:FACTOR]");
    const std::string form = lowered(part[1]);
    if (form == "scalar") return gpuopt_act(word->kind, parse_number(argument, part[2]), 0);
    const gpuopt_dtype type = parse_dtype(argument, part[2]);
    gpuopt_stage s = form == "per_row"   ? gpuopt_act_with(word->kind, GPUOPT_PER_ROW, shaped(rows, 1, type))
                     : form == "per_col" ? gpuopt_act_with(word->kind, GPUOPT_PER_COL, shaped(1, cols, type))
                                         : gpuopt_act_with(word->kind, GPUOPT_MATRIX, shaped(rows, cols, type));
    if (form != "per_row" && form != "per_col" && form != "matrix")
      reject_word(argument, part[1], "must be one of: scalar, per_row, per_col, matrix");
    if (part.size() == 4) s.value[0] = parse_number(argument, part[3]);
    return s;
  }
  if (word->kind == GPUOPT_STAGE_ADD_OUTER) {
    count(2, 3, ":TYPE[:FACTOR]");
    const gpuopt_dtype type = parse_dtype(argument, part[1]);
    return gpuopt_act_outer(part.size() == 3 ? parse_number(argument, part[2]) : 1, shaped(rows, 1, type),
                            shaped(1, cols, type));
  }
  if (word->operands == 1) {
    count(2, 2, ":TYPE");
    return gpuopt_act_with(word->kind, 0, shaped(rows, cols, parse_dtype(argument, part[1])));
  }
  const size_t scalars = size_t(word->scalars);
  count(1 + scalars, 1 + scalars, scalars == 2 ? ":LOW:HIGH" : scalars == 1 ? ":SLOPE" : " and nothing more");
  return gpuopt_act(word->kind, scalars > 0 ? parse_number(argument, part[1]) : 0,
                    scalars > 1 ? parse_number(argument, part[2]) : 0);
}

}  // namespace gpuopt_cli
