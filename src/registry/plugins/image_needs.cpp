// Sections of image manifests: what the kernel computes, and for which problems.
#include <charconv>

#include "plugins/image_kernel.h"
#include "text.h"

namespace gpuopt {
namespace {

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

struct Word {
  std::string text;
  int32_t value;
};
// The words of a table of the API, by its function for names.
template <class Name>
std::vector<Word> words_of(int32_t first, int32_t count, Name name) {
  std::vector<Word> words;
  for (int32_t i = first; i < count; ++i) words.push_back({lowered(name(i)), i});
  return words;
}
std::vector<Word> feature_words() {
  std::vector<Word> words;
#define X(name, bit, what) words.push_back({lowered(#name), 1 << bit});
  GPUOPT_FEATURE_TABLE(X)
#undef X
  return words;
}

// The value of the word, or -1 and *all the words there are.
int32_t value_of(const std::vector<Word> &words, std::string_view word, std::string *all) {
  all->clear();
  for (const Word &w : words) {
    if (w.text == word) return w.value;
    *all += (all->empty() ? "" : ", ") + w.text;
  }
  return -1;
}

constexpr uint32_t kCannot = GPUOPT_FEATURE_SCALAR_POINTERS | GPUOPT_FEATURE_SCALE |
                             GPUOPT_FEATURE_BLOCK_SCALES;  // nothing of a manifest carries these

}  // namespace

bool SectionReader::read_operation() {
  const ManifestLine *const l = line("op", true);
  if (!l) return false;
  std::string all;
  out_.kernel.op = value_of(words_of(1, GPUOPT_OP_NORM + 1, gpuopt_op_name), l->value,
                            &all);  // no image of gemm_grouped: no name says its offsets
  if (out_.kernel.op > 0) return true;
  tell(*l, quoted(l->value) + " is not one of " + all);
  return false;
}

void SectionReader::read_description() {
  gpuopt_kernel &k = out_.kernel;
  int64_t version = 1;
  if (const ManifestLine *l = line("summary", true)) out_.summary = l->value;
  if (const ManifestLine *l = line("version", false)) integer(*l, 1, INT32_MAX, &version);
  k.version = static_cast<int32_t>(version);
  if (const ManifestLine *l = line("flags", false)) {
    const std::vector<Word> words = {{"teaching", GPUOPT_KERNEL_TEACHING},
                                     {"nondeterministic", GPUOPT_KERNEL_NONDETERMINISTIC},
                                     {"not_capturable", GPUOPT_KERNEL_NOT_CAPTURABLE}};
    for_each_word(*l, [&](std::string_view word, size_t offset) {
      std::string all;
      const int32_t flag = value_of(words, word, &all);
      if (flag < 0) return tell(*l, quoted(word) + " is not one of " + all, offset);
      k.flags |= static_cast<uint32_t>(flag);
    });
  }
}

gpuopt_dtype SectionReader::type_word(const ManifestLine &at, std::string_view word, size_t offset) const {
  std::string all;
  const int32_t type = value_of(words_of(1, GPUOPT_DTYPE_COUNT_, gpuopt_dtype_name), word, &all);
  if (type < 0) tell(at, quoted(word) + " is not one of " + all, offset);
  return type;
}

int32_t SectionReader::operand_word(const ManifestLine &at, std::string_view word, size_t offset) const {
  const int32_t place = find_operand_name(out_.kernel.op, word);
  if (place < 0) tell(at, quoted(word) + " is no operand of this operation", offset);
  return place;
}

// A row is written as `gpuopt list` shows it: f16,f16,f16,f16:f32 of A, B, C, D and the compute type for gemm, f32 of the
// source for transpose, f32,f16 of input and output for the others.
void SectionReader::read_types() {
  const ManifestLine *const l = line("types", true);
  if (!l) return;
  const int32_t op = out_.kernel.op;
  const size_t wanted = op == GPUOPT_OP_GEMM ? 4 : op == GPUOPT_OP_TRANSPOSE ? 1 : 2;
  for_each_word(*l, [&](std::string_view row, size_t offset) {
    const size_t colon = row.find(':');
    std::vector<gpuopt_dtype> types;
    for_each_part(row.substr(0, colon),
                  [&](std::string_view part, size_t at) { types.push_back(type_word(*l, part, offset + at)); });
    if (types.size() != wanted || (colon != std::string_view::npos) != (op == GPUOPT_OP_GEMM))
      return tell(*l,
                  quoted(row) + " is no row of types: write " +
                      (op == GPUOPT_OP_GEMM        ? "A,B,C,D:compute"
                       : op == GPUOPT_OP_TRANSPOSE ? "the type of the source"
                                                   : "input,output"),
                  offset);
    gpuopt_signature s = {{types[0], 0, types.back(), 0}, GPUOPT_ANY};
    if (op == GPUOPT_OP_TRANSPOSE) s = {{types[0], types[0], GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY};
    if (op == GPUOPT_OP_GEMM) {
      std::string all;
      const std::string_view word = row.substr(colon + 1);
      s.compute = value_of(words_of(1, GPUOPT_COMPUTE_COUNT_, gpuopt_compute_name), word, &all);
      if (s.compute < 0) tell(*l, quoted(word) + " is not one of " + all, offset + colon + 1);
      for (size_t i = 0; i < 4; ++i) s.dtype[i] = types[i];
    }
    out_.signatures.push_back(s);
  });
}

void SectionReader::read_variants() {
  gpuopt_kernel &k = out_.kernel;
  const auto bits = [&](const char *key, const std::vector<Word> &words, uint32_t *mask) {
    const ManifestLine *const l = line(key, true);
    if (!l) return;
    for_each_word(*l, [&](std::string_view word, size_t offset) {
      std::string all;
      const int32_t bit = value_of(words, word, &all);
      if (bit < 0) return tell(*l, quoted(word) + " is not one of " + all, offset);
      *mask |= 1u << bit;
    });
  };
  if (k.op == GPUOPT_OP_NORM) bits("norm", words_of(1, GPUOPT_NORM_COUNT_, gpuopt_norm_name), &k.variants);
  if (k.op != GPUOPT_OP_REDUCE) return;
  bits("reduce", words_of(1, GPUOPT_REDUCE_COUNT_, gpuopt_reduce_name), &k.variants);
  bits("axis", {{"row", GPUOPT_EACH_ROW}, {"col", GPUOPT_EACH_COL}, {"all", GPUOPT_ALL}}, &k.axes);
}

// The one chain that the image computes, each stage as the command line writes it, without numbers: add:per_col:f32 relu.
void SectionReader::read_stages() {
  gpuopt_kernel &k = out_.kernel;
  if (k.op == GPUOPT_OP_TRANSPOSE || k.op == GPUOPT_OP_REDUCE) return;
  const ManifestLine *const l = line("stages", false);
  if (!l) return;
  constexpr int operands[] = {0,
#define X(name, value, operand_count, scalars, what) operand_count,
                              GPUOPT_STAGE_TABLE(X)
#undef X
  };
  for_each_word(*l, [&](std::string_view text, size_t offset) {
    std::vector<std::string_view> parts;
    for (size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
      end = std::min(text.find(':', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
    }
    std::string all;
    gpuopt_built_in_stage s = {};
    s.kind = value_of(words_of(1, GPUOPT_STAGE_COUNT_, gpuopt_stage_name), parts[0], &all);
    if (s.kind < 0) return tell(*l, quoted(parts[0]) + " is not one of " + all, offset);
    size_t next = 1;
    const bool formed = s.kind == GPUOPT_STAGE_ADD || s.kind == GPUOPT_STAGE_SUB || s.kind == GPUOPT_STAGE_MUL;
    if (formed) {
      s.form = value_of({{"scalar", GPUOPT_SCALAR},
                         {"per_row", GPUOPT_PER_ROW},
                         {"per_col", GPUOPT_PER_COL},
                         {"matrix", GPUOPT_MATRIX}},
                        next < parts.size() ? parts[next] : "", &all);
      ++next;
      if (s.form < 0) return tell(*l, std::string(parts[0]) + " has a form behind a colon: " + all, offset);
    }
    const int count = formed && s.form == GPUOPT_SCALAR ? 0 : operands[s.kind];
    if (parts.size() != next + static_cast<size_t>(count))
      return tell(*l, quoted(text) + " must give the types of " + std::to_string(count) + " operands", offset);
    for (int i = 0; i < count; ++i) s.dtype[i] = type_word(*l, parts[next + static_cast<size_t>(i)], offset);
    out_.chain.push_back(s);
    k.stage_kinds |= UINT64_C(1) << s.kind;
  });
  if (out_.chain.size() > GPUOPT_MAX_STAGES) tell(*l, "there are more than 8 stages");
  k.max_stages = static_cast<int32_t>(std::min<size_t>(out_.chain.size(), GPUOPT_MAX_STAGES));
}

void SectionReader::read_features() {
  const ManifestLine *const l = line("understands", false);
  if (!l) return;
  for_each_word(*l, [&](std::string_view word, size_t offset) {
    std::string all;
    const int32_t bit = value_of(feature_words(), word, &all);
    if (bit < 0 || (static_cast<uint32_t>(bit) & kCannot))
      return tell(*l, quoted(word) + (bit < 0 ? " is not one of " + all : " is nothing that an image can be given"),
                  offset);
    out_.kernel.understands |= static_cast<uint32_t>(bit);
  });
}

OperandNeed &SectionReader::need_of(int32_t place) {
  for (OperandNeed &n : out_.needs)
    if (n.place == place) return n;
  out_.needs.push_back({place});
  return out_.needs.back();
}

void SectionReader::read_operand_needs() {
  gpuopt_kernel &k = out_.kernel;
  const auto each = [&](const char *beginning, const std::function<void(const ManifestLine &, int32_t)> &fn) {
    section_.for_each(beginning, [&](const ManifestLine &l) {
      const int32_t place = find_operand_name(k.op, l.key.substr(std::string_view(beginning).size()));
      if (place < 0) return fault_(at_line(l.line, 1) + quoted(l.key) + " names no operand of this operation");
      fn(l, place);
    });
  };
  for (int i = 0; i < 4; ++i) k.layouts[i] = GPUOPT_LAYOUT_ROW;
  each("layout.", [&](const ManifestLine &l, int32_t place) {
    std::string all;
    const int32_t mask =
        value_of({{"row", GPUOPT_LAYOUT_ROW}, {"col", GPUOPT_LAYOUT_COL}, {"any", GPUOPT_LAYOUT_ANY}}, l.value, &all);
    if (mask < 0) return tell(l, quoted(l.value) + " is not one of " + all);
    if (place >= 4) return tell(l, "the layout of this operand is not stated");
    k.layouts[place] = static_cast<uint8_t>(mask);
  });
  // Bytes of a matrix, or of a stage's operand; norm's vectors may lie anywhere, as every kernel must take them.
  const auto bytes = [&](int32_t(gpuopt_kernel::*field)[4], int32_t OperandNeed::*other) {
    return [&, field, other](const ManifestLine &l, int32_t place) {
      int64_t value = 1;
      if (place >= 4 && place < GPUOPT_OPERAND_STAGE) return tell(l, "the alignment of this operand is not stated");
      if (!integer(l, 1, 256, &value)) return;
      if ((value & (value - 1)) != 0) return tell(l, std::to_string(value) + " is no power of two");
      (place < 4 ? (k.*field)[place] : need_of(place).*other) = static_cast<int32_t>(value);
    };
  };
  each("align.", bytes(&gpuopt_kernel::align, &OperandNeed::align));
  each("ld_align.", bytes(&gpuopt_kernel::ld_align, &OperandNeed::ld_align));
  each("type.", [&](const ManifestLine &l, int32_t place) {
    const bool stated =
        k.op != GPUOPT_OP_NORM || place == GPUOPT_OPERAND_X || place == GPUOPT_OPERAND_OUT || place >= 7;
    if (stated) return tell(l, "the type of this operand stands in types or stages");
    operand_type_[place] = type_word(l, l.value, 0);
  });
  const auto each_extent = [&](const char *beginning, const std::function<void(size_t, int64_t)> &fn) {
    section_.for_each(beginning, [&](const ManifestLine &l) {
      Variable v;
      int64_t value = 1;
      if (!find_variable(k.op, l.key.substr(std::string_view(beginning).size()), &v) || v.extent > Extent::k)
        return fault_(at_line(l.line, 1) + quoted(l.key) + " names no extent of this operation");
      if (integer(l, 1, INT32_MAX, &value)) fn(static_cast<size_t>(v.extent), value);
    });
  };
  each_extent("multiple.", [&](size_t extent, int64_t value) { k.multiple[extent] = static_cast<int32_t>(value); });
  each_extent("limit.", [&](size_t extent, int64_t value) { out_.limit[extent] = value; });
  if (const ManifestLine *l = line("optional", false))
    for_each_word(*l, [&](std::string_view word, size_t offset) {
      const int32_t place = operand_word(*l, word, offset);
      if (place >= 0 && place < 7) optional_ |= 1u << place;
    });
}

}  // namespace gpuopt
