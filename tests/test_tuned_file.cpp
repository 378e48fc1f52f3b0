// Reading tuned-choice files: whatever is in one, what can be used is used, and the rest is told once, by file, line, value
// and rule.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <sstream>
#include <thread>

#include "tuned.h"
#include "tuning/table_source.h"

using namespace gpuopt_test;

namespace {

constexpr const char *kReference = "gemm_cpu_reference";

struct Files {
  TempFolder folder;
  std::string path = folder / "x.tune";
  SmallGemm g;
  std::string key;
  Files() {
    const TunedHandle h("none");
    key = tune_key(h.get(), &g.args);
  }
  std::vector<std::string> warnings_of(const std::string &text) {
    write_file(path, text);
    return TunedHandle(path).warnings();
  }
  // What the file makes of the call.
  std::string ran_with(const std::string &text) {
    write_file(path, text);
    const TunedHandle h(path, "none");
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
    return ran(h.get());
  }
};

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  REQUIRE_MESSAGE(contains(text, from), text);
  return text.replace(text.find(from), from.size(), to);
}

const std::string kTuned = "gemm_cpu_reference tuned", kUntuned = "gemm_cpu_blocked predicted";

}  // namespace

TEST_CASE("tuned file: each line that is wrong is told by file, line, value and rule, and the good ones are used") {
  Files f;
  const std::string good = entry(f.key, kReference), line = good.substr(0, good.size() - 1);
  const std::string measured = replaced(f.key, "exact", "measured");
  std::string many_times;
  for (int i = 0; i < 25; ++i) many_times += " time=1:1:gemm_" + std::to_string(i);
  const struct {
    std::string line, why;
  } wrong[] = {
      {"nonsense", "it begins with 'nonsense' and not with exact; class or measured"},
      {replaced(line, "exact ", ""), "it begins with 'device' and not with exact; class or measured"},
      {replaced(line, " m=3", ""), "no m= in it"},
      {replaced(line, " m=3", " m=3.5"), "m=3.5: is no integer within 1 and 9223372036854775807"},
      {replaced(line, " m=3", " m=-9223372036854775808"), "m=-9223372036854775808: is no integer within 1 and"},
      {replaced(line, " m=3", " m=99999999999999999999"), "m=99999999999999999999: is no integer within 1 and"},
      {replaced(line, " m=3", " m=3 m=3"), "m=3: is given twice"},
      {replaced(line, "exact", "class"), "m=3: is no power of two as in a class"},
      {replaced(line, "op=gemm", "op=gem"), "op=gem: is no operation"},
      {replaced(line, "compute=f32", "compute=f31"), "compute=f31: is no compute type"},
      {replaced(line, " a=f32", " a=f33"), "a=f33:row:align"},
      {replaced(line, " b=f32", " b=b=f32"), "b=b=f32:row:align"},
      {line + " c=f32:row:align16:ld512", "c=f32:row:align16:ld512: is no operand as f32:row:align16:ld16"},
      {line + " c=f32:row:align32:ld16", "c=f32:row:align32:ld16: is no operand as f32:row:align16:ld16"},
      {line + " c=f32:row:align16:ld16:padded:padded", "c=f32:row:align16:ld16:padded:padded: is no operand as"},
      {line + " stage=relux", "stage=relux: is no stage"},
      {line + " stage=add:per_row", "stage=add:per_row: has not the operands of its kind"},
      {line + " stage=relu:f32:row:align4:ld4", "stage=relu:f32:row:align4:ld4: has not the operands of its kind"},
      {line + " features=beta+beta", "features=beta+beta: is no list of features"},
      {line + " flags=", "flags=: is no list of flags"},
      {line + " newer=1", "newer=1: is no word of an entry"},
      {line + " axis=row", "axis=row: is no word of an entry"},
      {line + " stray", "stray: is no word of an entry"},
      {replaced(line, "version=1", "version=one"), "version=one: is not the version of a kernel"},
      {replaced(line, "version=1", "version=1+1"), "version=1+1: is not the version of a kernel"},
      {replaced(line, "kernel=gemm_cpu_reference", "kernel=+x"), "kernel=+x: is no name of a kernel; nor of two"},
      {replaced(line, "isa=", "isa=x"), "isa=x"},
      {replaced(line, "threads=1", "threads=0"), "threads=0: is no integer within 1 and 65536"},
      {line + " us=fast", "us=fast: is no time"},
      {replaced(line, "exact", "measured"), "no time= in it"},
      {line + " time=1:1:gemm_cpu_reference", "time=1:1:gemm_cpu_reference: is no word of an entry"},
      {measured + " time=1:1", "kernel: is no name of a kernel; nor of two"},
      {measured + " time=soon:1:gemm_x", "time=soon:1:gemm_x: does not begin with microseconds from 1e-3 to 1e9"},
      {measured + " time=nan:1:gemm_x", "time=nan:1:gemm_x: does not begin with microseconds"},
      {measured + " time=0:1:gemm_x", "time=0:1:gemm_x: does not begin with microseconds"},
      {measured + " time=1:1:gemm_x+y", "version=1: is not the versions of two kernels"},
      {measured + " time=1:1:gemm_x@", "algorithm=: is no name of 1 to 96 characters"},
      {measured + many_times, "is beyond the 24 times that an entry may have"},
      {line + std::string(4096, ' ') + "# far away", "bytes: a line has at most 4096"},
      {"\x01\xff\xfe", "it begins with '"}};
  for (const auto &one : wrong) {
    CAPTURE(one.line);
    const std::vector<std::string> warnings = f.warnings_of(kHeaderLine + one.line + "\n" + good);
    REQUIRE(warnings.size() == 1);
    CHECK_MESSAGE(contains(warnings[0], f.path + ":2: "), warnings[0]);
    CHECK_MESSAGE(contains(warnings[0], one.why), warnings[0]);
    CHECK(f.ran_with(kHeaderLine + one.line + "\n" + good) == kTuned);
  }
  // Its 64 words are more than any entry has.
  std::string many = line;
  for (int i = 0; i < 60; ++i) many += " w";
  CHECK(contains(f.warnings_of(kHeaderLine + many + "\n").at(0), "w: is beyond the 64 words that an entry may have"));
}

TEST_CASE("tuned file: blanks, comments, the order of words and ends of lines from elsewhere do not matter") {
  Files f;
  const std::string good = entry(f.key, kReference);
  CHECK(f.ran_with(kHeaderLine + good) == kTuned);
  CHECK(f.ran_with("gpuopt tune 1 # mine\r\n\r\n# a line\r\n\t" + replaced(good, "\n", "\t # beside it\r\n")) ==
        kTuned);
  std::string other_order = replaced(replaced(good, " m=3", ""), "\n", " m=3 us=12.5 untuned_us=1e2\n");
  CHECK(f.ran_with(kHeaderLine + other_order) == kTuned);
  CHECK(f.warnings_of(kHeaderLine + other_order).empty());
  CHECK(f.warnings_of("").empty());
  CHECK(f.warnings_of(kHeaderLine).empty());
  CHECK(f.ran_with("") == kUntuned);
}

TEST_CASE("tuned file: a foreign file and one of another format are told of once, and nothing of them is used") {
  Files f;
  const std::string good = entry(f.key, kReference);
  for (const std::string first : {"{\"a\": 1}\n", "\n", "gpuopt tune\n", "gpuopt  tune 1\n",
                                  "\x7f"
                                  "ELF\n"}) {
    CAPTURE(first);
    const std::vector<std::string> warnings = f.warnings_of(first + good);
    REQUIRE(warnings.size() == 1);
    CHECK_MESSAGE(contains(warnings[0], "does not begin a tuned-choice file: it begins with 'gpuopt tune 1'"),
                  warnings[0]);
    CHECK(f.ran_with(first + good) == kUntuned);
  }
  const std::vector<std::string> newer = f.warnings_of("gpuopt tune 2\n" + good);
  REQUIRE(newer.size() == 1);
  CHECK(contains(newer[0], f.path + ":1: 'gpuopt tune 2' is a format that this version does not know"));
  CHECK(f.ran_with("gpuopt tune 2\n" + good) == kUntuned);
}

TEST_CASE("tuned file: wherever it was cut, no line is read as another one") {
  Files f;
  // Cut within its version the second line would be whole: version 1 of a kernel that is of version 1.
  const std::string whole = kHeaderLine + entry(f.key, "gemm_cpu_blocked") + entry(f.key, kReference, "12");
  write_file(f.path, whole);
  for (size_t bytes = whole.size() + 1; bytes-- > 0;) {
    REQUIRE(truncate(f.path.c_str(), static_cast<off_t>(bytes)) == 0);
    std::string fault;
    const gpuopt::TableHold table = gpuopt::table_of_file(f.path, &fault);
    REQUIRE(table);
    const bool at_end = bytes == 0 || whole[bytes - 1] == '\n';
    CHECK(table->fault_count() == (at_end ? 0 : 1));
    if (!at_end) CHECK(contains(table->faults()[0].text, "has no end: the file was cut there"));
    for (const gpuopt::TuneTarget &t : table->targets())
      CHECK((t.kernel == "gemm_cpu_blocked" ? t.version == 1 : t.kernel == kReference && t.version == 12));
  }
}

TEST_CASE("tuned file: what is no file, cannot be opened or is too large is told of, and not waited for") {
  Files f;
  const auto warning = [&](const std::string &path) {
    const std::string log = f.folder / "log";
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.tune_cache = path.c_str();
    o.log_file = log.c_str();
    std::remove(log.c_str());
    gpuopt_handle *h = nullptr;
    REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
    CHECK(gpuopt_gemm(h, &f.g.args) == GPUOPT_OK);
    CHECK(ran(h) == kUntuned);
    gpuopt_destroy(h);
    return read_file(log);
  };
  const std::string start = "gpuopt,v2,warn,options,options.tune_cache,", fifo = f.folder / "fifo",
                    large = f.folder / "large", missing = f.folder / "missing";
  CHECK(warning(missing) == start + missing + " cannot be opened (No such file or directory)\n");
  CHECK(warning(f.folder / "") == start + (f.folder / "") + " is no file\n");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(warning(fifo) == start + fifo + " is no file\n");
  CHECK(warning("/dev/zero") == start + "/dev/zero is no file\n");
  write_file(large, kHeaderLine);
  REQUIRE(truncate(large.c_str(), (16 << 20) + 1) == 0);
  CHECK(warning(large) == start + large + " is 16777217 bytes long; and at most 16777216 are read\n");
  CHECK(contains(warning(std::string(5000, 'x')), "cannot be opened (File name too long)"));
  if (geteuid() != 0) {
    REQUIRE(chmod(large.c_str(), 0) == 0);
    CHECK(contains(warning(large), "cannot be opened (Permission denied)"));
  }
}

TEST_CASE("tuned file: entries of other devices and versions and of unknown kernels are told of once each") {
  Files f;
  const std::string elsewhere = "exact device=NVIDIA_H100 cc=90 sm=114 " + f.key.substr(f.key.find("op="));
  std::string text = kHeaderLine;
  for (int i = 0; i < 5; ++i) {
    const std::string m = " m=" + std::to_string(100 + i);
    text += entry(replaced(f.key, " m=3", m), kReference, "7");
    text += entry(replaced(f.key, " m=3", m + "0"), "gemm_cpu_referense");
    text += entry(replaced(elsewhere, " m=3", m), kReference);
  }
  const TunedHandle none("none");
  const std::string here = gpuopt::device_id([&] {
                             gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
                             REQUIRE(gpuopt_get_device(none.get(), &facts) == GPUOPT_OK);
                             return facts;
                           }())
                               .text();
  const std::vector<std::string> warnings = f.warnings_of(text + entry(f.key, kReference));
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[0] ==
        f.path + ":2: version=7: gemm_cpu_reference is of version 1; so it must be tuned again; entries: 5");
  CHECK(warnings[1].rfind(f.path + ":3: kernel=gemm_cpu_referense: no kernel is named 'gemm_cpu_referense'; nearest: "
                                   "gemm_cpu_reference; ",
                          0) == 0);
  CHECK(contains(warnings[1], "; entries: 5"));
  CHECK(warnings[2] ==
        f.path + ":4: device=NVIDIA_H100 cc=90 sm=114: the handle's is " + here + "; entries of other devices: 5");
  CHECK(f.ran_with(text + entry(f.key, kReference)) == kTuned);
}

TEST_CASE("tuned file: warnings are few however much is wrong") {
  Files f;
  std::string text = kHeaderLine;
  for (int i = 0; i < 100; ++i) text += "nonsense " + std::to_string(i) + "\n";
  for (int i = 0; i < 100; ++i)
    text += entry(replaced(f.key, " m=3", " m=" + std::to_string(10 + i)), "gemm_no_" + std::to_string(i));
  const std::vector<std::string> warnings = f.warnings_of(text);
  CHECK(warnings.size() == 8 + 1 + 8 + 1);
  CHECK(warnings.at(8) == f.path + ": 92 more lines could not be taken");
  CHECK(warnings.at(17) == f.path + ": 92 more entries choose kernels that are not there as they were tuned");
}

TEST_CASE("tuned file: of more entries than there is room for the first are used") {
  Files f;
  std::string text = kHeaderLine;
  constexpr size_t most = gpuopt::TuneTable::kMostEntries;
  const std::string rest = f.key.substr(f.key.find(" n="));
  const std::string start = f.key.substr(0, f.key.find(" m="));
  for (size_t i = 1; i <= most + 3; ++i) text += entry(start + " m=" + std::to_string(i) + rest, kReference);
  REQUIRE(text.size() < gpuopt::TuneTable::kMostBytes);
  const gpuopt::TuneTable table(text);
  CHECK(table.entry_count() == most);
  CHECK(table.fault_count() == 3);
  CHECK(contains(table.faults()[0].text, "it is one entry more than the 65536 that a file may have"));
  CHECK(table.faults()[0].line == most + 2);
  // Each of them is found, and nothing else is.
  gpuopt::TuneLine line;
  REQUIRE(gpuopt::parse_tune_line(f.key + " kernel=x version=1", &line) == "");
  for (size_t m = 1; m <= most + 3; ++m) {
    line.key.m = static_cast<int64_t>(m);
    const gpuopt::TuneTable::Entry *found = table.find(line.key, 0);
    REQUIRE((found != nullptr) == (m <= most));
    if (found) REQUIRE(found->line == m + 1);
  }
}

TEST_CASE("tuned file: handles share what was read, and a file that was replaced or changed is read again") {
  Files f;
  write_file(f.path, kHeaderLine + entry(f.key, kReference));
  std::string fault;
  gpuopt::TableHold first = gpuopt::table_of_file(f.path, &fault);
  const gpuopt::TableHold second = gpuopt::table_of_file(f.path, &fault);
  REQUIRE(first);
  CHECK(first.operator->() == second.operator->());
  const TunedHandle handle(f.path);
  const std::string other = f.folder / "y.tune";
  write_file(other, kHeaderLine);
  REQUIRE(rename(other.c_str(), f.path.c_str()) == 0);
  const gpuopt::TableHold third = gpuopt::table_of_file(f.path, &fault);
  CHECK(third.operator->() != first.operator->());
  CHECK(third->entry_count() == 0);
  CHECK(first->entry_count() == 1);
  write_file(f.path, kHeaderLine + entry(f.key, "gemm_cpu_blocked"));
  const gpuopt::TableHold fourth = gpuopt::table_of_file(f.path, &fault);
  CHECK(fourth->targets().at(0).kernel == "gemm_cpu_blocked");
  // A handle keeps what it has read.
  REQUIRE(gpuopt_gemm(handle.get(), &f.g.args) == GPUOPT_OK);
  CHECK(ran(handle.get()) == kTuned);
}

TEST_CASE("tuned file: set by a variable, an option or a setter, the later over the former") {
  Files f;
  write_file(f.path, kHeaderLine + entry(f.key, kReference));
  const std::string missing = f.folder / "missing", log = f.folder / "log";
  const auto create = [&](const char *option) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.num_threads = 1;
    o.tune_cache = option;
    o.log_file = log.c_str();
    gpuopt_handle *h = nullptr;
    REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
    return Handle(h);
  };
  const auto runs = [&](const Handle &h) {
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &f.g.args) == GPUOPT_OK, last_error());
    return ran(h.get());
  };
  CHECK(runs(create(nullptr)) == kUntuned);
  const ScopedEnv env("GPUOPT_TUNE_CACHE", f.path.c_str());
  const Handle h = create(nullptr);
  CHECK(runs(h) == kTuned);
  CHECK(runs(create("none")) == kUntuned);
  CHECK(runs(create("")) == kUntuned);
  CHECK(read_file(log).empty());
  CHECK(runs(create(missing.c_str())) == kUntuned);
  CHECK(contains(read_file(log), "warn,options,options.tune_cache," + missing + " cannot be opened"));
  REQUIRE(gpuopt_set_tune_cache(h.get(), "none") == GPUOPT_OK);
  CHECK(runs(h) == kUntuned);
  REQUIRE(gpuopt_set_tune_cache(h.get(), f.path.c_str()) == GPUOPT_OK);
  CHECK(runs(h) == kTuned);
  REQUIRE(gpuopt_set_tune_cache(h.get(), nullptr) == GPUOPT_OK);
  CHECK(runs(h) == kUntuned);
  REQUIRE(gpuopt_set_tune_cache(h.get(), missing.c_str()) == GPUOPT_OK);
  CHECK(contains(read_file(log), "warn,call,gpuopt_set_tune_cache," + missing + " cannot be opened"));
  {
    const ScopedEnv bad("GPUOPT_TUNE_CACHE", missing.c_str());
    CHECK(runs(create(nullptr)) == kUntuned);
  }
  CHECK(contains(read_file(log), "warn,env,GPUOPT_TUNE_CACHE," + missing + " cannot be opened"));
  CHECK(gpuopt_set_tune_cache(nullptr, "") == GPUOPT_INVALID_ARGUMENT);
}

TEST_CASE("tuned file: how many entries a handle has is an info line") {
  Files f;
  write_file(f.path, kHeaderLine + entry(f.key, kReference) + entry(replaced(f.key, " m=3", " m=4"), kReference));
  const TunedHandle h(f.path);
  CHECK(
      contains(read_file(h.log), "gpuopt,v2,info,tuned choices for this device: 2 of the user and 0 of the library\n"));
}

TEST_CASE("tuned file: the library carries the files of its source tree, each for its device and without a fault") {
  const std::string folder = GPUOPT_TEST_SOURCE_DIR "/../src/registry/tuned";
  size_t count = 0;
  for (const gpuopt::ShippedFile *f = gpuopt::kShippedFiles; f->name != nullptr; ++f, ++count) {
    CAPTURE(std::string(f->name));
    const std::string file = read_file(folder + "/" + f->name + ".tune");
    // A build without CUDA has no use for what speaks of kernels that it has not.
    const std::string text = f->text();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(contains("\n" + file, "\n" + line + "\n"));
    if (contains(gpuopt_build_info(), ", CUDA ")) CHECK(text == file);
    const gpuopt::TuneTable table(text);
    CHECK(table.fault_count() == 0);
    for (const gpuopt::DeviceId &d : table.devices()) {
      std::string name = d.name;
      for (char &c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      CHECK(name == f->name);
    }
  }
  CHECK(count >= 1);
  for (const auto &file : std::filesystem::directory_iterator(folder)) count -= file.path().extension() == ".tune";
  CHECK(count == 0);
}

TEST_CASE("tuned file: a child makes and drops handles while a thread of the parent does, 100 times") {
  Files f;
  write_file(f.path, kHeaderLine + entry(f.key, kReference));
  std::atomic<bool> stop{false};
  std::atomic<int> made{0};
  std::thread other([&] {
    std::string fault;
    while (!stop) {
      const gpuopt::TableHold held = gpuopt::table_of_file(f.path, &fault);
      ++made;
    }
  });
  while (made == 0) std::this_thread::yield();
  const TunedHandle kept(f.path, "none");
  int failures = 0;
  for (int i = 0; i < 100 && failures == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::string fault;
      bool good = gpuopt_gemm(kept.get(), &f.g.args) == GPUOPT_OK && ran(kept.get()) == kTuned;
      for (int j = 0; j < 3; ++j) good = good && gpuopt::table_of_file(f.path, &fault)->entry_count() == 1;
      _exit(good ? 0 : 1);
    }
    int status = -1;
    failures += child < 0 || waitpid(child, &status, 0) != child || status != 0;
  }
  stop = true;
  other.join();
  CHECK(failures == 0);
}
