// `gpuopt report`: bench, roofline and lab as one page, of what they wrote before or write now.
#include <cstdio>
#include <memory>

#include "bench_timer.h"
#include "commands.h"
#include "numbers.h"
#include "output.h"
#include "program.h"
#include "progress.h"
#include "report_read.h"

namespace gpuopt_cli {
namespace {

struct ReportArguments {
  std::string out, device = "auto", bench, roofline, lab, ladder;
};

constexpr const char kBiasGelu[] =
    "fused_act x=8192x8192:bf16 out=8192x8192:bf16 stage=ADD:per_col:1 sa=1x8192:bf16 stage=GELU";
// The ladder's product first, then one call of each operation.
constexpr const char *kShownOfGpu[] = {"gemm compute=f32 a=4096x4096:f32 b=4096x4096:f32 d=4096x4096:f32",
                                       "gemm a=8192x8192:bf16 b=8192x8192:bf16 d=8192x8192:bf16",
                                       "transpose src=8192x8192:f32 dst=8192x8192:f32",
                                       "reduce reduce=SUM axis=row x=8192x8192:f32 out=8192x1:f32",
                                       kBiasGelu,
                                       "norm norm=LAYERNORM x=8192x4096:bf16 out=8192x4096:bf16"};
constexpr const char *kShownOfCpu[] = {
    "gemm compute=f32 a=256x256:f32 b=256x256:f32 d=256x256:f32", "transpose src=1024x1024:f32 dst=1024x1024:f32",
    "reduce reduce=SUM axis=row x=1024x1024:f32 out=1024x1:f32",
    "fused_act x=1024x1024:f32 out=1024x1024:f32 stage=GELU", "norm norm=LAYERNORM x=1024x1024:f32 out=1024x1024:f32"};

std::vector<std::string> bench_words(const std::string &device) {
  std::vector<std::string> words = {"bench",    "--device", device,         "--seconds", "0.3",
                                    "--within", "1000",     "--algorithms", "none"};
  const auto add = [&](const auto &problems) {
    for (const char *problem : problems) {
      words.push_back("--problem");
      words.push_back(problem);
    }
  };
  if (ordinal_of(parse_device(device)) >= 0)
    add(kShownOfGpu);
  else
    add(kShownOfCpu);
  return words;
}

// What a verb of ours prints, from its first brace to its last: what it says on stderr stands before or behind.
Json json_of_verb(const std::vector<std::string> &verb) {
  std::vector<std::string> words = {own_program()};
  words.insert(words.end(), verb.begin(), verb.end());
  words.push_back("--json");
  std::fprintf(stderr, "gpuopt report: gpuopt %s ...\n", verb[0].c_str());
  std::string text, other;
  bool inside = false;
  const int code = run_lines(words, [&](const std::string &line) {
    inside = inside || line == "{";
    (inside ? text : other) += line + "\n";
    inside = inside && line != "}";
  });
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw std::runtime_error("gpuopt " + verb[0] + " ended with " + std::to_string(code) +
                             " and wrote no JSON: " + other);
  return json;
}

Json json_of_file(const std::string &argument, const std::string &path) {
  Json json = Json::parse(text_of_file(argument, path), nullptr, false);
  if (json.is_discarded()) throw CLI::ValidationError(argument, "'" + path + "' is no JSON");
  return json;
}

// From files where one is named, else of what is measured now.
gpuopt_report::Page page_of(const ReportArguments &o) {
  gpuopt_report::Page page;
  Progress progress("report");
  const bool now = o.bench.empty() && o.roofline.empty() && o.lab.empty();
  const auto add = [&](const char *argument, const std::string &path, const std::vector<std::string> &verb,
                       void (*add_json)(const Json &, gpuopt_report::Page *)) {
    if (path.empty() && !now) return;
    progress.show(verb[0]);
    const Json json = path.empty() ? json_of_verb(verb) : json_of_file(argument, path);
    try {
      add_json(json, &page);
    } catch (const nlohmann::json::exception &bad) {
      throw CLI::ValidationError(argument,
                                 "'" + path + "' is not what gpuopt " + verb[0] + " --json writes: " + bad.what());
    }
  };
  add("--bench", o.bench, now ? bench_words(o.device) : std::vector<std::string>{"bench"}, add_bench_json);
  add("--roofline", o.roofline, {"roofline", "--device", o.device}, add_roofline_json);
  // The lab's pairs are kernels of a GPU.
  if (!o.lab.empty() || ordinal_of(parse_device(o.device)) >= 0)
    add("--lab", o.lab, {"lab", "all", "--device", o.device}, add_lab_json);
  return page;
}

int report(const ReportArguments &o) {
  OutputFile out("report", "FILE", o.out), ladder("report", "--ladder", o.ladder);
  const gpuopt_report::Page page = page_of(o);
  const bool good = out.write(gpuopt_report::html_of(page));
  if (o.ladder.empty()) return good ? kOk : kFailure;
  const std::string drawing = gpuopt_report::ladder_svg(page);
  if (drawing.empty())
    std::fprintf(stderr, "gpuopt report: of no product three kernels or more were timed: no ladder\n");
  return ladder.write(drawing) && good && !drawing.empty() ? kOk : kFailure;
}

}  // namespace

void add_report(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<ReportArguments>();
  CLI::App *verb =
      app.add_subcommand("report", "Bench, roofline and lab as one page of HTML: of files, or measured now");
  verb->add_option("FILE", o->out, "The page")->required();
  verb->add_option("--bench", o->bench, "What gpuopt bench --json wrote");
  verb->add_option("--roofline", o->roofline, "What gpuopt roofline --json wrote");
  verb->add_option("--lab", o->lab, "What gpuopt lab --json wrote");
  verb->add_option("--ladder", o->ladder, "Draw the ladder alone into this file, as SVG");
  verb->add_option("--device", o->device,
                   "auto, cpu, or a CUDA ordinal: where nothing is named, all three are measured on it");
  verb->callback([o, exit_code] { *exit_code = report(*o); });
}

}  // namespace gpuopt_cli
