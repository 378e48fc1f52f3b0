// The core's GPUOPT_* variables: read once per handle, parsed strictly. docs/environment.md is the table for users.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

enum VerboseBit : uint32_t {
  kError = 1,
  kWarn = 2,
  kInfo = 4,
  kDispatch = 8,
  kExec = 16,
  kProfile = 32,
  kCommand = 64
};
constexpr uint32_t kVerboseDefault = kError | kWarn;

// A text and who gave it, as messages name him: "options.kernel", "GPUOPT_KERNEL".
struct Text {
  std::string value;
  const char *source = "";
};

struct Warning {
  std::string source, text;
};

// What the caller of gpuopt_create and the environment asked for, after parsing.
struct Settings {
  int32_t device = GPUOPT_DEVICE_AUTO;
  const char *device_source = "options.device";
  int32_t cpu_fallback = GPUOPT_FALLBACK_AUTO;
  const char *cpu_fallback_source = "options.cpu_fallback";
  int32_t num_threads = 0;  // 0: all the process may use
  int32_t cpu_isa = -1;     // -1: the best there is
  Text kernel, disable, log_file, plugin_path, tune_cache;
  uint32_t verbose = kVerboseDefault;
  bool nvtx = false;              // name launches to profilers
  std::vector<Warning> warnings;  // to be logged once the log exists
};

// Did the program gain privileges that its user does not have (setuid, setgid, file capabilities)? Then his environment
// has no say, and a log file is not opened through a symbolic link.
bool has_raised_privileges();

// Fills settings from options where given, else from the environment. On failure the message is set.
gpuopt_status read_settings(const gpuopt_options *options, Settings *out);

// Of these what concerns the log: verbose, log_file, and warnings.
void read_log_settings(const gpuopt_options &options, Settings *out);

// Fails when a list of names or words is longer than any sensible one. where: "gpuopt_create: options.kernel".
gpuopt_status check_length(const std::string &where, const char *text);

// "a=x, b=y,z" into the per-op forced names (index by op; index 0 holds a bare name's list). Malformed text
// fails; where as above.
struct ForcedNames {
  std::string by_op[GPUOPT_OP_COUNT_];
  std::vector<std::string> bare;
};
gpuopt_status parse_forced(const std::string &where, const char *text, ForcedNames *out);

// Words into verbose bits; unknown ones are skipped and the first is left in *unknown.
uint32_t parse_verbose(const char *text, std::string *unknown);

// What a message says after an unknown word of it.
extern const char *const kKnownVerbose;

// Splits at commas, trims blanks, drops empty items.
std::vector<std::string> split_list(const char *text);

}  // namespace gpuopt
