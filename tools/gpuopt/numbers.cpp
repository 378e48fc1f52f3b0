#include "numbers.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "gpuopt/gpuopt.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

template <class Number>
bool reads(std::string_view text, Number *value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

int64_t parse_integer(const std::string &argument, const std::string &text, int64_t least, int64_t most) {
  int64_t value = 0;
  if (!reads(text, &value) || value < least || value > most)
    reject_word(argument, text, "must be an integer within " + std::to_string(least) + " and " + std::to_string(most));
  return value;
}

uint64_t parse_unsigned(const std::string &argument, const std::string &text) {
  uint64_t value = 0;
  if (!reads(text, &value))
    reject_word(argument, text, "must be an integer within 0 and " + std::to_string(UINT64_MAX));
  return value;
}

double parse_number(const std::string &argument, const std::string &text) {
  double value = 0;
  if (!reads(text, &value)) reject_word(argument, text, "must be a number within the range of a double");
  return value;
}

CLI::Option *add_positive(CLI::App *verb, const std::string &name, double *value, const std::string &help) {
  return verb
      ->add_option_function<std::string>(
          name,
          [=](const std::string &text) {
            *value = parse_number(name, text);
            if (!std::isfinite(*value) || *value <= 0) reject_word(name, text, "must be a finite number above 0");
          },
          help)
      ->type_name("FLOAT");
}

int32_t parse_alignment(const std::string &argument, const std::string &text) {
  int32_t value = 0;
  if (!reads(text, &value) || value < 0 || (value & (value - 1)) != 0)
    reject_word(argument, text, "must be 0 or a power of two below 2^31");
  return value;
}

int32_t parse_device(const std::string &text) {
  if (text == "auto") return GPUOPT_DEVICE_AUTO;
  if (text == "cpu") return GPUOPT_DEVICE_CPU;
  int32_t ordinal = 0;
  if (!reads(text, &ordinal) || ordinal < 0) reject_word("--device", text, "must be auto, cpu, or a CUDA ordinal");
  return ordinal;
}

}  // namespace gpuopt_cli
