#include "operand_fill.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "bench_timer.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

using gpuopt_check::Data;

const std::vector<float> &pattern_of(Data values) {
  const auto make = [](auto distribution) {
    std::mt19937_64 bits(1);
    std::vector<float> all(1 << 18);
    for (float &x : all) x = distribution(bits);
    return all;
  };
  static const std::vector<float> normal = make(std::normal_distribution<float>()),
                                  uniform = make(std::uniform_real_distribution<float>(-1, 1));
  return values == Data::normal ? normal : uniform;
}

// A fused_act without stages converts; integers get a factor so that they are not all 0 and 1.
void convert(gpuopt_handle *handle, const void *from, void *to, gpuopt_dtype type, int64_t count) {
  const bool integer = type == GPUOPT_I8 || type == GPUOPT_U8 || type == GPUOPT_I32;
  const gpuopt_stage wider = gpuopt_act(GPUOPT_STAGE_MUL, 20, 0);
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = gpuopt_mat(from, 1, count, GPUOPT_F32);
  f.out = gpuopt_mat(to, 1, count, type);
  f.stages = integer ? &wider : nullptr;
  f.stage_count = integer ? 1 : 0;
  if (gpuopt_fused_act(handle, &f) != GPUOPT_OK) throw_last_error();
}

}  // namespace

void fill_operand(gpuopt_handle *handle, void *data, gpuopt_dtype type, int64_t count, Data values) {
  const int64_t bytes = count * gpuopt_dtype_size(type);
  if (values == Data::zeros || count == 0) {
    if (bytes > 0 && gpuopt_fill(handle, data, 0, static_cast<size_t>(bytes)) != GPUOPT_OK) throw_last_error();
    return;
  }
  const std::vector<float> &pattern = pattern_of(values);
  const bool convertible = type != GPUOPT_I64 && type != GPUOPT_B128;
  // As fp32, or as bytes of the type itself.
  const auto staged = static_cast<size_t>(convertible ? count * int64_t(sizeof(float)) : bytes);
  std::vector<char> image(staged);
  if (type == GPUOPT_I64) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = int64_t(20 * pattern[size_t(i) % pattern.size()]);
      std::memcpy(image.data() + i * 8, &value, sizeof value);
    }
  } else {
    const size_t period = pattern.size() * sizeof(float);
    for (size_t at = 0; at < image.size(); at += period)
      std::memcpy(image.data() + at, pattern.data(), std::min(period, image.size() - at));
  }
  void *from = data;
  const bool converts = convertible && type != GPUOPT_F32;
  if (converts && gpuopt_malloc(handle, &from, staged) != GPUOPT_OK) throw_last_error();
  const gpuopt_status copied = gpuopt_copy(handle, from, image.data(), staged);
  try {
    if (copied != GPUOPT_OK) throw_last_error();
    if (converts) convert(handle, from, data, type, count);
    if (gpuopt_synchronize(handle) != GPUOPT_OK) throw_last_error();
  } catch (...) {
    if (converts) gpuopt_free(handle, from);
    throw;
  }
  if (converts) gpuopt_free(handle, from);
}

void fill_groups(gpuopt_handle *handle, gpuopt_call::Call *of) {
  const gpuopt_call::GroupWords words = gpuopt_call::group_words(of);
  if (!words.bytes.empty() && (gpuopt_copy(handle, words.data, words.bytes.data(), words.bytes.size()) != GPUOPT_OK ||
                               gpuopt_synchronize(handle) != GPUOPT_OK))
    throw_last_error();
}

Data parse_data(const std::string &argument, const std::string &word) {
  if (word == "normal") return Data::normal;
  if (word == "uniform") return Data::uniform;
  if (word == "zeros") return Data::zeros;
  reject_word(argument, word, "must be one of: normal, uniform, zeros");
}

bool parse_cache(const std::string &word) {
  if (word != "cold" && word != "resident") reject_word("--cache", word, "must be one of: cold, resident");
  return word == "cold";
}

}  // namespace gpuopt_cli
