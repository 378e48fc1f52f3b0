// Records: what is written is read back, several runs make one, targets have their section and never fail a run.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "../full_disk.h"
#include "core/record_read.h"
#include "core/target_table.h"
#include "rows.h"
#include "suites/targets.h"

using namespace gpuopt_bench;

namespace {

constexpr const char *kProblem = "transpose 1024x1024:f32";  // of the table: two times, S and G

Record sample() {
  Record r;
  r.commit = "abc";
  r.date = "2026-11-21T00:00:00Z";
  r.build = "gpuopt";
  r.arguments = "--suite targets";
  r.device.name = "some GPU";
  r.device.cc = 90;
  return r;
}

Record written_and_read(const Record &record) {
  const std::string path = "test_record.json";
  write_file(path, record.json());
  Record read = read_earlier(path, record);
  std::remove(path.c_str());
  return read;
}

const Check *find(const Record &record, const std::string &name) {
  for (const Check &c : record.checks)
    if (c.name == name) return &c;
  return nullptr;
}

int lines_with(const std::string &text, const std::string &word) {
  int count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("record: rows and checks survive writing and reading") {
  Record record = sample();
  record.rows.push_back(row(kProblem, Role::reference, "empty_kernel", 3.25, Mode::graph));
  record.rows.back().cache = Cache::resident;
  record.checks.push_back({"harness", 1.5, 2, "%", true});
  Check c = {"number", 0.97, 1, "x", false};
  c.target = true;
  c.bound = Bound::above;
  c.note = "the \"worst\", of all";
  record.checks.push_back(c);
  record.checks.push_back({"none", NAN, 1, "us", false});
  const Record read = written_and_read(record);
  REQUIRE(read.rows.size() == 1);
  CHECK(read.rows[0].problem == kProblem);
  CHECK(read.rows[0].role == Role::reference);
  CHECK(read.rows[0].mode == Mode::graph);
  CHECK(read.rows[0].cache == Cache::resident);
  CHECK(read.rows[0].timing.median_us == 3.25);
  REQUIRE(read.checks.size() == 3);
  CHECK_FALSE(read.checks[0].target);
  CHECK(read.checks[0].ok);
  CHECK(read.checks[1].target);
  CHECK(read.checks[1].bound == Bound::above);
  CHECK(read.checks[1].value == 0.97);
  CHECK(read.checks[1].note == c.note);
  CHECK(std::isnan(read.checks[2].value));
  CHECK(record.json().find("nan") == std::string::npos);  // JSON has no such number
}

TEST_CASE("record: where it goes is looked at beforehand, and an earlier one outlives a write that fails") {
  CHECK(output_fault("--json", "") == "");
  CHECK(output_fault("--json", "/nowhere/r.json") ==
        "--json: '/nowhere/r.json': it cannot be written: No such file or directory");
  const std::string path = "test_record_whole.json";
  write_file(path, "earlier");
  CHECK(output_fault("--json", path) == "");
  CHECK(gpuopt_test::on_full_disk([&] {
    try {
      write_file(path, std::string(1000, 'x'));
    } catch (const std::runtime_error &) {
      return true;
    }
    return false;
  }));
  std::ifstream in(path);
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == "earlier");
  std::remove(path.c_str());
}

TEST_CASE("record: what a row has beside its names and times, and the device as predictions know it") {
  Record record = sample();
  record.facts.struct_size = sizeof record.facts;
  record.facts.memory_gbs = 4917.5;
  record.facts.smem_per_block_optin = 232448;
  for (const double us : {10.12349, 20.0}) {
    record.rows.push_back(row(kProblem, us > 15 ? Role::kernel : Role::automatic, us > 15 ? "b" : "a", us));
    record.rows.back().call = "transpose src=8x8:f32 dst=8x8:f32";
    record.rows.back().predicted_us = 2 * us;
    record.rows.back().rate = us;
    record.rows.back().against_bound = 0.5;
  }
  record.rows.push_back(row(kProblem, Role::kernel, "c", 0));
  record.rows.back().timing.failure = "refused: \"no\"";
  const Record read = written_and_read(record);
  CHECK(read.facts.struct_size == sizeof read.facts);
  CHECK(read.facts.memory_gbs == 4917.5);
  CHECK(read.facts.smem_per_block_optin == 232448);
  REQUIRE(read.rows.size() == 3);
  CHECK(read.rows[0].timing.median_us == 10.123);  // five digits
  CHECK(read.rows[1].call == record.rows[1].call);
  CHECK(read.rows[1].predicted_us == 40);
  CHECK(read.rows[1].rate == 20);
  CHECK(read.rows[1].against_bound == 0.5);
  CHECK(read.rows[1].timing.samples == 9);
  CHECK(read.rows[2].timing.failure == "refused: \"no\"");
  CHECK(read.rows[2].kernel == "c");
  CHECK(read.rows[2].rate == 0);
  CHECK(written_and_read(sample()).facts.struct_size == 0);
}

TEST_CASE("record: any JSON with its fields is read, and nothing else is") {
  const std::string path = "test_record_any.json";
  write_file(path,
             "{ \"rows\":[{\"mode\" : \"G\",\n\"suite\":\"gemm\", \"role\":\"auto\",\"median_us\":1e1, \"detail\": "
             "\"a \\u0022b\\u0022\", \"cache\":\"cold\",\n \"unknown\": [1, {}]}], \"gpu\":{\"cc\":90,\"name\":\"some "
             "GPU\"},\n\"commit\":\"abc\",\"schema\":\"gpuopt-bench-1\"}");
  const Record read = read_earlier(path, sample());
  REQUIRE(read.rows.size() == 1);
  CHECK(read.rows[0].timing.median_us == 10);
  CHECK(read.rows[0].mode == Mode::graph);
  CHECK(read.rows[0].detail == "a \"b\"");
  Record other = sample();
  other.commit = "def";
  CHECK_THROWS(read_earlier(path, other));
  for (const char *bad : {"", "{", "[]", "{\"schema\": \"gpuopt-check-1\"}", "{\"schema\": 1}",
                          "{\"schema\": \"gpuopt-bench-2\", \"cases\": [[0]]}"}) {
    write_file(path, bad);
    CHECK_THROWS(read_record(path));
  }
  std::remove(path.c_str());
  CHECK_THROWS(read_record(path));
  CHECK(read_earlier(path, sample()).rows.empty());
}

TEST_CASE("record: a target that is short fails nothing, a check of the harness does") {
  Record record = sample();
  record.rows.push_back(row(kProblem, Role::automatic, "a", 100));
  judge_targets(&record);
  REQUIRE(record.checks.size() == 1);
  CHECK_FALSE(record.checks[0].ok);
  CHECK(record.checks_ok());
  record.checks.push_back({"harness", 3, 2, "%", false});
  CHECK_FALSE(record.checks_ok());
}

TEST_CASE("record: targets have their section, apart from the checks of the harness") {
  Record record = sample();
  CHECK(record.markdown().find("## Targets") == std::string::npos);
  CHECK(target_lines(record.checks) == "");
  record.checks.push_back({"harness", 1, 2, "%", true});
  record.rows.push_back(row(kProblem, Role::automatic, "a", 6));
  record.rows.push_back(row(kProblem, Role::automatic, "a", 4, Mode::graph));
  judge_targets(&record);
  const std::string text = record.markdown();
  CHECK(lines_with(text, "## Targets") == 1);
  CHECK(text.find("met 1 of 2") != std::string::npos);
  CHECK(text.find("| transpose 1024x1024:f32, time | <= 6.2 us | 6 us | met |") != std::string::npos);
  CHECK(text.find("| transpose 1024x1024:f32 G, time | <= 3.35 us | 4 us | **short** |") != std::string::npos);
  CHECK(text.find("| harness | 1 % | 2 % | ok |") != std::string::npos);
  CHECK(text.find("**FAIL**") == std::string::npos);
  const std::string lines = target_lines(record.checks);
  CHECK(lines_with(lines, "\n") == 3);
  CHECK(lines.find("short  transpose 1024x1024:f32 G, time") != std::string::npos);
  CHECK(lines.rfind("met 1 of 2\n") == lines.size() - 11);
}

TEST_CASE("record: a second call adds its rows, replaces what it measured again, and all is judged anew") {
  Record first = sample();
  first.rows.push_back(row(kProblem, Role::automatic, "a", 100));
  judge_targets(&first);
  first.checks.push_back({"harness", 1, 2, "%", true});
  const Record earlier = written_and_read(first);

  Record second = sample();
  second.rows.push_back(row(kProblem, Role::automatic, "a", 3, Mode::graph));
  continue_record(earlier, &second);
  judge_targets(&second);
  CHECK(second.rows.size() == 2);
  CHECK(second.checks.size() == 3);
  REQUIRE(find(second, "transpose 1024x1024:f32, time") != nullptr);
  CHECK_FALSE(find(second, "transpose 1024x1024:f32, time")->ok);
  REQUIRE(find(second, "transpose 1024x1024:f32 G, time") != nullptr);
  CHECK(find(second, "transpose 1024x1024:f32 G, time")->ok);

  Record third = sample();  // S again, now fast
  third.rows.push_back(row(kProblem, Role::automatic, "a", 6));
  continue_record(written_and_read(second), &third);
  judge_targets(&third);
  CHECK(third.rows.size() == 2);
  CHECK(third.checks.size() == 3);
  CHECK(find(third, "transpose 1024x1024:f32, time")->ok);
  CHECK(third.markdown().find("met 2 of 2") != std::string::npos);

  Record fourth = sample();  // another suite: the verdicts stay
  continue_record(written_and_read(third), &fourth);
  CHECK(fourth.checks.size() == 3);
  CHECK(find(fourth, "transpose 1024x1024:f32 G, time")->target);
}

TEST_CASE("record: of the files of a command line it has the names, not the folders") {
  CHECK(recorded_arguments({"--suite", "gemm", "--json", "/home/who/out/record.json", "--markdown", "out/r.md",
                            "--filter", "a/b"}) == "--suite gemm --json record.json --markdown r.md --filter a/b");
  CHECK(recorded_arguments({"--against", "/tmp/before.so", "--json"}) == "--against before.so --json");
  CHECK(recorded_arguments({}).empty());
}
