// Manifests of images: what is read, and every fault with its line.
#include <algorithm>

#include "images.h"
#include "support.h"

using namespace gpuopt_test;

namespace {

std::vector<std::string> faults_of(const std::string &text, const Images &images = Images()) {
  return read(text, images)->faults();
}

// The one fault of the twin with this section's line changed.
std::string fault(const char *name, const std::string &line, const std::string &instead) {
  std::string section = twin(name);
  const size_t at = section.find(line);
  REQUIRE_MESSAGE(at != std::string::npos, line);
  section.replace(at, line.size(), instead);
  const std::vector<std::string> faults = faults_of(manifest("k", section));
  CHECK_MESSAGE(faults.size() == 1, (faults.empty() ? "no fault" : faults.back()), " after ", instead.substr(0, 100));
  return faults.empty() ? "" : faults[0];
}

// Of lines that stand alone: column 1 is where they begin, line 6 the section's first below entry.
std::string fault_of_line(const std::string &line) {
  const std::vector<std::string> faults = faults_of(manifest("k", line + "\n" + twin("vector_add")));
  CHECK_MESSAGE(faults.size() == 1, (faults.empty() ? "no fault" : faults.back()), " after ", line.substr(0, 100));
  return faults.empty() ? "" : faults[0];
}

}  // namespace

TEST_CASE("image manifest: the twins of the seeds are sound, and their needs are in the descriptor") {
  for (const char *name : {"vector_add", "matmul", "bias_relu", "softmax", "layernorm"}) {
    CAPTURE(std::string(name));
    const auto plugin = read(manifest(name, twin(name)));
    for (const std::string &f : plugin->faults()) FAIL_CHECK(f);
    REQUIRE(plugin->kernels.size() == 1);
    CHECK(std::string(plugin->kernels[0]->kernel.name) == "plugin:twins/" + std::string(name));
  }
  const auto plugin = read(manifest("matmul", twin("matmul")));
  const gpuopt_kernel &k = plugin->kernels[0]->kernel;
  CHECK(k.op == GPUOPT_OP_GEMM);
  CHECK(k.version == 1);
  CHECK(k.understands == (GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BETA));
  CHECK(k.cc_min == 80);
  CHECK(k.cc_max == 0);
  CHECK(k.layouts[0] == GPUOPT_LAYOUT_ANY);
  CHECK(k.layouts[3] == GPUOPT_LAYOUT_ROW);
  CHECK(k.align[0] == 16);
  CHECK(k.ld_align[1] == 16);
  REQUIRE(k.signature_count == 1);
  CHECK(k.signatures[0].dtype[3] == GPUOPT_F16);
  CHECK(k.signatures[0].compute == GPUOPT_COMPUTE_F32);
  CHECK(k.operands_packed == 0);
  CHECK(k.operands_refused == 0);
  CHECK(k.operands_needed == 0);
  const auto added = read(manifest("vector_add", twin("vector_add")));
  CHECK(added->kernels[0]->kernel.operands_packed == (1u << GPUOPT_OPERAND_X | 1u << GPUOPT_OPERAND_OUT));
  const auto normed = read(manifest("layernorm", twin("layernorm")));
  const gpuopt_kernel &n = normed->kernels[0]->kernel;
  CHECK(n.operands_needed == (1u << GPUOPT_OPERAND_GAMMA | 1u << GPUOPT_OPERAND_BETA));
  CHECK(n.operands_refused ==
        (1u << GPUOPT_OPERAND_RESIDUAL | 1u << GPUOPT_OPERAND_SUM | 1u << GPUOPT_OPERAND_STATISTICS));
  CHECK(n.extra_dtype[0] == GPUOPT_F32);
  CHECK(n.variants == 1u << GPUOPT_NORM_LAYERNORM);
  CHECK((n.predict_us == nullptr));
}

TEST_CASE("image manifest: a bad line is named with its number and column") {
  CHECK(faults_of("") == std::vector<std::string>{"line 1, column 1: the manifest does not begin with gpuopt = 1"});
  CHECK(faults_of("gpuopt = 2\n")[0] == "line 1, column 10: the manifest is of format '2', this library knows 1");
  CHECK(faults_of("# a comment\n\ngpuopt = 1\n")[0] == "the manifest has no [kernel]");
  CHECK(faults_of("gpuopt = 1\nplugin = A b\n[k]\n")[0] ==
        "line 2, column 10: the plugin's name 'A b' has a character outside [a-z0-9_]");
  CHECK(faults_of("gpuopt = 1\nplugins = x\n")[0] ==
        "line 2, column 1: 'plugins' is no key that is known here; nearest: plugin");
  CHECK(faults_of("gpuopt = 1\n[K]\n")[0] ==
        "line 2, column 1: the kernel's name 'K' has a character outside [a-z0-9_]");
  CHECK(faults_of("gpuopt = 1\n[k\n")[0] == "line 2, column 1: a section's name ends in ']'");
  CHECK(faults_of("gpuopt = 1\n[k]\n")[0] == "line 2, column 1: [k] has no op");
  CHECK(fault_of_line("gird = 1") == "line 6, column 1: 'gird' is no key that is known here; nearest: grid");
  CHECK(fault_of_line("no equals") == "line 6, column 1: 'no equals' is neither key = value nor [section]");
  CHECK(fault_of_line("  Key = 1") == "line 6, column 1: the key 'Key' is not made of [a-z0-9_.]");
  CHECK(fault_of_line("flags =") == "line 6, column 8: flags has no value");
  CHECK(fault_of_line("shared = 1\nshared = 2") == "line 7, column 1: shared is given twice, first in line 6");
  CHECK(fault_of_line("flags = \x01") == "line 6, column 1: the line has bytes that are no text");
  const std::vector<std::string> huge = faults_of("gpuopt = 1\nversion = " + std::string(1 << 20, 'x'));
  CHECK(contains(huge[0], "the manifest has 1048597 bytes, more than 1048576"));
  CHECK(fault_of_line("shared = " + std::string(5000, '1')) ==
        "line 6, column 4097: the line has 5009 bytes, more than 4096");
  std::string many = "gpuopt = 1\n";
  for (int i = 0; i < 10000; ++i) many += "[k" + std::to_string(i) + "]\n";
  const std::vector<std::string> crowd = faults_of(many);
  CHECK(crowd.size() <= 200);
  CHECK(crowd[0] == "line 4098, column 1: the manifest has more than 4096 sections");
  CHECK(std::find(crowd.begin(), crowd.end(), "line 2, column 1: [k0] has no op") != crowd.end());
}

TEST_CASE("image manifest: what a key may say") {
  CHECK(fault("vector_add", "op = fused_act", "op = add") ==
        "line 6, column 6: 'add' is not one of gemm, transpose, reduce, fused_act, norm");
  CHECK(contains(fault("vector_add", "types = f32,f32", "types = f32,f23"),
                 "line 8, column 13: 'f23' is not one of f32, f64"));
  CHECK(fault("vector_add", "types = f32,f32", "types = f32") ==
        "line 8, column 9: 'f32' is no row of types: write input,output");
  CHECK(fault("matmul", "f16,f16,f16,f16:f32", "f16,f16,f16,f16") ==
        "line 8, column 9: 'f16,f16,f16,f16' is no row of types: write A,B,C,D:compute");
  CHECK(contains(fault("matmul", ":f32\n", ":f33\n"), "line 8, column 25: 'f33' is not one of f32, tf32"));
  CHECK(contains(fault("softmax", "norm = softmax", "norm = softmin"),
                 "line 9, column 8: 'softmin' is not one of layernorm"));
  CHECK(contains(fault("bias_relu", "per_col", "per_colour"),
                 "line 9, column 10: add has a form behind a colon: scalar, per_row"));
  CHECK(contains(fault("bias_relu", "f16 relu", "f16 relux"), "line 9, column 26: 'relux' is not one of relu"));
  CHECK(contains(fault("bias_relu", "per_col:f16", "per_col"), "'add:per_col' must give the types of 1 operands"));
  CHECK(
      contains(fault("matmul", "understands = beta", "understands = betta"), "'betta' is not one of batch, broadcast"));
  CHECK(contains(fault("matmul", "understands = beta", "understands = scale beta"),
                 "'scale' is nothing that an image can be given"));
  CHECK(fault("matmul", "layout.a = any", "layout.a = both") ==
        "line 11, column 12: 'both' is not one of row, col, any");
  CHECK(fault("matmul", "layout.a = any", "layout.x = any\nlayout.a = any") ==
        "line 11, column 1: 'layout.x' names no operand of this operation");
  CHECK(fault("matmul", "align.a = 16", "align.a = 12") == "line 13, column 11: 12 is no power of two");
  CHECK(fault("matmul", "align.a = 16", "align.a = 512") ==
        "line 13, column 11: align.a is not a number within 1 and 256");
  CHECK(fault_of_line("multiple.m = 2") == "line 6, column 1: 'multiple.m' names no extent of this operation");
  CHECK(fault("layernorm", "type.gamma = f32", "align.gamma = 16\ntype.gamma = f32") ==
        "line 10, column 15: the alignment of this operand is not stated");
  CHECK(fault_of_line("limit.k = 2") == "line 6, column 1: 'limit.k' names no extent of this operation");
  CHECK(fault_of_line("limit.cols = 0") == "line 6, column 14: limit.cols is not a number within 1 and 2147483647");
  CHECK(fault_of_line("optional = gamma") == "line 6, column 12: 'gamma' is no operand of this operation");
  CHECK(fault_of_line("version = 0") == "line 6, column 11: version is not a number within 1 and 2147483647");
  CHECK(fault_of_line("flags = host") ==
        "line 6, column 9: 'host' is not one of teaching, nondeterministic, not_capturable");
  CHECK(fault_of_line("cc_min = 9") == "line 6, column 10: cc_min is not a number within 50 and 999");
  CHECK(fault("vector_add", "block = 128", "block = 64, 32") ==
        "line 10, column 9: block is 2048 in all, more than 1024");
  CHECK(fault("vector_add", "block = 128", "block = 1, 1, 128") ==
        "line 10, column 9: block has an extent that is not a number within 1 and 64");
  CHECK(fault("vector_add", "block = 128", "block = rows") ==
        "line 10, column 9: block has an extent that is not a number within 1 and 1024");
  CHECK(fault_of_line("cluster = 4, 4") == "line 6, column 11: cluster is 16 in all, more than 8");
  CHECK(fault_of_line("shared = 2000000") == "line 6, column 10: shared is not a number within 0 and 1048576");
  CHECK(fault("vector_add", "grid = ceil_div(rows * cols, 1024)", "grid = 1, 1, 1, 1") ==
        "line 11, column 17: grid has more than three extents");
}

TEST_CASE("image manifest: expressions may use what is defined above them, never in a circle") {
  CHECK(fault("vector_add", "ceil_div(rows * cols, 1024)", "ceil_div(m, 1024)") ==
        "line 11, column 17: grid: 'm' is no name that is known here");
  CHECK(fault("vector_add", "ceil_div(rows * cols, 1024)", "ceil_div(rows, 1024 - 4 * 256)") ==
        "line 11, column 8: grid: this divides by zero");
  CHECK(fault_of_line("let.a = b\nlet.b = 1") == "line 6, column 9: let.a: 'b' is no name that is known here");
  CHECK(fault_of_line("let.a = a") == "line 6, column 9: let.a: 'a' is no name that is known here");
  CHECK(fault_of_line("let.rows = 1") == "line 6, column 1: 'rows' has a meaning already");
  CHECK(fault_of_line("let.x = 1\nlet.x = 2") == "line 7, column 1: let.x is given twice, first in line 6");
  CHECK(fault_of_line("let.2x = 1") == "line 6, column 1: 'let.2x': a name begins with a letter and has no dots");
  CHECK(faults_of(manifest("k", "let.tile = 32\nlet.elements = tile * tile\n" + std::string(twin("vector_add"))))
            .empty());
}

TEST_CASE("image manifest: arguments must carry what the call may have") {
  const auto args = [](const char *name, const std::string &without, const std::string &instead = "") {
    const std::string text = fault(name, without, instead);
    CHECK_MESSAGE(text.rfind("line ", 0) == 0, text);
    return text.substr(text.find(": ") + 2);
  };
  CHECK(args("vector_add", "x.ptr, stage0", "stage0") == "args has no x.ptr");
  CHECK(args("vector_add", ", out.ptr") == "args has no out.ptr");
  CHECK(args("vector_add", "stage0.a.ptr, ") == "args has no stage0.a.ptr");
  CHECK(args("vector_add", "stage0.a.ptr", "stage0.a.ptr, stage1.a.ptr") == "there is no stage1.a in stages");
  CHECK(args("bias_relu", "add:per_col:f16 relu", "relu") == "there is no stage0.a in stages");
  CHECK(args("vector_add", "add:matrix:f32", "add:matrix:f32 leaky_relu") == "args has no stage1.value0");
  CHECK(args("vector_add", "out.ptr", "out.ptr, stage0.value1:f32") == "there is no stage0.value1 in stages");
  CHECK(args("matmul", "alpha:f32, ") == "args has no alpha, which every product may have");
  CHECK(args("matmul", "beta:f32, ") == "c.ptr and beta in args and beta in understands must be given together");
  CHECK(args("matmul", "understands = beta batch", "understands = batch") ==
        "c.ptr and beta in args and beta in understands must be given together");
  CHECK(args("matmul", "a.col_stride:i64, ") == "layout.a is any: args must have a.row_stride and a.col_stride");
  CHECK(args("matmul", "a.batch_stride:i64, ") == "understands has batch: args must have a.batch_stride");
  CHECK(args("matmul", ", 1, batch") == "understands has batch, and neither grid nor args has it");
  CHECK(args("matmul", "optional = c", "optional = a") ==
        "optional has an operand that is always there or no argument");
  CHECK(args("matmul", "null, null", "null, scratch.ptr") ==
        "scratch.ptr in args and workspace must be given together");
  CHECK(args("matmul", "time_ns", "workspace = m\ntime_ns") ==
        "scratch.ptr in args and workspace must be given together");
  CHECK(args("layernorm", ", eps:f32") == "args has no eps, which a layer norm and an RMS norm have");
  CHECK(args("layernorm", "gamma.ptr, ") == "gamma.ptr in args and type.gamma must be given together");
  CHECK(args("layernorm", "type.beta = f32\n") == "beta.ptr in args and type.beta must be given together");
  CHECK(args("vector_add", "rows * cols:i32", "rows * cols") ==
        "'rows * cols' is no pointer (<operand>.ptr, scratch.ptr, zeroed.ptr, null); a number has its type behind a "
        "colon");
  CHECK(args("vector_add", "rows * cols:i32", "rows * colls:i32") == "'colls' is no name that is known here");
  CHECK(args("vector_add", "rows * cols:i32", "rows:i16") ==
        "'i16' is no type of an argument: i32, i64, u32, u64, f32, f64");
  CHECK(args("vector_add", "rows * cols:i32", "alpha:f32") ==
        "'alpha' is no scalar of this operation (alpha, beta, eps, stage0.value0)");
  CHECK(args("vector_add", "out.ptr, ", "out.ptr, , ") == "an argument is missing");
  CHECK(contains(args("vector_add", "out.ptr", "y.ptr"), "'y.ptr' is no pointer"));
  std::string many = "x.ptr";
  for (int i = 0; i < 100; ++i) many += ", null";
  CHECK(args("vector_add", "x.ptr", many) == "more than 64 arguments");
}

TEST_CASE("image manifest: an image with another hash, that is cut short, or has no such entry is refused") {
  const auto with = [](auto change) {
    Images images;
    const std::string text = manifest("k", twin("vector_add"), images);
    change(images);
    const std::vector<std::string> faults = faults_of(text, images);
    CHECK(faults.size() == 1);
    return faults.empty() ? "" : faults[0].substr(faults[0].find(": ") + 2);
  };
  // The manifest is written for the changed files: only what they hold is wrong.
  const auto fresh = [](auto change) {
    Images images;
    change(images);
    const std::vector<std::string> faults = faults_of(manifest("k", twin("vector_add"), images), images);
    CHECK_MESSAGE(faults.size() == 1, (faults.empty() ? "" : faults.back()));
    return faults.empty() ? "" : faults[0].substr(faults[0].find(": ") + 2);
  };
  CHECK(contains(with([](Images &i) { i.files["run.cubin"][100] ^= 1; }), "the sha256 of 'run.cubin' is "));
  CHECK(contains(with([](Images &i) { i.files["run.ptx"] += " "; }), "the sha256 of 'run.ptx' is "));
  CHECK(with([](Images &i) { i.files.erase("run.ptx"); }) == "'run.ptx': No such file or directory");
  CHECK(contains(fresh([](Images &i) { i.files["run.cubin"].resize(i.files["run.cubin"].size() - 1); }),
                 "'run.cubin': no machine code: it was cut short: of "));
  CHECK(contains(fresh([](Images &i) { i.files["run.cubin"].resize(30); }), "no machine code: it was cut short"));
  CHECK(fresh([](Images &i) { i.files["run.cubin"] = ""; }) == "'run.cubin': no machine code: it is no ELF file");
  CHECK(fresh([](Images &i) { i.files["run.cubin"] = machine_code({"run"}, 62); }) ==
        "'run.cubin': no machine code of CUDA, but an ELF file of another machine");
  CHECK(fresh([](Images &i) {
          i.files["run.cubin"] = machine_code({"walk", "runs"});
        }) == "'run.cubin': no entry run in it");
  CHECK(fresh([](Images &i) { i.files["run.ptx"] = ptx("walk"); }) == "'run.ptx': no entry run in it");
  CHECK(fresh([](Images &i) { i.files["run.ptx"].resize(i.files["run.ptx"].rfind('}')); }) ==
        "'run.ptx': it was cut short: it does not end in '}'");
  CHECK(fresh([](Images &i) { i.files["run.ptx"] = ptx("run", "sm_x"); }) ==
        "'run.ptx': no PTX: it has no .target sm_<number>");
  CHECK(fresh([](Images &i) { i.files["run.ptx"] = "a text"; }) == "'run.ptx': no PTX: it has no .version");
  CHECK(fresh([](Images &i) { i.files["run.ptx"] = i.files["run.cubin"]; }) ==
        "'run.ptx': no PTX: it has bytes that are no text");
  // Trailing comments and blanks are no end of what was cut.
  Images commented;
  commented.files["run.ptx"] += "\n// the end\n   // of it\n\n";
  CHECK(faults_of(manifest("k", twin("vector_add"), commented), commented).empty());
}

TEST_CASE("image manifest: lines of images that do not belong together") {
  const auto lines = [](const std::string &more) {
    const std::vector<std::string> faults = faults_of(manifest("k", more + twin("vector_add")));
    CHECK(faults.size() == 1);
    return faults.empty() ? "" : faults[0];
  };
  CHECK(lines("image.sm_90 = run.cubin\n") == "line 6, column 15: sha256.sm_90 is missing");
  CHECK(lines("sha256.sm_90 = 00\n") == "line 6, column 1: 'sha256.sm_90' is of no image of this section");
  CHECK(lines("image.hopper = run.cubin\n") ==
        "line 6, column 1: 'image.hopper' names no architecture: image.sm_80, image.sm_90a, image.ptx");
  for (const char *file : {"/etc/passwd", "../run.cubin", "a/../../b"})
    CHECK(contains(lines(std::string("image.sm_90 = ") + file + "\nsha256.sm_90 = 00\n"),
                   "is no file beside the manifest or below it"));
  std::string none = manifest("k", twin("vector_add"));
  none = none.substr(0, none.find("image."));
  CHECK(faults_of(none)[0] == "line 4, column 1: [k] has no image.sm_<number> and no image.ptx");
}

TEST_CASE("image manifest: several kernels in one, and all faults at once") {
  const Images images;
  std::string text = "gpuopt = 1\nversion = 2.1\n";
  for (const char *name : {"vector_add", "softmax"})
    text += "[" + std::string(name) + "]\nentry = run\n" + twin(name) + images.lines();
  auto plugin = read(text);
  CHECK(plugin->faults().empty());
  CHECK(plugin->name == "file");
  CHECK(plugin->version == "2.1");
  CHECK(plugin->kernels.size() == 2);
  std::string wrong = text;
  for (const char *word : {"f32,f32\nstages", "softmax\nblock = 256", "args = x.ptr, out"}) {
    const size_t at = wrong.find(word);
    REQUIRE(at != std::string::npos);
    wrong[at] = '?';
  }
  CHECK(faults_of(wrong).size() == 4);  // a type, a norm, a key that is none, and the args that are missing for it
}
