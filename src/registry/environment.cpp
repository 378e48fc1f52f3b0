#include "environment.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "error.h"
#include "facts.h"
#include "nvtx.h"
#include "registry.h"
#include "text.h"

extern char **environ;

namespace gpuopt {
namespace {

constexpr const char *kKnown[] = {"GPUOPT_KERNEL",      "GPUOPT_DISABLE", "GPUOPT_VERBOSE",
                                  "GPUOPT_LOG_FILE",    "GPUOPT_DEVICE",  "GPUOPT_CPU_FALLBACK",
                                  "GPUOPT_NUM_THREADS", "GPUOPT_CPU_ISA", "GPUOPT_PLUGIN_PATH",
                                  "GPUOPT_TUNE_CACHE",  "GPUOPT_NVTX",    "GPUOPT_DIST_PLAN"};

const char *variable(const char *name) {
  const char *value = secure_getenv(name);
  return value && *value ? value : nullptr;
}

// The option where it is given, else the variable.
Text pick(const char *option, const char *field, const char *name) {
  const char *value = option ? option : variable(name);
  return Text{value ? value : "", option ? field : name};
}

bool parse_integer(std::string_view text, int32_t least, int32_t most, int32_t *out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size() && *out >= least && *out <= most;
}

gpuopt_status bad(const char *name, std::string_view value, const char *rule) {
  return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_create: %s=%s%s %s", name, std::string(prefix(value, 64)).c_str(),
              value.size() > 64 ? "..." : "", rule);
}

gpuopt_status parse_isa(const char *name, const char *text, int32_t *out) {
  for (int32_t isa = 0; isa < 3; ++isa) {
    if (std::strcmp(text, isa_name(isa)) != 0) continue;
    *out = isa;
    return GPUOPT_OK;
  }
  return bad(name, text, "is not avx512, avx2 or baseline");
}

// One warning for every GPUOPT_* variable that the library does not know, by name only: a value may be
// private.
void warn_unknown(std::vector<Warning> *warnings) {
  if (has_raised_privileges()) return;
  for (char **entry = environ; entry && *entry; ++entry) {
    if (std::strncmp(*entry, "GPUOPT_", 7) != 0) continue;
    char *equals = std::strchr(*entry, '=');
    const std::string name = equals ? std::string(*entry, equals) : std::string(*entry);
    size_t best = SIZE_MAX;
    const char *nearest = "";
    for (const char *known : kKnown) {
      const size_t distance = edit_distance(name, known);
      if (distance < best) best = distance, nearest = known;
    }
    // Variables of the project's own test programs are not the library's business.
    if (best != 0 && name.compare(0, 12, "GPUOPT_TEST_") != 0)
      warnings->push_back({name, std::string("unknown variable; nearest: ") + nearest});
  }
}

// In every locale.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr size_t kLongestList = 16384;

}  // namespace

const char *const kKnownVerbose = "none error warn info dispatch exec profile command all";

bool has_raised_privileges() { return getauxval(AT_SECURE) != 0; }

gpuopt_status check_length(const std::string &where, const char *text) {
  const size_t length = text ? std::strlen(text) : 0;
  return length <= kLongestList ? GPUOPT_OK
                                : fail(GPUOPT_INVALID_ARGUMENT, "%s is %zu bytes long, the limit is %zu", where.c_str(),
                                       length, kLongestList);
}

std::vector<std::string> split_list(const char *text) {
  std::vector<std::string> items;
  std::string item;
  for (const char *c = text ? text : "";; ++c) {
    if (*c == ',' || *c == 0) {
      while (!item.empty() && is_blank(item.back())) item.pop_back();
      if (!item.empty()) items.push_back(item);
      item.clear();
      if (*c == 0) return items;
    } else if (!item.empty() || !is_blank(*c)) {
      item += *c;
    }
  }
}

gpuopt_status parse_forced(const std::string &where, const char *text, ForcedNames *out) {
  *out = ForcedNames();
  const gpuopt_status s = check_length(where, text);
  if (s != GPUOPT_OK) return s;
  for (const std::string &item : split_list(text)) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos) {
      out->bare.push_back(item);
      continue;
    }
    const std::string op = item.substr(0, equals), name = item.substr(equals + 1);
    int32_t found = 0;
    std::string ops;
    for (int32_t i = 1; i < GPUOPT_OP_COUNT_; ++i) {
      if (op == gpuopt_op_name(i)) found = i;
      ops += std::string(i == 1 ? "" : ", ") + gpuopt_op_name(i);
    }
    if (found == 0)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s=%s: %s is not an operation (%s)", where.c_str(), quoted(item).c_str(),
                  quoted(op).c_str(), ops.c_str());
    if (name.empty())
      return fail(GPUOPT_INVALID_ARGUMENT, "%s=%s: no kernel name after the '='", where.c_str(), quoted(item).c_str());
    out->by_op[found] = name;
  }
  return GPUOPT_OK;
}

uint32_t parse_verbose(const char *text, std::string *unknown) {
  uint32_t bits = 0;
  for (const std::string &token : split_list(text)) {
    // Each word includes the more urgent ones; exec, dispatch, profile and command are separate streams of lines.
    if (token == "none")
      bits = 0;
    else if (token == "error")
      bits |= kError;
    else if (token == "warn")
      bits |= kError | kWarn;
    else if (token == "info")
      bits |= kError | kWarn | kInfo;
    else if (token == "dispatch")
      bits |= kError | kWarn | kDispatch;
    else if (token == "exec")
      bits |= kError | kWarn | kExec;
    else if (token == "profile")
      bits |= kError | kWarn | kExec | kProfile;
    else if (token == "command")
      bits |= kError | kWarn | kCommand;
    else if (token == "all")
      bits |= kError | kWarn | kInfo | kDispatch | kExec | kProfile | kCommand;
    else if (unknown && unknown->empty())
      *unknown = token;
  }
  return bits;
}

void read_log_settings(const gpuopt_options &o, Settings *out) {
  out->log_file = pick(o.log_file, "options.log_file", "GPUOPT_LOG_FILE");
  const Text verbose = pick(o.verbose, "options.verbose", "GPUOPT_VERBOSE");
  if (verbose.value.empty()) return;
  std::string unknown;
  out->verbose = parse_verbose(verbose.value.c_str(), &unknown);
  if (unknown.empty()) return;
  out->verbose |= kVerboseDefault;
  out->warnings.push_back({verbose.source, "unknown token " + quoted(unknown) + "; known: " + kKnownVerbose});
}

gpuopt_status read_settings(const gpuopt_options *options, Settings *out) {
  const gpuopt_options none = GPUOPT_OPTIONS_INIT;
  const gpuopt_options &o = options ? *options : none;
  *out = Settings();
  warn_unknown(&out->warnings);

  out->device = o.device;
  if (o.device == GPUOPT_DEVICE_AUTO) {
    if (const char *text = variable("GPUOPT_DEVICE")) {
      out->device_source = "GPUOPT_DEVICE";
      if (std::strcmp(text, "cpu") == 0)
        out->device = GPUOPT_DEVICE_CPU;
      else if (!parse_integer(text, 0, 1023, &out->device))
        return bad("GPUOPT_DEVICE", text, "is not cpu or a CUDA ordinal");
    }
  } else if (o.device < GPUOPT_DEVICE_CPU) {
    return fail(GPUOPT_INVALID_ARGUMENT,
                "gpuopt_create: options.device=%d is not GPUOPT_DEVICE_AUTO, GPUOPT_DEVICE_CPU or an ordinal",
                o.device);
  }

  if (o.cpu_fallback < 0 || o.cpu_fallback > GPUOPT_FALLBACK_ALWAYS)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_create: options.cpu_fallback=%d is not a GPUOPT_FALLBACK_* value",
                o.cpu_fallback);
  if (o.cpu_fallback != GPUOPT_FALLBACK_DEFAULT) {
    out->cpu_fallback = o.cpu_fallback;
  } else if (const char *text = variable("GPUOPT_CPU_FALLBACK")) {
    out->cpu_fallback_source = "GPUOPT_CPU_FALLBACK";
    if (std::strcmp(text, "auto") == 0)
      out->cpu_fallback = GPUOPT_FALLBACK_AUTO;
    else if (std::strcmp(text, "never") == 0)
      out->cpu_fallback = GPUOPT_FALLBACK_NEVER;
    else if (std::strcmp(text, "always") == 0)
      out->cpu_fallback = GPUOPT_FALLBACK_ALWAYS;
    else
      return bad("GPUOPT_CPU_FALLBACK", text, "is not auto, never or always");
  }

  if (o.num_threads < 0 || o.num_threads > 4096)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_create: options.num_threads=%d is not within 0 and 4096",
                o.num_threads);
  out->num_threads = o.num_threads;
  if (o.num_threads == 0)
    if (const char *text = variable("GPUOPT_NUM_THREADS"))
      if (!parse_integer(text, 1, 4096, &out->num_threads))
        return bad("GPUOPT_NUM_THREADS", text, "is not an integer within 1 and 4096");

  gpuopt_status status = GPUOPT_OK;
  if (o.cpu_isa)
    status = parse_isa("options.cpu_isa", o.cpu_isa, &out->cpu_isa);
  else if (const char *text = variable("GPUOPT_CPU_ISA"))
    status = parse_isa("GPUOPT_CPU_ISA", text, &out->cpu_isa);
  if (status != GPUOPT_OK) return status;

  if (const char *text = variable("GPUOPT_NVTX")) {
    int32_t on = 0;
    if (!parse_integer(text, 0, 1, &on)) return bad("GPUOPT_NVTX", text, "is not 0 or 1");
    out->nvtx = on != 0;
    if (out->nvtx && !gpuopt_nvtx_is_built())
      out->warnings.push_back({"GPUOPT_NVTX", "this build has no NVTX, which comes with the CUDA toolkit: no ranges"});
  }

  out->kernel = pick(o.kernel, "options.kernel", "GPUOPT_KERNEL");
  out->disable = pick(o.disable, "options.disable", "GPUOPT_DISABLE");
  out->plugin_path = pick(nullptr, "", "GPUOPT_PLUGIN_PATH");
  out->tune_cache = pick(o.tune_cache, "options.tune_cache", "GPUOPT_TUNE_CACHE");
  read_log_settings(o, out);
  return GPUOPT_OK;
}

}  // namespace gpuopt
