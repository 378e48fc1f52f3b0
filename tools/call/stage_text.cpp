#include "stage_text.h"

#include "words.h"

namespace gpuopt_call {
namespace {

const char *form_name(int32_t form) {
  constexpr const char *kNames[] = {"?", "per_row", "per_col", "matrix"};
  return kNames[form];
}

bool has_form(int32_t kind) { return kind == GPUOPT_STAGE_ADD || kind == GPUOPT_STAGE_SUB || kind == GPUOPT_STAGE_MUL; }

size_t scalars_of(int32_t kind) {
  constexpr size_t kScalars[] = {0,
#define GPUOPT_X_(name, value, operands, scalars, what) scalars,
                                 GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  };
  return kScalars[kind];
}

}  // namespace

gpuopt_stage read_stage(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ':');
  const int32_t kind = read_name("the stage", words[0], 1, GPUOPT_STAGE_COUNT_, gpuopt_stage_name);
  gpuopt_stage stage = gpuopt_act(kind, 0, 0);
  size_t next = 1;
  for (int32_t form = GPUOPT_PER_ROW; has_form(kind) && words.size() > 1 && form <= GPUOPT_MATRIX; ++form)
    if (same_word(words[1], form_name(form))) stage.form = form, next = 2;
  const size_t scalars = scalars_of(kind);
  if (words.size() - next != scalars)
    throw BadWord{std::string(gpuopt_stage_name(kind)) + " takes " + std::to_string(scalars) +
                  (scalars == 1 ? " number" : " numbers") +
                  (has_form(kind) ? " behind its form, if it has one: per_row, per_col, matrix" : "")};
  for (size_t i = 0; i < scalars; ++i) stage.value[i] = read_number("the number", words[next + i]);
  return stage;
}

}  // namespace gpuopt_call
