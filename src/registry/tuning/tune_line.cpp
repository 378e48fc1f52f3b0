// A line of a tuned-choice file as an entry. Words come in any order, each once; one that is not known is a fault, for it
// may say what must be understood.
#include <algorithm>
#include <charconv>

#include "facts.h"
#include "problem.h"
#include "text.h"
#include "tuning/tune_text.h"
#include "tuning/tune_words.h"

namespace gpuopt {
namespace {

bool equals_lowered(std::string_view text, std::string_view name) {
  if (text.size() != name.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = name[i];
    if (text[i] != (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c)) return false;
  }
  return true;
}

// The first piece of text and the rest behind the separator.
std::string_view cut(std::string_view *text, char separator) {
  const size_t at = text->find(separator);
  const std::string_view piece = text->substr(0, at);
  *text = at == std::string_view::npos ? std::string_view() : text->substr(at + 1);
  return piece;
}

bool read_integer(std::string_view text, int64_t least, int64_t most, int64_t *out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() && *out >= least && *out <= most;
}

bool read_log2(std::string_view text, uint8_t *out) {
  int64_t power = 0;
  if (!read_integer(text, 1, 256, &power) || (power & (power - 1)) != 0) return false;
  *out = static_cast<uint8_t>(__builtin_ctzll(static_cast<unsigned long long>(power)));
  return true;
}

bool read_time(std::string_view text, float *us) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *us);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() && *us >= 1e-3f && *us <= 1e9f;
}

// The value in [first, end) of which name(value) is the text; -1: none.
template <class Name>
int find_value(std::string_view text, int first, int end, Name &&name) {
  for (int value = first; value < end; ++value)
    if (equals_lowered(text, name(value))) return value;
  return -1;
}

template <size_t kCount>
bool read_bits(std::string_view text, const NamedBit (&words)[kCount], uint32_t *bits) {
  for (bool more = true; more;) {
    more = text.find('+') != std::string_view::npos;
    const std::string_view name = cut(&text, '+');
    uint32_t found = 0;
    for (const NamedBit &word : words)
      if (equals_lowered(name, word.name)) found = word.bit;
    if (found == 0 || (*bits & found)) return false;
    *bits |= found;
  }
  return true;
}

// "bf16:row:align16:ld256", then "stride256" where there is a batch, and marks.
bool read_operand(std::string_view text, bool batched, uint8_t unconstrained, TuneOperand *o) {
  const int dtype = find_value(cut(&text, ':'), 1, GPUOPT_DTYPE_COUNT_, gpuopt_dtype_name),
            layout = find_value(cut(&text, ':'), 0, 2, [](int i) { return kLayoutWords[i]; });
  if (dtype < 0 || layout < 0) return false;
  const auto alignment = [&](std::string_view name, uint8_t *out) {
    const std::string_view word = cut(&text, ':');
    return word.substr(0, name.size()) == name && read_log2(word.substr(name.size()), out);
  };
  o->dtype = static_cast<uint8_t>(dtype);
  o->layout = static_cast<uint8_t>(layout);
  o->stride_align = unconstrained;
  if (!alignment("align", &o->align) || !alignment("ld", &o->ld_align)) return false;
  if (batched && !alignment("stride", &o->stride_align)) return false;
  if (o->align > kLog2Widest || o->ld_align > unconstrained || o->stride_align > unconstrained) return false;
  while (!text.empty()) {
    const std::string_view word = cut(&text, ':');
    uint8_t found = 0;
    for (const NamedBit &mark : kMarkWords)
      if (word == mark.name) found = static_cast<uint8_t>(mark.bit);
    if (found == 0 || (o->marks & found)) return false;
    o->marks |= found;
  }
  return true;
}

// The words of one line, taken by name.
class LineReader {
 public:
  LineReader(std::string_view line, TuneLine *out) : out_(*out) { split(line); }
  std::string read();

 private:
  struct Word {
    std::string_view name, value;  // value: without data where there is no '='
    bool taken;
  };
  static constexpr int kMostWords = 64;

  void split(std::string_view line);
  // What is wrong, of the first word that is; the rest is not read.
  void fail(std::string_view name, std::string_view value, const char *rule) {
    if (!fault_.empty()) return;
    fault_ = std::string(prefix(name, 64)) + (value.data() ? "=" : "") + std::string(prefix(value, 64)) + ": " + rule;
  }
  bool take(std::string_view name, std::string_view *value);
  std::string_view need(std::string_view name);
  int64_t integer(std::string_view name, int64_t least, int64_t most);
  int64_t extent(std::string_view name, int64_t least);
  template <class Name>
  int value_of(std::string_view name, int first, int end, const char *rule, Name &&word);
  template <size_t kCount>
  uint32_t bits(std::string_view name, const NamedBit (&words)[kCount], const char *rule);

  void read_device();
  void read_problem();
  void read_operands();
  void read_stages();
  void read_kernel(std::string_view names, std::string_view versions, TuneChoice *out);
  void check_algorithm(std::string_view algorithm);
  void read_choice();
  void read_times();

  TuneLine &out_;
  Word words_[kMostWords];
  int count_ = 0;
  std::string fault_;
};

void LineReader::split(std::string_view line) {
  const std::string_view blanks = " \t\r";
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) return;
    std::string_view word = line.substr(0, line.find_first_of(blanks));
    line.remove_prefix(word.size());
    if (count_ == kMostWords) return fail(word, {}, "is beyond the 64 words that an entry may have");
    if (word.find('=') == std::string_view::npos) {
      words_[count_++] = {word, {}, false};
    } else {
      const std::string_view name = cut(&word, '=');
      words_[count_++] = {name, word, false};
    }
  }
}

bool LineReader::take(std::string_view name, std::string_view *value) {
  for (int i = 0; i < count_; ++i) {
    if (words_[i].taken || words_[i].name != name) continue;
    words_[i].taken = true;
    *value = words_[i].value;
    return true;
  }
  return false;
}

std::string_view LineReader::need(std::string_view name) {
  std::string_view value;
  if (!take(name, &value) && fault_.empty()) fault_ = "no " + std::string(name) + "= in it";
  return value;
}

int64_t LineReader::integer(std::string_view name, int64_t least, int64_t most) {
  const std::string_view value = need(name);
  int64_t number = 0;
  if (read_integer(value, least, most, &number)) return number;
  fail(name, value, ("is no integer within " + std::to_string(least) + " and " + std::to_string(most)).c_str());
  return least;
}

int64_t LineReader::extent(std::string_view name, int64_t least) {
  const int64_t number = integer(name, least, INT64_MAX);
  if (out_.key.kind == GPUOPT_TUNE_CLASS && (number & (number - 1)) != 0)
    fail(name, std::to_string(number), "is no power of two as in a class");
  return number;
}

template <class Name>
int LineReader::value_of(std::string_view name, int first, int end, const char *rule, Name &&word) {
  const std::string_view value = need(name);
  const int found = find_value(value, first, end, word);
  if (found < 0) fail(name, value, rule);
  return found < 0 ? first : found;
}

template <size_t kCount>
uint32_t LineReader::bits(std::string_view name, const NamedBit (&words)[kCount], const char *rule) {
  std::string_view value;
  uint32_t found = 0;
  if (take(name, &value) && !read_bits(value, words, &found)) fail(name, value, rule);
  return found;
}

void LineReader::read_device() {
  DeviceId &d = out_.device;
  d.name = need("device");
  if (d.name.empty() || d.name.size() > 64) fail("device", d.name, "is no name of 1 to 64 characters");
  std::string_view isa;
  if (take("isa", &isa)) {
    const int found = find_value(isa, 0, 3, isa_name);
    if (found < 0) fail("isa", isa, "is not avx512, avx2 or baseline");
    d.isa = found;
    d.threads = static_cast<int32_t>(integer("threads", 1, 1 << 16));
  } else {
    d.cc = static_cast<int32_t>(integer("cc", 10, 999));
    d.sm_count = static_cast<int32_t>(integer("sm", 1, 1 << 16));
  }
}

void LineReader::read_problem() {
  TuneKey &key = out_.key;
  const auto byte = [](int value) { return static_cast<uint8_t>(value); };
  key.op = byte(value_of("op", 1, GPUOPT_OP_COUNT_, "is no operation", gpuopt_op_name));
  if (key.op == GPUOPT_OP_REDUCE) {
    key.variant = byte(value_of("reduce", 1, GPUOPT_REDUCE_COUNT_, "is no reduction", gpuopt_reduce_name));
    key.axis = byte(value_of("axis", 1, 4, "is not row, col or all", [](int i) { return kAxisWords[i]; }));
  }
  if (key.op == GPUOPT_OP_NORM)
    key.variant = byte(value_of("norm", 1, GPUOPT_NORM_COUNT_, "is no norm", gpuopt_norm_name));
  key.compute = byte(value_of("compute", 1, GPUOPT_COMPUTE_COUNT_, "is no compute type", gpuopt_compute_name));
  const int64_t least = key.op == GPUOPT_OP_REDUCE ? 0 : 1;  // sums of no elements have a result
  key.m = extent("m", least);
  key.n = extent("n", least);
  key.k = key.op == GPUOPT_OP_GEMM || key.op == GPUOPT_OP_GEMM_GROUPED ? extent("k", 0) : 0;
  key.batch = extent("batch", 1);
  key.features = bits("features", kFeatureWords, "is no list of features");
  key.flags = bits("flags", kFlagWords, "is no list of flags");
}

void LineReader::read_operands() {
  const TuneKey &key = out_.key;
  const uint8_t unconstrained = key.kind == GPUOPT_TUNE_CLASS ? kLog2Widest : kLog2Unconstrained;
  int present = 0;
  for (int i = 0; i < TuneKey::kOperands; ++i) {
    const std::string name = operand_name(key.op, i);
    std::string_view text;
    if (name.empty() || !take(name, &text)) continue;
    ++present;
    if (!read_operand(text, key.batch > 1, unconstrained, &out_.key.operand[i]))
      fail(name, text, "is no operand as f32:row:align16:ld16 (align: 1 to 16, ld: 1 to 256 or in a class to 16)");
  }
  if (present < 2 && fault_.empty()) fault_ = "no operands in it";
}

void LineReader::read_stages() {
  TuneKey &key = out_.key;
  const uint8_t unconstrained = key.kind == GPUOPT_TUNE_CLASS ? kLog2Widest : kLog2Unconstrained;
  std::string_view whole;
  while (take("stage", &whole)) {
    if (key.stage_count == GPUOPT_MAX_STAGES) return fail("stage", whole, "is one more than a chain may have");
    TuneStage &stage = key.stage[key.stage_count++];
    std::string_view text = whole;
    const int kind = find_value(cut(&text, ':'), 1, GPUOPT_STAGE_COUNT_, gpuopt_stage_name);
    if (kind < 0) return fail("stage", whole, "is no stage");
    stage.kind = static_cast<uint8_t>(kind);
    if (stage_has_form(kind)) {
      const int form = find_value(cut(&text, ':'), 0, 4, [](int i) { return kFormWords[i]; });
      if (form < 0) return fail("stage", whole, "is not scalar, per_row, per_col or matrix");
      stage.form = static_cast<uint8_t>(form);
    }
    const int operands = stage_operands(kind, stage.form);
    bool good = true;
    for (int i = 0; i < operands && good; ++i)
      good = read_operand(cut(&text, '+'), key.batch > 1, unconstrained, i == 0 ? &stage.a : &stage.b);
    if (!good || !text.empty()) return fail("stage", whole, "has not the operands of its kind");
  }
}

// "gemm_wmma" or, of two steps, "gemm_wmma+fused_act_vec16", with as many versions.
void LineReader::read_kernel(std::string_view names, std::string_view versions, TuneChoice *out) {
  const auto version = [&](std::string_view text, int32_t *number) {
    int64_t wide = 0;
    const bool good = read_integer(text, INT32_MIN, INT32_MAX, &wide);
    *number = static_cast<int32_t>(wide);
    return good;
  };
  std::string_view kernels = names, numbers = versions;
  out->kernel = cut(&kernels, '+');
  out->second = kernels;
  const bool two = names.find('+') != std::string_view::npos;
  if (out->kernel.empty() || (two && out->second.empty())) fail("kernel", names, "is no name of a kernel, nor of two");
  const bool good = version(cut(&numbers, '+'), &out->version);
  if (!good || (two ? !version(numbers, &out->second_version) : versions.find('+') != std::string_view::npos))
    fail("version", versions, two ? "is not the versions of two kernels" : "is not the version of a kernel");
}

void LineReader::check_algorithm(std::string_view algorithm) {
  if (algorithm.empty() || algorithm.size() > 96) fail("algorithm", algorithm, "is no name of 1 to 96 characters");
}

void LineReader::read_choice() {
  TuneChoice &choice = out_.choice[out_.choices++];
  const std::string_view names = need("kernel"), versions = need("version");
  read_kernel(names, versions, &choice);
  if (take("algorithm", &choice.algorithm)) check_algorithm(choice.algorithm);
  // Times are for people and for who tunes again.
  for (const char *name : {"us", "untuned_us"}) {
    std::string_view text;
    if (take(name, &text) && (text.empty() || text.find_first_not_of("0123456789.e+-") != std::string_view::npos))
      fail(name, text, "is no time");
  }
}

// "time=12.5:1+1:gemm_cublaslt+fused_act_vec16:id66.tile20": microseconds, versions, kernels and, where one was timed, the
// algorithm behind a last '@'. A plugin's kernel has a colon in its name.
void LineReader::read_times() {
  std::string_view whole;
  while (take("time", &whole)) {
    if (out_.choices == TuneLine::kMostTimes)
      return fail("time", whole, "is beyond the 24 times that an entry may have");
    TuneChoice &choice = out_.choice[out_.choices++];
    std::string_view rest = whole;
    const std::string_view us = cut(&rest, ':'), versions = cut(&rest, ':');
    const bool chosen = rest.find('@') != std::string_view::npos;
    const std::string_view kernels = cut(&rest, '@');
    read_kernel(kernels, versions, &choice);
    if (chosen) check_algorithm(choice.algorithm = rest);
    if (!read_time(us, &choice.us)) fail("time", whole, "does not begin with microseconds from 1e-3 to 1e9");
  }
  if (out_.choices == 0 && fault_.empty()) fault_ = "no time= in it";
}

std::string LineReader::read() {
  if (count_ == 0) return "it is empty";
  if (!fault_.empty()) return fault_;
  Word &kind = words_[0];
  for (const uint8_t i : {uint8_t{GPUOPT_TUNE_EXACT}, uint8_t{GPUOPT_TUNE_CLASS}, kTuneMeasured})
    if (kind.name == kKindWords[i] && kind.value.data() == nullptr) out_.key.kind = i;
  if (out_.key.kind == 0) return "it begins with " + quoted(kind.name) + " and not with exact, class or measured";
  kind.taken = true;
  read_device();
  if (fault_.empty()) read_problem();
  if (fault_.empty()) read_operands();
  if (fault_.empty()) read_stages();
  if (fault_.empty()) out_.key.kind == kTuneMeasured ? read_times() : read_choice();
  for (int i = 0; i < count_ && fault_.empty(); ++i) {
    if (words_[i].taken) continue;
    bool twice = false;
    for (int j = 0; j < count_; ++j) twice = twice || (j != i && words_[j].name == words_[i].name);
    fail(words_[i].name, words_[i].value, twice ? "is given twice" : "is no word of an entry");
  }
  return fault_;
}

}  // namespace

std::string parse_tune_line(std::string_view line, TuneLine *out) {
  *out = TuneLine();
  return LineReader(line, out).read();
}

}  // namespace gpuopt
