// All of the library's getenv: read once per handle, parsed strictly. docs/environment.md is the table for
// users.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

enum verbose_bit : uint32_t { kError = 1, kWarn = 2, kInfo = 4, kDispatch = 8, kExec = 16, kProfile = 32 };
constexpr uint32_t kVerboseDefault = kError | kWarn;

// What the caller of gpuopt_create and the environment asked for, after parsing.
struct settings {
  int32_t device = GPUOPT_DEVICE_AUTO;
  int32_t cpu_fallback = GPUOPT_FALLBACK_AUTO;
  int32_t num_threads = 0;  // 0: all the process may use
  int32_t cpu_isa = -1;     // -1: the best there is
  std::string kernel, disable, log_file;
  uint32_t verbose = kVerboseDefault;
  std::vector<std::string> warnings;  // to be logged once the log exists
};

// Fills settings from options where given, else from the environment. On failure the message is set.
gpuopt_status read_settings(const gpuopt_options *options, settings *out);

// "a=x, b=y,z" into the per-op forced names (index by op; index 0 holds a bare name's list). Malformed text
// fails.
struct forced_names {
  std::string by_op[GPUOPT_OP_COUNT_];
  std::vector<std::string> bare;
};
gpuopt_status parse_forced(const char *text, forced_names *out);

// Tokens into verbose bits; an unknown token is reported in *unknown and skipped.
uint32_t parse_verbose(const char *text, std::string *unknown);

// Splits at commas, trims blanks, drops empty items.
std::vector<std::string> split_list(const char *text);

}  // namespace gpuopt
