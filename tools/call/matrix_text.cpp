#include "matrix_text.h"

#include "words.h"

namespace gpuopt_call {
namespace {

// "d", "stages[0].a+128"
void read_at(std::string_view text, MatrixText *m) {
  const size_t sign = text.find_first_of("+-");
  m->at = std::string(text.substr(0, sign));
  if (sign == std::string_view::npos) return;
  const int64_t bytes = read_integer("the distance", text.substr(sign + 1), 0, INT64_MAX);
  m->distance = text[sign] == '-' ? -bytes : bytes;
}

}  // namespace

MatrixText read_matrix(std::string_view text) {
  MatrixText out;
  gpuopt_matrix &m = out.matrix;
  const std::vector<std::string_view> words = split(text, ':'), extents = split(words[0], 'x');
  if (extents.size() != 2 || words.size() < 2)
    throw BadWord{"a matrix is written as ROWSxCOLS:TYPE and what else there is to say of it"};
  m.rows = read_integer("the rows", extents[0], 0, INT64_MAX);
  m.cols = read_integer("the columns", extents[1], 0, INT64_MAX);
  m.dtype = read_name("the type", words[1], 1, GPUOPT_DTYPE_COUNT_, gpuopt_dtype_name);
  static const float scale = 1;
  bool said[8] = {};
  const auto once = [&](int index, std::string_view word) {
    if (said[index]) throw BadWord{quoted(word) + " is said twice"};
    said[index] = true;
  };
  for (size_t i = 2; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals),
                           value = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    const bool has_value = equals != std::string_view::npos;
    if (!has_value && name == "col") {
      once(0, name);
      m.layout = GPUOPT_COL;
    } else if (!has_value && name == "scale") {
      once(1, name);
      m.scale = &scale;
    } else if (has_value && name == "scale") {
      once(1, name);
      m.scale = &scale;
      m.scales.block =
          read_name("the block of a scale", value, GPUOPT_SCALE_1X128, GPUOPT_SCALE_128X128 + 1, [](int32_t block) {
            return block == GPUOPT_SCALE_1X128 ? "1x128" : block == GPUOPT_SCALE_128X1 ? "128x1" : "128x128";
          });
    } else if (!has_value && name == "scale_col") {
      once(6, name);
      m.scales.layout = GPUOPT_COL;
    } else if (has_value && name == "scale_ld") {
      once(7, name);
      m.scales.ld = read_integer("scale_ld", value, 1, INT64_MAX);
    } else if (has_value && name == "ld") {
      once(2, name);
      m.ld = read_integer("ld", value, 1, INT64_MAX);
    } else if (has_value && name == "bs") {
      once(3, name);
      m.batch_stride = read_integer("bs", value, 0, INT64_MAX);
    } else if (has_value && name == "by") {
      once(4, name);
      out.by = static_cast<int32_t>(read_integer("by", value, 1, 255));
    } else if (has_value && name == "at") {
      once(5, name);
      read_at(value, &out);
    } else {
      throw BadWord{quoted(word) +
                    " must be one of: col, ld=N, bs=N, scale, scale=BLOCK, scale_col, scale_ld=N, by=N, at=OPERAND"};
    }
  }
  if (said[4] && said[5]) throw BadWord{"'by' and 'at' both say where it lies: one is enough"};
  if ((said[6] || said[7]) && m.scales.block == GPUOPT_SCALE_ONE)
    throw BadWord{quoted(said[6] ? "scale_col" : "scale_ld") +
                  " says how scales of blocks lie, which scale=BLOCK names"};
  return out;
}

}  // namespace gpuopt_call
