// The reader of Nsight Compute's tables: both pages, as they are found, and what is wrong with those that are cut or torn.
#include <fstream>
#include <iterator>
#include <string>

#include "doctest/doctest.h"
#include "gpuopt_advise/advice.h"

namespace {

using gpuopt_advise::read_report;
using gpuopt_advise::Report;
using gpuopt_advise::ReportError;

std::string made(const std::string &name) {
  const std::string path = std::string(GPUOPT_TEST_SOURCE_DIR) + "/data/advise/made/" + name;
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in, path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// What reading throws; "" where it does not.
std::string wrong_with(const std::string &text) {
  try {
    read_report(text);
  } catch (const ReportError &wrong) {
    return wrong.what();
  }
  return "";
}

const std::string kHead = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\"\n";

}  // namespace

TEST_CASE("advise report: a raw page has a kernel a row, between lines of ncu and of the application") {
  const Report r = read_report(made("raw.csv"));
  REQUIRE(r.kernels.size() == 2);
  CHECK(r.other_lines == 4);
  CHECK(r.kernels[0].name == "void transpose<float, 32>(float const*, float*, int)");
  CHECK(r.kernels[0].grid == "(256, 256, 1)");
  CHECK(r.kernels[0].cc == "9.0");
  CHECK(r.kernels[0].metrics.at("gpu__time_duration.sum") == doctest::Approx(1053));
  CHECK(r.kernels[0].metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") == 67108864);
  CHECK(r.kernels[0].metrics.count("smsp__issue_active.avg.pct_of_peak_sustained_active") == 0);  // n/a
  CHECK(r.kernels[1].metrics.at("gpu__time_duration.sum") == doctest::Approx(4.5));
}

TEST_CASE("advise report: a details page has a row a value, and remarks of ncu stand for counters") {
  const Report r = read_report(made("details.csv"));
  REQUIRE(r.kernels.size() == 2);
  CHECK(r.kernels[0].metrics.at("Memory Throughput [%]") == doctest::Approx(78.5));
  CHECK(r.kernels[0].metrics.at("Memory Throughput") == doctest::Approx(1.9e12));
  const gpuopt_advise::Readings q(r.kernels[0]);
  CHECK(q.value(gpuopt_advise::Quantity::store_excess) == doctest::Approx(8));
  CHECK(q.value(gpuopt_advise::Quantity::conflicts) == doctest::Approx(61.03));
  CHECK(q.value(gpuopt_advise::Quantity::fma) == doctest::Approx(12.3));
  CHECK(std::string(gpuopt_advise::advise(r.kernels[0]).verdict.rule->bound) == "uncoalesced");
  CHECK(std::string(gpuopt_advise::advise(r.kernels[1]).verdict.rule->bound) == "dram");
}

TEST_CASE("advise report: units with prefixes, thousands and exponents are numbers") {
  const Report r = read_report(kHead + "\"\",\"\",\"msecond\",\"Gbyte\"\n\"0\",\"k\",\"1,234.5\",\"2.0e-01\"\n");
  CHECK(r.kernels.at(0).metrics.at("gpu__time_duration.sum") == doctest::Approx(1234500));
  CHECK(r.kernels.at(0).metrics.at("dram__bytes_read.sum") == doctest::Approx(2e8));
}

TEST_CASE("advise report: a comma that parts no thousands is another locale's point and no number") {
  const auto wrong = [](const std::string &cell) { return wrong_with(kHead + "0,k,\"" + cell + "\",2\n"); };
  for (const char *cell :
       {"97,3", "0,123", "12,34", "1.234,5", "1234,567", ",5", "1,2345", "1,234,56", "1,,234", "1,"}) {
    CAPTURE(cell);
    CHECK(wrong(cell) == "line 2: gpu__time_duration.sum is '" + std::string(cell) + "', which is no number");
  }
  for (const char *cell : {"1,234", "-1,234.5", "12,345,678", "123,456e1", "1,234 (1; 2,5)", "1234.5"})
    CHECK_MESSAGE(wrong(cell) == "", cell);
}

TEST_CASE("advise report: percent of what there is at most are within it, with some room") {
  const std::string peak = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active";
  const auto wrong = [&](const std::string &metric, const std::string &cell) {
    return wrong_with("\"ID\",\"Kernel Name\",\"" + metric + "\"\n0,k,\"" + cell + "\"\n");
  };
  for (const std::string &metric : {peak, std::string("lts__t_sector_hit_rate.pct")}) {
    CAPTURE(metric);
    REQUIRE(gpuopt_advise::is_read(metric));
    for (const char *cell : {"973", "-50", "97,312"})
      CHECK(wrong(metric, cell) == "line 2: " + metric + " is '" + cell + "', which must be within 0 and 200 percent");
    for (const char *cell : {"0", "97.3", "104.2"}) CHECK(wrong(metric, cell) == "");
  }
  // Bytes per sector that many threads read are more than a sector.
  CHECK(wrong("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "400") == "");
}

TEST_CASE("advise report: quoted fields hold commas, quotes and line breaks") {
  const Report r = read_report("ID,\"Kernel Name\",gpu__time_duration.sum\r\n0,\"f<a, b>(\"\"x\"\",\r\n int)\",7\r\n");
  CHECK(r.kernels.at(0).name == "f<a, b>(\"x\",\r\n int)");
  CHECK(r.kernels.at(0).metrics.at("gpu__time_duration.sum") == 7);
}

TEST_CASE(
    "advise report: what an application says of kernel names is no head, and values of instances are no part of a "
    "sum") {
  const Report r = read_report("Kernel Name, \"unfinished\nKernel Name: 3,4\n" + kHead + "0,k,12 (5; 7),3\n");
  CHECK(r.other_lines == 2);
  CHECK(r.kernels.at(0).metrics.at("gpu__time_duration.sum") == 12);
}

TEST_CASE("advise report: tables that follow each other have heads of their own") {
  const Report r =
      read_report(kHead + "0,a,1,2\n==PROF== Disconnected\n\"ID\",\"gpu__time_duration.sum\",\"Kernel Name\"\n1,5,b\n");
  REQUIRE(r.kernels.size() == 2);
  CHECK(r.kernels[1].name == "b");
  CHECK(r.kernels[1].metrics.at("gpu__time_duration.sum") == 5);
}

TEST_CASE("advise report: what is wrong is told with its line") {
  CHECK(wrong_with("").find("line 1: no table") == 0);
  CHECK(wrong_with("==ERROR== ERR_NVGPUCTRPERM\n").find("line 2: no table") == 0);
  CHECK(wrong_with(kHead).find("line 1: the table has no kernel") == 0);
  CHECK(wrong_with(kHead + "0,k,1\n").find("line 2: 3 fields, where the head of line 1 has 4") == 0);
  CHECK(wrong_with(kHead + "0,k,1,2\n0,k,1,2,3\n").find("line 3: 5 fields") == 0);
  CHECK(wrong_with(kHead + "0,\"k,1,2\n").find("line 2: a quote is opened and not closed") == 0);
  CHECK(wrong_with(kHead + "0,\"k\"x,1,2\n").find("line 2: text follows a closing quote") == 0);
  CHECK(wrong_with(kHead + "0,k,1..5,2\n").find("line 2: gpu__time_duration.sum is '1..5'") == 0);
  CHECK(wrong_with(made("details.csv").substr(0, 700)).find("line 5: ") == 0);
}

TEST_CASE("advise report: wherever a report is cut, no kernel appears that was not there, and no value is another") {
  for (const char *name : {"raw.csv", "details.csv"}) {
    const std::string text = made(name);
    const Report whole = read_report(text);
    for (size_t length = 0; length < text.size(); ++length) {
      try {
        const Report cut = read_report(text.substr(0, length));
        REQUIRE(cut.kernels.size() <= whole.kernels.size());
        for (size_t i = 0; i < cut.kernels.size(); ++i) {
          CHECK(cut.kernels[i].name == whole.kernels[i].name);
          gpuopt_advise::advise(cut.kernels[i]);
        }
      } catch (const ReportError &wrong) {
        CHECK(wrong.line() >= 1);
      }
    }
  }
}
