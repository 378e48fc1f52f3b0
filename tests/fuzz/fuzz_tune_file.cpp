// Fuzzes the reader of tuned-choice files: raw bytes; or good lines with some bytes of them replaced. What is read reads the
// same when it is written again, and no file changes a result.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "input.h"
#include "tuning/tune_table.h"

namespace {

const char *const kWords[] = {"exact",
                              "class",
                              "measured",
                              " time=1:1:gemm_cpu_blocked",
                              " ",
                              "\n",
                              "#",
                              "=",
                              ":",
                              "+",
                              "device=",
                              "cc=90",
                              "sm=132",
                              "isa=avx2",
                              "threads=2",
                              "op=gemm",
                              "op=reduce",
                              "op=norm",
                              "m=",
                              "n=8",
                              "k=4",
                              "batch=2",
                              "compute=f32",
                              "axis=row",
                              "a=f32",
                              ":row",
                              ":align4",
                              ":ld256",
                              ":stride16",
                              ":shared",
                              "stage=relu",
                              "stage=add:per_col:f32:row:align4:ld4",
                              "kernel=",
                              "version=1",
                              "algorithm=a",
                              "us=1",
                              "features=batch+beta",
                              "flags=nondeterministic",
                              "9223372036854775807",
                              "-1",
                              "0",
                              "norm=softmax",
                              "reduce=argmax"};
const char *const kChoices[] = {
    " kernel=transpose_cpu_reference version=1\n", " kernel=transpose_cpu_blocked version=1\n",
    " kernel=gemm_cpu_reference+fused_act_cpu_reference version=1+1\n", " kernel=no_such version=2 algorithm=7\n"};

// A line that reads, reads the same when it is written again.
void check_line(const std::string &line) {
  gpuopt::TuneLine read, again;
  if (!gpuopt::parse_tune_line(line, &read).empty()) return;
  const std::string text = gpuopt::key_text(read.device, read.key);
  if (!gpuopt::parse_tune_line(text + " kernel=x version=1", &again).empty())
    fuzz::finding("a key does not read back", text.c_str());
  if (!(again.key == read.key) || !(again.device == read.device))
    fuzz::finding("a key reads back as another", text.c_str());
}

void use(gpuopt_handle *h) {
  float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {};
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(x, 2, 3, GPUOPT_F32);
  t.dst = gpuopt_mat(y, 3, 2, GPUOPT_F32);
  if (gpuopt_transpose(h, &t) != GPUOPT_OK) fuzz::finding("a call failed", gpuopt_last_error());
  if (y[0] != 1 || y[1] != 4 || y[2] != 2 || y[5] != 6) fuzz::finding("a file changed a result", "transpose");
}

// A handle's own keys, of the problem of use().
const std::vector<std::string> &good_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> made;
    gpuopt_handle *h = nullptr;
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.num_threads = 1;
    if (gpuopt_create(&h, &o) != GPUOPT_OK) return made;
    gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
    char key[GPUOPT_TUNE_KEY_BYTES];
    size_t length = 0;
    for (const int32_t align : {4, 8, 16})
      for (const int32_t kind : {GPUOPT_TUNE_EXACT, GPUOPT_TUNE_CLASS}) {
        gpuopt_explain_options stated = GPUOPT_EXPLAIN_OPTIONS_INIT;
        stated.align[0] = stated.align[1] = align;
        t.src = gpuopt_mat(nullptr, 2, 3, GPUOPT_F32);
        t.dst = gpuopt_mat(nullptr, 3, 2, GPUOPT_F32);
        if (gpuopt_tune_key(h, &t, &stated, kind, key, sizeof key, &length) == GPUOPT_OK) made.push_back(key);
      }
    gpuopt_destroy(h);
    return made;
  }();
  return keys;
}

std::string text_of(fuzz::Input &in) {
  if (in.byte() % 4 == 0) return {reinterpret_cast<const char *>(in.rest()), in.left()};
  std::string text = in.rarely(10) ? "" : "gpuopt tune 1\n";
  for (uint32_t lines = in.below(6); lines > 0; --lines)
    if (in.rarely(3))
      for (uint32_t words = in.below(30); words > 0; --words) text += kWords[in.below(sizeof kWords / sizeof *kWords)];
    else
      text += good_keys()[in.below(6)] + kChoices[in.below(4)];
  for (uint32_t changes = in.below(8); changes > 0 && !text.empty(); --changes) {
    const size_t at = in.word() % text.size();
    if (in.rarely(2))
      text.replace(at, in.below(5), kWords[in.below(sizeof kWords / sizeof *kWords)]);
    else
      text[at] = static_cast<char>(in.byte());
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input in(data, size);
  const std::string text = text_of(in);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    check_line(text.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  // And as a file, which every handle reads anew.
  const int file = memfd_create("fuzz_tune_file", MFD_CLOEXEC);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    fuzz::finding("no file can be made", "");
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = 1;
  o.verbose = "dispatch";
  o.log_file = "/dev/null";
  o.tune_cache = path.c_str();
  gpuopt_handle *h = nullptr;
  if (gpuopt_create(&h, &o) != GPUOPT_OK) fuzz::finding("no handle can be made", gpuopt_last_error());
  use(h);
  gpuopt_destroy(h);
  close(file);
  return 0;
}
