// What counters mean: a kernel each, made out of the counters that a textbook case of its bottleneck has, and the recorded reports
// of our own kernels with the verdicts that were written before (tests/data/advise).
#include <dirent.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "doctest/doctest.h"
#include "gpuopt_advise/advice.h"

namespace {

using gpuopt_advise::Advice;
using gpuopt_advise::Kernel;
using gpuopt_advise::Quantity;

const std::string kData = std::string(GPUOPT_TEST_SOURCE_DIR) + "/data/advise/";

std::string file_text(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in, path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

const std::string kElapsed = ".avg.pct_of_peak_sustained_elapsed", kActive = ".avg.pct_of_peak_sustained_active";

// A kernel in which nothing is busy: 10 % of everything, full occupancy, coalesced, no conflicts; but for what is said.
Kernel idle(const std::map<std::string, double> &changed) {
  Kernel k;
  k.name = "kernel";
  k.grid = "(5280, 1, 1)";
  k.metrics = {{"gpu__time_duration.sum", 100},
               {"sm__throughput" + kElapsed, 10},
               {"gpu__compute_memory_throughput" + kElapsed, 10},
               {"gpu__dram_throughput" + kElapsed, 10},
               {"lts__throughput" + kElapsed, 10},
               {"l1tex__throughput" + kActive, 10},
               {"smsp__issue_active" + kActive, 10},
               {"sm__inst_executed_pipe_fma" + kActive, 10},
               {"sm__inst_executed_pipe_lsu" + kActive, 10},
               {"sm__pipe_tensor_cycles_active" + kActive, 0},
               {"sm__warps_active" + kActive, 90},
               {"sm__maximum_warps_per_active_cycle_pct", 100},
               {"launch__waves_per_multiprocessor", 5},
               {"device__attribute_multiprocessor_count", 132},
               {"sm__cycles_active.avg", 97},
               {"sm__cycles_elapsed.max", 100},
               {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 4000},
               {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1000},
               {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 4000},
               {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1000},
               {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 32},
               {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", 32},
               {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 0},
               {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 0},
               {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 0},
               {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 0},
               {"l1tex__data_pipe_lsu_wavefronts.sum", 10000},
               {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 8000},
               {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 0},
               {"l1tex__data_pipe_lsu_wavefronts_mem_shared" + kElapsed, 8},
               {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 31},
               {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 8},
               {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 1},
               {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 1}};
  for (const auto &c : changed) k.metrics[c.first] = c.second;
  return k;
}

std::string bound_of(const Advice &a) { return a.verdict.rule ? a.verdict.rule->bound : "none"; }
std::string bound_of(const std::map<std::string, double> &changed) {
  return bound_of(gpuopt_advise::advise(idle(changed)));
}

// "report <tab> bound <tab> why" a line, as bounds by report.
std::map<std::string, std::string> verdicts_of(const std::string &file) {
  std::map<std::string, std::string> all;
  std::istringstream lines(file_text(kData + file));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t tab = line.find('\t'), second = line.find('\t', tab + 1);
    REQUIRE(second != std::string::npos);
    all[line.substr(0, tab)] = line.substr(tab + 1, second - tab - 1);
  }
  return all;
}

}  // namespace

TEST_CASE("advise: scattered loads and scattered stores are uncoalesced, whatever else is busy") {
  CHECK(bound_of({{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 32000},
                  {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", 4},
                  {"lts__throughput" + kElapsed, 71}}) == "uncoalesced");
  CHECK(bound_of({{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 32000},
                  {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 4},
                  {"l1tex__throughput" + kActive, 97},
                  {"gpu__dram_throughput" + kElapsed, 90}}) == "uncoalesced");
}

TEST_CASE("advise: vectors of 16 bytes and loads of one address are not called uncoalesced") {
  CHECK(bound_of({{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 16000},
                  {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 16000},
                  {"gpu__dram_throughput" + kElapsed, 88}}) == "dram");
  CHECK(bound_of({{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1000},
                  {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 4},
                  {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 10},
                  {"l1tex__throughput" + kActive, 90}}) == "caches");
}

TEST_CASE("advise: without bytes per sector only what no width of access explains is uncoalesced") {
  Kernel k = idle({{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 32000},
                   {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 100},
                   {"l1tex__throughput" + kActive, 90}});
  k.metrics.erase("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio");
  k.metrics.erase("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio");
  CHECK(bound_of(gpuopt_advise::advise(k)) == "uncoalesced");
  k.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 16000;
  CHECK(bound_of(gpuopt_advise::advise(k)) == "caches");
  for (const int bits : {8, 16, 32, 64, 128})
    k.metrics["smsp__sass_inst_executed_op_memory_" + std::to_string(bits) + "b.sum"] = bits == 32 ? 1000 : 0;
  CHECK(bound_of(gpuopt_advise::advise(k)) == "uncoalesced");
}

TEST_CASE("advise: bank conflicts count where shared memory's passes take time") {
  CHECK(bound_of({{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 7500},
                  {"l1tex__data_pipe_lsu_wavefronts_mem_shared" + kElapsed, 85},
                  {"l1tex__throughput" + kActive, 88}}) == "bank-conflicts");
  const Advice little = gpuopt_advise::advise(
      idle({{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 7500}, {"gpu__dram_throughput" + kElapsed, 85}}));
  CHECK(bound_of(little) == "dram");
}

TEST_CASE("advise: what conflicts cost is no more than the next limit leaves") {
  const Advice a = gpuopt_advise::advise(idle({{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 7750},
                                               {"l1tex__data_pipe_lsu_wavefronts_mem_shared" + kElapsed, 95},
                                               {"gpu__dram_throughput" + kElapsed, 45}}));
  REQUIRE(bound_of(a) == "bank-conflicts");
  CHECK(a.verdict.gain == doctest::Approx(100.0 / 45));
}

TEST_CASE("advise: divergence counts where instructions are issued") {
  CHECK(bound_of({{"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 16},
                  {"smsp__issue_active" + kActive, 75}}) == "divergence");
  CHECK(bound_of({{"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 27},
                  {"smsp__issue_active" + kActive, 75}}) == "issue");
  CHECK(bound_of({{"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 16},
                  {"gpu__dram_throughput" + kElapsed, 92}}) == "dram");
}

TEST_CASE("advise: spills and atomics are named before what they make busy") {
  CHECK(bound_of({{"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 4000},
                  {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 2000},
                  {"l1tex__throughput" + kActive, 70}}) == "local-memory");
  CHECK(bound_of({{"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 1000}}) == "atomics");
  CHECK(bound_of({{"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 8}}) == "latency");
}

TEST_CASE("advise: what a kernel does seldom is no bottleneck, whatever part of its loads and stores it is") {
  // Tiles by the copy engine: a few loads, stores, atomics and spills beside a million other instructions.
  const std::map<std::string, double> seldom = {{"sm__pipe_tensor_cycles_active" + kActive, 85},
                                                {"lts__throughput" + kElapsed, 65},
                                                {"l1tex__throughput" + kActive, 75},
                                                {"smsp__inst_executed.sum", 1e6},
                                                {"lts__t_sectors.sum", 1e6},
                                                {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 8000},
                                                {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", 4},
                                                {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 1000},
                                                {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 1000},
                                                {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 18},
                                                {"smsp__issue_active" + kActive, 25},
                                                {"gpu__dram_throughput" + kElapsed, 20}};
  CHECK(bound_of(seldom) == "tensor");
}

TEST_CASE("advise: fewer blocks than multiprocessors are too few, and a last wave alone is a tail") {
  Kernel k = idle({{"launch__waves_per_multiprocessor", 0.01}});
  k.grid = "(1, 1, 1)";
  CHECK(bound_of(gpuopt_advise::advise(k)) == "launch-too-small");
  k.grid = "(8, 8, 1)";
  k.metrics["sm__inst_executed_pipe_fma" + kActive] = 80;  // of the half that works
  k.metrics["sm__cycles_active.avg"] = 47;
  CHECK(bound_of(gpuopt_advise::advise(k)) == "launch-too-small");
  CHECK(bound_of({{"launch__waves_per_multiprocessor", 1.1}, {"sm__cycles_active.avg", 60}}) == "tail");
}

TEST_CASE("advise: how many multiprocessors there are follows from waves, and 16 there are in any case") {
  Kernel k = idle({{"launch__waves_per_multiprocessor", 0.25}, {"launch__occupancy_limit_registers", 2}});
  k.metrics.erase("device__attribute_multiprocessor_count");
  k.grid = "(66, 1, 1)";
  CHECK(gpuopt_advise::Readings(k).value(Quantity::multiprocessors) == 132);
  CHECK(bound_of(gpuopt_advise::advise(k)) == "launch-too-small");
  Kernel alone;
  alone.grid = "(4, 2, 1)";
  alone.metrics["smsp__issue_active" + kActive] = 3;
  CHECK(bound_of(gpuopt_advise::advise(alone)) == "launch-too-small");
  alone.grid = "(5, 5, 1)";
  CHECK(bound_of(gpuopt_advise::advise(alone)) == "latency");
}

TEST_CASE("advise: useful work at its limit is named before what serves it") {
  CHECK(bound_of({{"sm__pipe_tensor_cycles_active" + kActive, 88}, {"l1tex__throughput" + kActive, 93}}) == "tensor");
  CHECK(bound_of({{"sm__inst_executed_pipe_fma" + kActive, 72}, {"smsp__issue_active" + kActive, 82}}) == "fp32");
  CHECK(bound_of({{"gpu__dram_throughput" + kElapsed, 91}, {"gpu__compute_memory_throughput" + kElapsed, 91}}) ==
        "dram");
  CHECK(bound_of({{"gpu__dram_throughput" + kElapsed, 62}, {"smsp__issue_active" + kActive, 85}}) == "issue");
}

TEST_CASE("advise: issue slots of which a third is free are no limit, and addresses belong to their accesses") {
  CHECK(bound_of({{"smsp__issue_active" + kActive, 63}, {"sm__throughput" + kElapsed, 63}}) == "latency");
  CHECK(bound_of({{"smsp__issue_active" + kActive, 70}, {"sm__throughput" + kElapsed, 70}}) == "issue");
  const std::map<std::string, double> integers = {{"sm__inst_executed_pipe_alu" + kActive, 80},
                                                  {"smsp__issue_active" + kActive, 72}};
  CHECK(bound_of(integers) == "integer");
  std::map<std::string, double> addresses = integers;
  addresses["sm__inst_executed_pipe_lsu" + kActive] = 64;
  addresses["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 100;
  CHECK(bound_of(addresses) == "caches");
}

TEST_CASE("advise: shared memory and repeated global loads are told apart by whose passes fill L1") {
  CHECK(bound_of({{"l1tex__throughput" + kActive, 86}}) == "shared-memory");
  CHECK(bound_of({{"l1tex__throughput" + kActive, 86}, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 100}}) ==
        "caches");
  CHECK(bound_of({{"lts__throughput" + kElapsed, 86}}) == "caches");
}

TEST_CASE("advise: where nothing is busy, few warps are named with what limits them, else what warps wait for") {
  const Advice few = gpuopt_advise::advise(idle({{"sm__warps_active" + kActive, 12},
                                                 {"sm__maximum_warps_per_active_cycle_pct", 12.5},
                                                 {"launch__occupancy_limit_registers", 1},
                                                 {"launch__occupancy_limit_shared_mem", 5},
                                                 {"launch__occupancy_limit_warps", 8},
                                                 {"launch__occupancy_limit_blocks", 32},
                                                 {"launch__registers_per_thread", 166}}));
  CHECK(bound_of(few) == "occupancy");
  CHECK(few.limiter.find("registers (166 a thread)") == 0);
  const Advice waiting = gpuopt_advise::advise(idle({}));
  CHECK(bound_of(waiting) == "latency");
  REQUIRE(waiting.stall.stall);
  CHECK(std::string(waiting.stall.stall->name) == "long_scoreboard");
  CHECK(waiting.stall.percent == doctest::Approx(80));
  CHECK(waiting.next.find("loads in flight") != std::string::npos);
}

TEST_CASE("advise: a report without what rules read has no verdict and says what it lacks") {
  const Advice a = gpuopt_advise::advise(Kernel());
  CHECK(bound_of(a) == "none");
  CHECK(a.missing.size() > 10);
  Kernel little;
  little.metrics["gpu__compute_memory_throughput" + kElapsed] = 77;
  CHECK(bound_of(gpuopt_advise::advise(little)) == "memory");
}

TEST_CASE("advise: every rule has its source, its evidence and kernels that there are") {
  const std::string known = file_text(std::string(GPUOPT_TEST_SOURCE_DIR) + "/goldens/resources_cuda13.0.txt");
  std::set<std::string> read;
  for (size_t i = 0; i < gpuopt_advise::kRuleCount; ++i) {
    const gpuopt_advise::Rule &rule = gpuopt_advise::kRules[i];
    CAPTURE(rule.verdict);
    CHECK(*rule.source != 0);
    CHECK(*rule.next != 0);
    CHECK(rule.conditions[0].threshold != 0);
    std::istringstream words(rule.shown_by);
    for (std::string word; words >> word;) {
      if (word.back() == ',') word.pop_back();
      if (word.find('_') == std::string::npos) continue;
      CAPTURE(word);
      CHECK(known.find("sm_90 " + word + " ") != std::string::npos);
    }
  }
}

TEST_CASE("advise: the metrics that are asked for are those that rules read, each once") {
  const std::vector<std::string> wanted = gpuopt_advise::wanted_metrics();
  CHECK(std::set<std::string>(wanted.begin(), wanted.end()).size() == wanted.size());
  Kernel all;
  for (const std::string &name : wanted) {
    CHECK(gpuopt_advise::is_read(name));
    all.metrics[name] = 10;
  }
  CHECK(gpuopt_advise::advise(all).missing.empty());
}

TEST_CASE("advise: recorded reports of our kernels have the verdicts that were written before") {
  const std::map<std::string, std::string> expected = verdicts_of("expected.tsv"),
                                           otherwise = verdicts_of("otherwise.tsv");
  int recorded = 0, right = 0;
  for (const auto &one : expected) {
    const std::string &name = one.first, &bound = one.second;
    const std::string path = kData + "recorded/" + name + ".csv";
    if (!std::ifstream(path)) continue;
    ++recorded;
    CAPTURE(name);
    const std::string said = bound_of(gpuopt_advise::advise(gpuopt_advise::read_report(file_text(path)).kernels.at(0)));
    right += said == bound;
    const auto other = otherwise.find(name);
    CHECK(said == (other == otherwise.end() ? bound : other->second));
  }
  CHECK(right >= 16);
  CHECK(right >= 0.9 * recorded);
  for (const auto &one : otherwise) {
    const std::string &name = one.first, &bound = one.second;
    CAPTURE(name);
    CHECK(expected.count(name) == 1);
    CHECK(expected.at(name) != bound);
  }
}
