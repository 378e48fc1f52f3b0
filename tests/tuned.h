// Tuned-choice files of tests, and kernels for them to choose.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support.h"
#include "synthetic_kernel.h"

namespace gpuopt_test {

// A folder of its own, gone with the scope.
class TempFolder {
 public:
  TempFolder() {
    char name[] = "gpuopt_tuned_XXXXXX";
    REQUIRE(mkdtemp(name));
    path_ = std::filesystem::absolute(name);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder &) = delete;
  std::string operator/(const std::string &name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
inline void write_file(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  REQUIRE(file.flush());
}

constexpr const char *kHeaderLine = "gpuopt tune 1\n";

inline std::string tune_key(gpuopt_handle *h, const void *args, int32_t kind = GPUOPT_TUNE_EXACT,
                            const gpuopt_explain_options *options = nullptr) {
  char text[GPUOPT_TUNE_KEY_BYTES];
  size_t length = 0;
  REQUIRE_MESSAGE(gpuopt_tune_key(h, args, options, kind, text, sizeof text, &length) == GPUOPT_OK, last_error());
  return text;
}
inline std::string entry(const std::string &key, const std::string &kernel, const std::string &version = "1") {
  return key + " kernel=" + kernel + " version=" + version + "\n";
}

// A handle on the CPU with a tuned-choice file, whose log lines go to a file beside it.
struct TunedHandle {
  Handle h;
  std::string log;
  explicit TunedHandle(const std::string &tune_cache, const char *verbose = "info") {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.num_threads = 1;
    o.tune_cache = tune_cache.c_str();
    o.verbose = "none";
    if (tune_cache != "none") {
      log = tune_cache + ".log";
      std::ofstream(log, std::ios::trunc);
      o.verbose = verbose;
      o.log_file = log.c_str();
    }
    gpuopt_handle *made = nullptr;
    REQUIRE_MESSAGE(gpuopt_create(&made, &o) == GPUOPT_OK, last_error());
    h.reset(made);
  }
  gpuopt_handle *get() const { return h.get(); }
  // What it has warned of, without the beginning of each line.
  std::vector<std::string> warnings() const {
    const std::string start = "gpuopt,v2,warn,options,options.tune_cache,";
    std::vector<std::string> all;
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);)
      if (line.rfind(start, 0) == 0) all.push_back(line.substr(start.size()));
    return all;
  }
};

// What the handle's last call ran, and by which rule: "gemm_naive tuned".
inline std::string ran(gpuopt_handle *h) {
  static const char *const how[] = {"?", "forced", "tuned", "predicted", "fallback"};
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  REQUIRE(gpuopt_last_kernel(h, &info) == GPUOPT_OK);
  return std::string(info.kernel ? info.kernel : "?") + " " + how[info.how];
}

// A gemm kernel on the CPU that writes `value` everywhere, registered for good; asked only while `armed`.
struct TunedKernel {
  const char *name;
  int32_t version = 1;
  uint32_t flags = GPUOPT_KERNEL_TEACHING;
};
inline bool &armed() {
  static bool value = false;
  return value;
}
struct Armed {
  Armed() { armed() = true; }
  ~Armed() { armed() = false; }
};
inline gpuopt_kernel make_tuned_kernel(const TunedKernel &what) {
  gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_GEMM, what.name, GPUOPT_KERNEL_HOST | what.flags, kAnySignature);
  k.version = what.version;
  k.understands = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_BETA;
  k.can_run = [](const gpuopt_problem *, gpuopt_reject *r) {
    *r = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, 0, 0, "a test"};
    return armed() ? 1 : 0;
  };
  k.launch = [](const gpuopt_problem *p, const gpuopt_launch *) {
    for (int64_t i = 0; i < p->m; ++i)
      for (int64_t j = 0; j < p->n; ++j)
        static_cast<float *>(p->operand[GPUOPT_OPERAND_D].m.data)[i * p->operand[GPUOPT_OPERAND_D].m.ld + j] = 7;
    return static_cast<gpuopt_status>(GPUOPT_OK);
  };
  return k;
}
inline void register_once(const gpuopt_kernel &k) {
  if (gpuopt_kernel_find(k.name) == nullptr) REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, last_error());
}

}  // namespace gpuopt_test
