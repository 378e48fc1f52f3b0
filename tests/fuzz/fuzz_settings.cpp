// Fuzzes everything that reads text from outside: the environment at gpuopt_create, and the setters that take the same
// strings. Values are set with setenv, so they hold any bytes but NUL.
#include <cstring>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "input.h"

namespace {

const char *const kVariables[] = {"GPUOPT_KERNEL",       "GPUOPT_DISABLE",     "GPUOPT_VERBOSE", "GPUOPT_DEVICE",
                                  "GPUOPT_CPU_FALLBACK", "GPUOPT_NUM_THREADS", "GPUOPT_CPU_ISA", "GPUOPT_PLUGIN_PATH",
                                  "GPUOPT_TUNE_CACHE",   "GPUOPT_LOG_FILE",    "GPUOPT_UNKNOWN"};
// Words of the grammar, so that the fuzzer need not find them letter by letter.
const char *const kWords[] = {"gemm",     "transpose", "reduce",   "fused_act", "=",    ",",
                              "*",        "?",         "none",     "error",     "warn", "info",
                              "dispatch", "exec",      "profile",  "all",       "cpu",  "auto",
                              "never",    "always",    "0",        "1",         "-1",   "99999999999999999999",
                              "avx512",   "avx2",      "baseline", " ",         "\t",   "gemm_cpu_reference",
                              "+",        "[",         "command",  "=,",        ",=",   "+fused_act"};

std::string text(fuzz::Input &in) {
  std::string value;
  for (uint32_t pieces = in.below(12); pieces > 0; --pieces) {
    if (in.rarely(3)) {
      const char c = static_cast<char>(in.byte());
      value.append(in.rarely(10) ? 700 : 1, c ? c : 'x');
    } else {
      value += kWords[in.below(sizeof kWords / sizeof kWords[0])];
    }
  }
  return value;
}

void count_lines(void *user, const char *line) { *static_cast<size_t *>(user) += std::strlen(line); }

void use(gpuopt_handle *handle) {
  float x[4] = {1, 2, 3, 4}, y[4] = {0, 0, 0, 0};
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(x, 2, 2, GPUOPT_F32);
  t.dst = gpuopt_mat(y, 2, 2, GPUOPT_F32);
  const gpuopt_status status = gpuopt_transpose(handle, &t);
  if (status == GPUOPT_OK && (y[0] != 1 || y[1] != 3 || y[2] != 2 || y[3] != 4))
    fuzz::finding("settings changed a result", "transpose");
  if (status != GPUOPT_OK && (y[0] != 0 || y[1] != 0 || y[2] != 0 || y[3] != 0))
    fuzz::finding("a refused call wrote", gpuopt_last_error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input in(data, size);
  std::vector<std::string> set;
  for (uint32_t n = in.below(4); n > 0; --n) {
    const char *name = kVariables[in.below(sizeof kVariables / sizeof kVariables[0])];
    std::string value = text(in);
    // A fuzzer must not write files of its own invention, nor start thousands of threads.
    if (std::strcmp(name, "GPUOPT_LOG_FILE") == 0) value = in.rarely(2) ? "/dev/null" : "/nonexistent/" + value;
    if (std::strcmp(name, "GPUOPT_NUM_THREADS") == 0 && std::strtol(value.c_str(), nullptr, 10) > 4) value = "4";
    setenv(name, value.c_str(), 1);
    set.push_back(name);
  }
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  std::string strings[4];
  const char **const fields[] = {&options.kernel, &options.disable, &options.verbose, &options.cpu_isa};
  for (int i = 0; i < 4; ++i)
    if (in.rarely(4)) {
      strings[i] = text(in);
      *fields[i] = strings[i].c_str();
    }
  if (!options.verbose && in.rarely(2)) options.log_file = "/dev/null";

  gpuopt_handle *handle = nullptr;
  const gpuopt_status status = gpuopt_create(&handle, &options);
  if ((status == GPUOPT_OK) != (handle != nullptr)) fuzz::finding("status and handle disagree", gpuopt_last_error());
  if (status != GPUOPT_OK && std::strncmp(gpuopt_last_error(), "gpuopt_create: ", 15) != 0)
    fuzz::finding("a refusal without its function", gpuopt_last_error());
  for (const std::string &name : set) unsetenv(name.c_str());
  if (handle != nullptr) {
    size_t letters = 0;
    gpuopt_set_log(handle, count_lines, &letters);
    use(handle);
    for (uint32_t n = in.below(4); n > 0; --n) {
      const std::string value = text(in);
      switch (in.below(3)) {
        case 0:
          gpuopt_set_kernel(handle, value.c_str());
          break;
        case 1:
          gpuopt_set_disabled(handle, value.c_str());
          break;
        default:
          gpuopt_set_verbose(handle, value.c_str());
          break;
      }
      use(handle);
    }
    gpuopt_destroy(handle);
  }
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  const std::string name = text(in);
  gpuopt_pretend_device(name.c_str(), &facts);
  gpuopt_kernel_find(name.c_str());
  return 0;
}
