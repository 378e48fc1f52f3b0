#include "words.h"

#include <CLI/CLI.hpp>

#include "text.h"

namespace gpuopt_cli {
namespace {

struct Word {
  const char *name;
  int32_t value;
};

template <size_t N>
int32_t find_word(const std::string &argument, const std::string &text, const Word (&words)[N]) {
  std::string all;
  for (const Word &w : words) {
    if (lowered(text) == lowered(w.name)) return w.value;
    all += (all.empty() ? "" : ", ") + lowered(w.name);
  }
  reject_word(argument, text, "must be one of: " + all);
}

}  // namespace

gpuopt_device_facts parse_pretend(const std::string &word) {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  if (gpuopt_pretend_device(lowered(word).c_str(), &facts) == GPUOPT_OK) return facts;
  const std::string said = gpuopt_last_error();  // function and word before the rule
  reject_word("--pretend", word, said.substr(said.rfind("' ") + 2));
}

void reject_word(const std::string &argument, const std::string &word, const std::string &rule) {
  throw CLI::ValidationError(argument, "'" + word + "' " + rule);
}

gpuopt_dtype parse_dtype(const std::string &argument, const std::string &word) {
  static constexpr Word words[] = {
#define GPUOPT_X_(name, value, bytes, text, cls, what) {text, value},
      GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  };
  return find_word(argument, word, words);
}

int32_t parse_compute(const std::string &argument, const std::string &word) {
  static constexpr Word words[] = {
#define GPUOPT_X_(name, value, text, what) {text, value},
      GPUOPT_COMPUTE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  };
  return find_word(argument, word, words);
}

int32_t parse_op(const std::string &argument, const std::string &word) {
  for (int32_t op = 1; op < GPUOPT_OP_COUNT_; ++op)
    if (lowered(word) == gpuopt_op_name(op)) return op;
  reject_word(argument, word, "must be one of: " + op_names());
}

std::string op_names() {
  std::string all;
  for (int32_t op = 1; op < GPUOPT_OP_COUNT_; ++op) all += (op > 1 ? ", " : "") + std::string(gpuopt_op_name(op));
  return all;
}

int32_t parse_reduce(const std::string &argument, const std::string &word) {
  static constexpr Word words[] = {
#define GPUOPT_X_(name, value, what, empty) {#name, value},
      GPUOPT_REDUCE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  };
  return find_word(argument, word, words);
}

int32_t parse_norm(const std::string &argument, const std::string &word) {
  static constexpr Word words[] = {
#define GPUOPT_X_(name, value, what) {#name, value},
      GPUOPT_NORM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  };
  return find_word(argument, word, words);
}

int32_t parse_axis(const std::string &argument, const std::string &word) {
  static constexpr Word words[] = {{"row", GPUOPT_EACH_ROW}, {"col", GPUOPT_EACH_COL}, {"all", GPUOPT_ALL}};
  return find_word(argument, word, words);
}

int32_t parse_layout(const std::string &argument, const std::string &word) {
  static constexpr Word words[] = {{"row", GPUOPT_ROW}, {"col", GPUOPT_COL}};
  return find_word(argument, word, words);
}

}  // namespace gpuopt_cli
