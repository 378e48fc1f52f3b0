#include "shape.h"

#include "../core/counts.h"

namespace gpuopt_bench {
namespace {

struct Word {
  const char *name;
  int32_t value;
};
constexpr Word kTypes[] = {
#define GPUOPT_X_(name, value, bytes, text, cls, what) {text, value},
    GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
constexpr Word kComputes[] = {
#define GPUOPT_X_(name, value, text, what) {text, value},
    GPUOPT_COMPUTE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
constexpr Word kReductions[] = {
#define GPUOPT_X_(name, value, what, empty) {#name, value},
    GPUOPT_REDUCE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};

template <size_t N>
int32_t find_word(const ShapeText &shape, size_t index, int32_t otherwise, const Word (&words)[N]) {
  const std::string field = shape.field(index);
  if (field.empty()) return otherwise;
  std::string all;
  for (const Word &w : words) {
    if (lowered(field) == lowered(w.name)) return w.value;
    all += (all.empty() ? "" : ", ") + lowered(w.name);
  }
  shape.reject("'" + field + "' must be one of: " + all);
}

}  // namespace

void ShapeText::reject(const std::string &rule) const { throw BadShape("--shape " + text + ": " + rule); }

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

ShapeText read_shape(const std::string &text, size_t least, size_t most, size_t fields) {
  ShapeText shape = {text, {}, split(text, ':')};
  const std::vector<std::string> extents = split(shape.fields.front(), 'x');
  shape.fields.erase(shape.fields.begin());
  if (extents.size() < least || extents.size() > most)
    shape.reject("begins with " + std::to_string(least) + (most > least ? " to " + std::to_string(most) : "") +
                 " extents with x between them");
  if (shape.fields.size() > fields) shape.reject("has at most " + std::to_string(fields) + " fields after its extents");
  for (const std::string &word : extents) {
    shape.extents.push_back(0);
    if (!read_count<int64_t>(word, 1, INT64_MAX, &shape.extents.back()))
      shape.reject("'" + word + "' is not an extent");
  }
  return shape;
}

gpuopt_dtype dtype_field(const ShapeText &shape, size_t index, gpuopt_dtype otherwise) {
  return find_word(shape, index, otherwise, kTypes);
}

int32_t compute_field(const ShapeText &shape, size_t index, int32_t otherwise) {
  const int32_t compute = find_word(shape, index, otherwise, kComputes);
  return compute == GPUOPT_COMPUTE_DEFAULT ? otherwise : compute;
}

int32_t reduce_field(const ShapeText &shape, size_t index, int32_t otherwise) {
  return find_word(shape, index, otherwise, kReductions);
}

std::string lowered(std::string text) {
  for (char &c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

SuiteShape split_problem(const std::string &problem) {
  const size_t space = problem.find(' ');
  return {problem.substr(0, space), space == std::string::npos ? "" : problem.substr(space + 1)};
}

}  // namespace gpuopt_bench
