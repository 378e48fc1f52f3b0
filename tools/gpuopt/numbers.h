// Numbers of the command line, read strictly: what is no number, or out of range, is refused with the argument, its value
// and the rule.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace gpuopt_cli {

int64_t parse_integer(const std::string &argument, const std::string &text, int64_t least, int64_t most);
uint64_t parse_unsigned(const std::string &argument, const std::string &text);
double parse_number(const std::string &argument, const std::string &text);  // inf and nan are numbers
int32_t parse_alignment(const std::string &argument, const std::string &text);
int32_t parse_device(const std::string &text);  // of --device

// --name X with X a finite number above 0.
CLI::Option *add_positive(CLI::App *verb, const std::string &name, double *value, const std::string &help);

constexpr int64_t kMostExtent = INT64_MAX;

// --name N with least <= N <= most.
template <class Integer>
CLI::Option *add_integer(CLI::App *verb, const std::string &name, Integer *value, int64_t least, int64_t most,
                         const std::string &help) {
  static_assert(std::is_integral_v<Integer>);
  return verb
      ->add_option_function<std::string>(
          name, [=](const std::string &text) { *value = static_cast<Integer>(parse_integer(name, text, least, most)); },
          help)
      ->type_name("INT");
}

}  // namespace gpuopt_cli
