// Fuzzes what plugins bring as bytes: manifests, their expressions, images, and the headers of shared objects. What is taken
// is asked about problems and launched on a driver that is none: a kernel that says that it can run must be launched within
// the limits of every device, and every fault must say where it is.
#include <cstring>
#include <string>
#include <vector>

#include "images.h"
#include "input.h"
#include "plugins/driver.h"
#include "plugins/elf_file.h"

namespace {

using namespace gpuopt;

const char *const kTwins[] = {"vector_add", "matmul", "bias_relu", "softmax", "layernorm"};
// Pieces of lines, so that the fuzzer need not find them letter by letter.
const char *const kPieces[] = {"ceil_div(",
                               "min(",
                               "max(",
                               ")",
                               " * ",
                               " / ",
                               " - ",
                               " + ",
                               ", ",
                               "0",
                               "1",
                               "9223372036854775807",
                               "-",
                               "rows",
                               "cols",
                               "m",
                               "n",
                               "k",
                               "batch",
                               "a.ld",
                               "x.ld",
                               "a.row_stride",
                               "d.batch_stride",
                               "stage0.a.ld",
                               "sm_count",
                               "let.t = ",
                               "\n",
                               "grid = ",
                               "block = ",
                               "cluster = ",
                               "shared = ",
                               "workspace = ",
                               "zeroed = ",
                               "time_ns = ",
                               "args = ",
                               "scratch.ptr",
                               "null",
                               ":i32",
                               ":i64",
                               ":u32",
                               ":f32",
                               "alpha",
                               "beta",
                               "eps",
                               "stage1.value0",
                               "understands = ",
                               "batch",
                               "broadcast",
                               "large",
                               "optional = ",
                               "c",
                               "gamma",
                               "stages = ",
                               "relu",
                               "add:per_col:f32",
                               "clamp",
                               "layout.a = ",
                               "any",
                               "col",
                               "align.x = 16",
                               "multiple.k = 16",
                               "limit.n = 7\n",
                               "types = ",
                               "f32,f32",
                               "f16,f16,f16,f16:f32",
                               "norm = ",
                               "softmax",
                               "op = ",
                               "gemm",
                               "reduce",
                               "[",
                               "]",
                               "#",
                               "=",
                               "image.sm_90a = run.cubin\n",
                               "image.ptx = run.ptx\n",
                               "sha256.sm_90a = ",
                               "flags = teaching",
                               "cc_max = 90"};

// A fault of this reads: "line 3, column 7: ...", or speaks of the file as a whole.
void judge_faults(const Plugin &plugin) {
  for (const std::string &fault : plugin.faults()) {
    if (fault.empty()) fuzz::finding("a fault without words", "");
    if (fault.size() > 3000) fuzz::finding("a fault without an end", fault.c_str());
  }
}

std::string mutated(fuzz::Input &in, std::string text) {
  for (uint32_t n = in.below(6); n > 0; --n) {
    const size_t at = text.empty() ? 0 : in.word() % text.size();
    switch (in.below(4)) {
      case 0:
        text.insert(at, kPieces[in.below(sizeof kPieces / sizeof *kPieces)]);
        break;
      case 1:
        text.erase(at, in.below(40));
        break;
      case 2:
        if (!text.empty()) text[at] = static_cast<char>(in.byte());
        break;
      default:
        text.insert(at, std::string(in.byte(), static_cast<char>(in.byte())));
    }
  }
  return text;
}

// A driver whose launches are looked at.
struct Launched {
  const ImageKernel *kernel = nullptr;
};
Launched launched;

driver::Result launch_checked(const driver::LaunchConfig *c, void *, void **params, void **) {
  for (int i = 0; i < 3; ++i)
    if (c->grid[i] < 1 || c->grid[i] > (i == 0 ? 2147483647u : 65535u))
      fuzz::finding("a grid beyond its limits", "launch");
  if (uint64_t{c->block[0]} * c->block[1] * c->block[2] > 1024) fuzz::finding("a block beyond its limits", "launch");
  unsigned char sum = 0;
  for (size_t i = 0; i < launched.kernel->arguments.size(); ++i)
    for (size_t byte = 0; byte < launched.kernel->arguments[i].bytes; ++byte)
      sum = static_cast<unsigned char>(sum + static_cast<unsigned char *>(params[i])[byte]);
  return sum == 255 ? 0 : 0;
}
const driver::Functions kDriver = {
    [](void **library, const void *, int *, void **, unsigned, int *, void **, unsigned) {
      static int any;
      return *library = &any, 0;
    },
    [](void **kernel, void *library, const char *) { return *kernel = library, 0; },
    [](int *value, int which, void *, int) { return *value = which == driver::kMaxThreadsPerBlock ? 1024 : 0, 0; },
    [](int, int, void *, int) { return 0; },
    nullptr,
    [](int *device, int ordinal) { return *device = ordinal, 0; },
    launch_checked,
    [](driver::Result, const char **name) { return *name = "?", 0; }};

int64_t extent(fuzz::Input &in) { return in.rarely(4) ? in.edge() : in.below(200); }

gpuopt_operand operand(fuzz::Input &in, int64_t rows, int64_t cols) {
  gpuopt_operand o = {};
  if (in.rarely(4)) return o;
  o.m.dtype = 1 + static_cast<int32_t>(in.below(11));
  o.m.layout = static_cast<int32_t>(in.below(2));
  o.m.rows = rows;
  o.m.cols = cols;
  o.m.ld = extent(in);
  o.m.batch_stride = extent(in);
  o.align = o.ld_align = o.stride_align = 1 << in.below(9);
  return o;
}

// A problem as no op would build it: the functions must stand it all the same.
void ask(fuzz::Input &in, const ImageKernel &k) {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  const char *const devices[] = {"sm_80", "sm_90", "sm_120", "sm_75"};
  gpuopt_pretend_device(devices[in.below(4)], &facts);
  gpuopt_problem p = {};
  p.struct_size = sizeof p;
  p.op = k.kernel.op;
  p.kernel = &k.kernel;
  p.device = &facts;
  p.m = extent(in);
  p.n = extent(in);
  p.k = extent(in);
  p.batch = extent(in);
  for (gpuopt_operand &o : p.operand) o = operand(in, p.m, p.n);
  for (gpuopt_operand &o : p.extra) o = operand(in, 1, p.n);
  p.stage_count = k.kernel.max_stages;
  for (int32_t i = 0; i < p.stage_count; ++i) {
    p.stage[i].a = operand(in, p.m, p.n);
    p.stage[i].b = operand(in, p.m, p.n);
  }
  gpuopt_reject reject = {};
  if (!k.kernel.can_run(&p, &reject)) return;
  if (k.kernel.predict_us) k.kernel.predict_us(&p);
  size_t scratch = 0, zeroed = 0;
  if (k.kernel.workspace) k.kernel.workspace(&p, &scratch, &zeroed);
  // What can_run leaves open for calls without output, launch is never asked.
  if (p.m <= 0 || p.n <= 0 || p.batch <= 0) return;
  char words[512] = "";
  gpuopt_launch l = {};
  l.struct_size = sizeof l;
  l.device = &facts;
  l.error = words;
  l.error_bytes = sizeof words;
  launched.kernel = &k;
  for (const Argument &a : k.arguments)  // a problem of an op has these within 32 bits
    if (a.kind == Argument::Kind::integer && a.bytes == 4 && (p.m > INT32_MAX || p.n > INT32_MAX || p.k > INT32_MAX))
      return;
  if (k.kernel.prepare(&p, &l) == GPUOPT_OK && k.kernel.launch(&p, &l) != GPUOPT_OK)
    fuzz::finding("it could run and was not launched", words);
}

void read_text(fuzz::Input &in, const std::string &text, const gpuopt_test::Images &images) {
  Plugin plugin("/fuzz/file.gpuopt");
  read_image_plugin(text, images.load(), &plugin);
  judge_faults(plugin);
  if (!plugin.faults().empty()) return;
  for (const auto &k : plugin.kernels) ask(in, static_cast<const ImageKernel &>(*k));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  driver::replace_functions(&kDriver);
  fuzz::Input in(data, size);
  gpuopt_test::Images images;
  switch (in.below(4)) {
    case 0:
      read_text(in, std::string(reinterpret_cast<const char *>(in.rest()), in.left()), images);
      break;
    case 1: {  // images that are not what they were
      images.files["run.cubin"] = mutated(in, images.files["run.cubin"]);
      images.files["run.ptx"] = mutated(in, images.files["run.ptx"]);
      ElfFile elf;
      if (elf.open(images.files["run.cubin"]).empty()) elf.may_export("gpuopt_plugin_query_v1");
      read_text(in, gpuopt_test::manifest("k", gpuopt_test::twin(kTwins[in.below(5)]), images), images);
      break;
    }
    default: {
      std::string section = gpuopt_test::twin(kTwins[in.below(5)]);
      if (!in.rarely(3)) section = mutated(in, section);
      read_text(in, "gpuopt = 1\nplugin = twins\n[k]\nentry = run\n" + section + images.lines(), images);
    }
  }
  return 0;
}
