// gpuopt_bench: gpuopt against its peers and the machine's ceilings, on one GPU, in one process. docs/measuring.md says
// how the numbers are made. Exit codes: 0 done and every check of the harness holds, 1 an error (the record holds what was
// measured before it), 2 the command line is wrong, 3 a check failed (the record is written all the same). A target that
// is short is no failed check.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/counts.h"
#include "core/error.h"
#include "core/kernels_page.h"
#include "core/record_read.h"
#include "core/stop.h"
#include "core/target_table.h"
#include "fit/fit.h"
#include "fit/tune_record.h"
#include "suites/against_judge.h"
#include "suites/selection_judge.h"
#include "suites/suite.h"
#include "suites/targets.h"

namespace {

using namespace gpuopt_bench;

struct Suite {
  const char *name, *what;
  void (*run)(Context &);
  void (*check_shape)(const std::string &text);  // throws BadShape; nullptr: the suite takes no shapes
  bool in_all = true;
};
constexpr Suite kSuites[] = {
    {"honesty", "the harness against itself", run_honesty, nullptr},
    {"copy", "copy and read ceilings; --all-kernels: every shape of our copy", run_copy, nullptr},
    {"gemm", "against cuBLAS and cuBLASLt", run_gemm, check_gemm_shape},
    {"gemm_layers", "gemm: squares, layers of models, short sums, against cuBLAS and cuBLASLt; not part of all",
     run_gemm_layers, nullptr, false},
    {"gemm_invariant", "batch-invariant products against the choice without the promise, and read; not part of all",
     run_gemm_invariant, check_gemm_shape, false},
    {"gemm_grouped",
     "mixtures of experts, against cuBLAS's grouped call, single calls, a dense product, read; not part of all",
     run_gemm_grouped, nullptr, false},
    {"gemm_block_scales", "fp8 with scales of blocks, against the choice without them; not part of all",
     run_gemm_block_scales, nullptr, false},
    {"transpose", "against cuBLAS geam and copy", run_transpose, check_transpose_shape},
    {"reduce", "against CUB and read", run_reduce, check_reduce_shape},
    {"fused_act", "against CUB and copy", run_fused_act, check_fused_act_shape},
    {"fused_table", "fused_act over types, chains and alignments, against copy and bound", run_fused_table, nullptr},
    {"norm", "against copy", run_norm, check_norm_shape},
    {"ladder", "every gemm kernel, forced, at 1024, 4096 and 8192 cubed; not part of all", run_ladder,
     check_ladder_shape, false},
    {"targets", "the numbers the library is held to, each met or short; not part of all", run_targets, nullptr, false},
    {"every_kernel", "every kernel, forced, on the problem that it is for; not part of all", run_every_kernel, nullptr,
     false},
    {"selection", "random problems, every candidate timed: choice against best; not part of all", run_selection,
     nullptr, false},
    {"model_rows", "norms, chains, sums, transposes at shapes of models, against copy and read; not part of all",
     run_model_rows, nullptr, false},
    {"host_overhead", "what a call through gpuopt costs the host", run_host_overhead, nullptr},
};

struct CommandLine {
  std::string suites = "all", json, markdown, commit, against;
  int device = 0;
  bool continues = false;
  int64_t seed = -1;  // not given
  Options options;
};

void print_help() {
  std::printf(
      "gpuopt_bench [options]               measures; the other verbs need no GPU:\n"
      "gpuopt_bench fit RECORD... [...]     fits the figures of predictions to records\n"
      "gpuopt_bench tune RECORD [...]       its candidates' times as a tuned-choice file, and what they are worth\n"
      "gpuopt_bench kernels-md RECORD ...   docs/kernels.md\n"
      "  --suite A,B,...   all, or some of:\n");
  for (const Suite &s : kSuites) std::printf("      %-14s  %s\n", s.name, s.what);
  std::printf(
      "  --quick           the most telling rows, fewer samples\n"
      "  --no-peers        no cuBLAS, cuBLASLt or CUB beside ours: what two builds are compared by\n"
      "  --against FILE    another build of gpuopt, a shared object, in alternation with this one and without peers; "
      "rows that\n"
      "                    are slower than its are measured three times more (core/other_build.h says how to make "
      "one)\n"
      "  --all-kernels     every kernel that can run, each forced\n"
      "  --kernels A,B,... every kernel that can run and matches one of these globs, each forced\n"
      "  --shape TEXT,...  these shapes instead of the suite's own (one suite, one of):\n"
      "      gemm            MxNxK[:in type[:out type[:compute[:layout[:end]]]]], e4m3+e5m2 where A and B differ;\n"
      "                      end: bias bias_gelu bias_gelu_tanh bias_silu residual\n"
      "      transpose       ROWSxCOLS[xBATCH][:type[:in_place]]\n"
      "      reduce          ROWSxCOLS[:type[:reduction[:all|row|col]]]\n"
      "      fused_act       ROWSxCOLS[:type[:chain[:row|col]]], relu relu_bias_scale bias_gelu_tanh bias_gelu\n"
      "                      silu_mul bias_gelu_residual five_relu five_gelu, or one stage as tanh; col: x in columns\n"
      "      norm            ROWSxCOLS[:type[:kind]], layernorm rmsnorm softmax log_softmax add_layernorm add_rmsnorm\n"
      "                      layernorm_gelu rmsnorm_silu\n"
      "      ladder          N, for N x N x N\n"
      "  --count N         selection: problems of each op (400); model_rows: problems (600)\n"
      "  --seed N          selection: of the problems (the clock's; the record has it); model_rows: another than its "
      "own\n"
      "  --filter TEXT     only cases whose \"suite shape type detail\" contains TEXT\n"
      "  --json FILE       write the record\n"
      "  --continue        with --json: keep what the file already holds of other cases; same GPU and commit only\n"
      "  --markdown FILE   write the table\n"
      "  --commit TEXT     what the record names as commit (git is asked otherwise)\n"
      "  --device N        CUDA ordinal (0)\n");
}

int usage(const std::string &text) {
  std::fprintf(stderr, "gpuopt_bench: %s; see --help\n", text.c_str());
  return 2;
}

bool suite_named(const std::string &suites, const char *name) {
  return ("," + suites + ",").find("," + std::string(name) + ",") != std::string::npos;
}
bool wanted(const std::string &suites, const Suite &suite) {
  return suite_named(suites, suite.name) || (suite.in_all && suite_named(suites, "all"));
}

// What is met and what is short, by the rows of this run and of those it continues.
void report_targets(Record *record) {
  judge_targets(record);
  size_t judged = 0;
  for (const Check &c : record->checks) judged += c.target ? 1 : 0;
  if (judged < targets().size())
    std::printf("\n%zu of %zu numbers were not measured\n", targets().size() - judged, targets().size());
  std::printf("\n%s", target_lines(record->checks).c_str());
}

// Before a device is touched: are the shapes those of the suite?
void check_shapes(const CommandLine &line) {
  if (suite_named(line.suites, "targets")) check_targets();
  if (line.options.shapes.empty()) return;
  for (const Suite &s : kSuites)
    if (line.suites == s.name && s.check_shape != nullptr) {
      for (const std::string &shape : line.options.shapes) s.check_shape(shape);
      return;
    }
  throw BadShape("--shape needs --suite with one of gemm, transpose, reduce, fused_act, norm, ladder");
}

int run(const CommandLine &line, const std::string &arguments) {
  int devices = 0;
  BENCH_CUDA(cudaGetDeviceCount(&devices));
  if (line.device >= devices) throw Refused("there is no CUDA device " + std::to_string(line.device));
  Session session(line.device);
  Record record;
  record.commit = line.commit.empty() ? git_commit() : line.commit;
  record.date = utc_now();
  record.build = gpuopt_build_info();
  record.arguments = arguments;
  record.device = session.device();
  std::exception_ptr failure;
  const Record earlier = line.continues ? read_earlier(line.json, record) : Record();
  {
    Library library(session);
    std::unique_ptr<OtherBuild> other;
    if (!line.against.empty()) {
      other = std::make_unique<OtherBuild>(line.against);
      other->create(library.options());
      std::printf("against %s: %s\n", line.against.c_str(), other->build().c_str());
    }
    Context context = {session, library, record, line.options, &earlier, other.get()};
    session.warm_up(200);
    record.before = read_clocks(record.device);
    record.facts.struct_size = sizeof record.facts;
    gpuopt_get_device(library.handle(), &record.facts);
    std::printf("%s, %d SMs, driver %s, SM %u MHz, memory %u MHz; %s\n", record.device.name.c_str(),
                record.device.sm_count, record.device.driver.c_str(), record.before.sm_mhz, record.before.memory_mhz,
                record.build.c_str());
    try {
      for (const Suite &s : kSuites)
        if (wanted(line.suites, s)) {
          const double us = wall_us([&] { s.run(context); });
          std::printf("suite %s took %.1f s\n", s.name, us / 1e6);
          std::fflush(stdout);
        }
      record.after = read_clocks(record.device);
    } catch (...) {  // the device failed: what was measured before it stays
      failure = std::current_exception();
    }
  }
  continue_record(earlier, &record);
  if (suite_named(line.suites, "targets")) report_targets(&record);
  judge_selection(&record);
  judge_against(&record);
  std::printf("%s", against_table(record.rows).c_str());
  if (!line.json.empty()) write_file(line.json, record.json());
  if (!line.markdown.empty()) write_file(line.markdown, record.markdown());
  if (failure != nullptr) std::rethrow_exception(failure);
  if (stop_asked()) throw Refused("stopped by a signal; the record holds what was measured before it");
  return record.checks_ok() ? 0 : 3;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "fit") == 0) return run_fit({argv + 2, argv + argc});
  if (argc > 1 && std::strcmp(argv[1], "tune") == 0) return run_tune_record({argv + 2, argv + argc});
  if (argc > 1 && std::strcmp(argv[1], "kernels-md") == 0) return run_kernels_md({argv + 2, argv + argc});
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a log has what was measured, however the run ends
  stop_on_signals();
  CommandLine line;
  std::string arguments = recorded_arguments({argv + 1, argv + argc});
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help" || name == "-h") {
      print_help();
      return 0;
    }
    if (name == "--quick") {
      line.options.quick = true;
      continue;
    }
    if (name == "--continue") {
      line.continues = true;
      continue;
    }
    if (name == "--no-peers") {
      line.options.peers = false;
      continue;
    }
    if (name == "--all-kernels") {
      line.options.all_kernels = true;
      continue;
    }
    const bool known = name == "--suite" || name == "--shape" || name == "--kernels" || name == "--filter" ||
                       name == "--json" || name == "--markdown" || name == "--commit" || name == "--device" ||
                       name == "--count" || name == "--seed" || name == "--against";
    if (!known) return usage("unknown option " + name);
    if (++i == argc) return usage(name + " needs a value");
    const std::string value = argv[i];
    if (name == "--suite") line.suites = value;
    if (name == "--shape")
      for (const std::string &shape : split(value, ',')) line.options.shapes.push_back(shape);
    if (name == "--kernels") {
      line.options.all_kernels = true;
      for (const std::string &glob : split(value, ',')) line.options.kernels.push_back(glob);
    }
    if (name == "--filter") line.options.filter = value;
    if (name == "--json") line.json = value;
    if (name == "--markdown") line.markdown = value;
    if (name == "--commit") line.commit = value;
    if (name == "--against") {
      line.against = value;
      line.options.peers = false;
    }
    const auto take_number = [&](auto *number) {
      using Number = std::decay_t<decltype(*number)>;
      return read_count<Number>(value, 0, std::numeric_limits<Number>::max(), number);
    };
    if ((name == "--device" && !take_number(&line.device)) ||
        (name == "--count" && !take_number(&line.options.count)) || (name == "--seed" && !take_number(&line.seed)))
      return usage(name + " needs a whole number, not '" + value + "'");
  }
  line.options.seed_given = line.seed >= 0;
  if (line.seed < 0) line.seed = std::chrono::system_clock::now().time_since_epoch().count() / 1000 % 1000000000;
  line.options.seed = static_cast<uint64_t>(line.seed);
  if (suite_named(line.suites, "selection") && arguments.find("--seed") == std::string::npos)
    arguments += " --seed " + std::to_string(line.seed);
  if (line.continues && line.json.empty()) return usage("--continue needs --json");
  for (const std::string &word : split(line.suites, ',')) {
    bool found = word == "all";
    for (const Suite &s : kSuites) found = found || word == s.name;
    if (!found) return usage("no suite '" + word + "'");
  }
  for (const std::string &fault : {output_fault("--json", line.json), output_fault("--markdown", line.markdown)})
    if (!fault.empty()) return usage(fault);
  try {
    check_shapes(line);
    return run(line, arguments);
  } catch (const BadShape &bad) {
    return usage(bad.what());
  } catch (const std::exception &e) {
    std::fprintf(stderr, "gpuopt_bench: %s\n", e.what());
    return 1;
  }
}
