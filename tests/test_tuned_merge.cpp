// Writing tuned-choice files: merging by key, whole files at every moment, and writers that do not lose each other's entries.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <set>

#include "merge.h"
#include "tuned.h"
#include "tuning/table_source.h"

using namespace gpuopt_test;
using gpuopt_tune::Entry;
using gpuopt_tune::merge_into;
using gpuopt_tune::Merged;
using gpuopt_tune::TuneFile;

namespace {

static_assert(gpuopt_tune::kMostBytes == gpuopt::TuneTable::kMostBytes &&
                  gpuopt_tune::kMostEntries == gpuopt::TuneTable::kMostEntries,
              "what is written must be read");

// Keys of transposes that differ in their rows.
struct Keys {
  std::string before, behind;
  Keys() {
    const TunedHandle h("none");
    gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
    t.src = gpuopt_mat(nullptr, 7, 8, GPUOPT_F32);
    t.dst = gpuopt_mat(nullptr, 8, 7, GPUOPT_F32);
    const gpuopt_explain_options no_pointers = GPUOPT_EXPLAIN_OPTIONS_INIT;
    const std::string key = tune_key(h.get(), &t, GPUOPT_TUNE_EXACT, &no_pointers);
    before = key.substr(0, key.find(" m=7"));
    behind = key.substr(key.find(" n="));
  }
  std::string of(int64_t rows) const { return before + " m=" + std::to_string(rows) + behind; }
};

const std::string kChoice = "kernel=transpose_cpu_reference version=1";

// The entries that a reader finds, and that he finds nothing else.
size_t entries_in(const std::string &path) {
  std::string fault;
  const gpuopt::TableHold table = gpuopt::table_of_file(path, &fault);
  REQUIRE_MESSAGE(table, fault);
  CHECK(table->fault_count() == 0);
  return table->entry_count();
}

size_t files_in(const std::string &folder) {
  size_t count = 0;
  for (const auto &file : std::filesystem::directory_iterator(folder)) count += !file.path().empty();
  return count;
}

}  // namespace

TEST_CASE("tuned merge: entries are replaced by key, and whatever else is in the file stays") {
  const Keys keys;
  const TempFolder folder;
  const std::string path = folder / "x.tune", hand_written = keys.of(1) + " version=1   kernel=transpose_cpu_reference";
  write_file(path, kHeaderLine + std::string("# mine\n\n") + hand_written + " # 3 us\nexact of a newer kind\n" +
                       keys.of(2) + " " + kChoice + " # kept\n");
  const Merged merged =
      merge_into(path, {{keys.of(3), kChoice + " us=2"}, {keys.of(1), "kernel=transpose_cpu_blocked version=1"}});
  CHECK(merged.fault == "");
  CHECK(merged.added == 1);
  CHECK(merged.replaced == 1);
  CHECK(read_file(path) == kHeaderLine + std::string("# mine\n\n") + keys.of(1) +
                               " kernel=transpose_cpu_blocked version=1\nexact of a newer kind\n" + keys.of(2) + " " +
                               kChoice + " # kept\n" + keys.of(3) + " " + kChoice + " us=2\n");
  CHECK(files_in(folder / "") == 1);
}

TEST_CASE("tuned merge: what a file says of a key is found, the later of two lines alone") {
  TuneFile file;
  std::string fault;
  REQUIRE(file.parse(kHeaderLine + std::string("exact a=1 kernel=x version=1\nexact a=1 kernel=y version=2 us=3\n"),
                     &fault));
  REQUIRE(file.choice("exact a=1"));
  CHECK(*file.choice("exact a=1") == "kernel=y version=2 us=3");
  CHECK(file.choice("exact a=2") == nullptr);
  CHECK(file.size() == 1);
  CHECK(file.text() == kHeaderLine + std::string("exact a=1 kernel=y version=2 us=3\n"));
}

TEST_CASE("tuned merge: a file is made where there is none, or an empty one") {
  const Keys keys;
  const TempFolder folder;
  const std::string path = folder / "x.tune", empty = folder / "y.tune";
  const mode_t before = umask(027);
  const Merged made = merge_into(path, {{keys.of(1), kChoice}});
  umask(before);
  CHECK(made.fault == "");
  CHECK(entries_in(path) == 1);
  struct stat s;
  REQUIRE(stat(path.c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0640);
  write_file(empty, "");
  CHECK(merge_into(empty, {{keys.of(1), kChoice}}).fault == "");
  CHECK(entries_in(empty) == 1);
}

TEST_CASE("tuned merge: mode and symbolic links stay, also one that leads to no file yet") {
  const Keys keys;
  const TempFolder folder;
  std::filesystem::create_directory(folder / "there");
  const std::string path = folder / "there/x.tune", link = folder / "link.tune";
  REQUIRE(symlink("there/x.tune", link.c_str()) == 0);
  CHECK(merge_into(link, {{keys.of(1), kChoice}}).fault == "");
  REQUIRE(chmod(path.c_str(), 0604) == 0);
  CHECK(merge_into(link, {{keys.of(2), kChoice}}).fault == "");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(entries_in(path) == 2);
  struct stat s;
  REQUIRE(stat(path.c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0604);
}

TEST_CASE("tuned merge: a foreign file is never changed, and half a line becomes a comment") {
  const Keys keys;
  const TempFolder folder;
  const std::string path = folder / "x.tune";
  const std::string
      foreign = "it does not begin with 'gpuopt tune 1', so it is not a file to add to",
      cut = "its first line, 'gpuopt tune 1', has no end: the file was cut there, so it is not one to add to";
  const std::pair<std::string, std::string> faults[] = {
      {"my letters\n", foreign}, {"gpuopt tune 2\n", foreign}, {"gpuopt tu", foreign}, {"gpuopt tune 1", cut}};
  for (const auto &[text, fault] : faults) {
    write_file(path, text);
    const Merged merged = merge_into(path, {{keys.of(1), kChoice}});
    CHECK(merged.fault == fault);
    CHECK(merged.added == 0);
    CHECK(read_file(path) == text);
  }
  write_file(path, kHeaderLine + keys.of(1) + " kernel=transpose_cpu_ref");
  CHECK(merge_into(path, {{keys.of(2), kChoice}}).fault == "");
  CHECK(read_file(path) ==
        kHeaderLine + ("# cut: " + keys.of(1)) + " kernel=transpose_cpu_ref\n" + keys.of(2) + " " + kChoice + "\n");
  CHECK(entries_in(path) == 1);
}

TEST_CASE("tuned merge: what cannot be written is told by its reason, and leaves nothing behind") {
  const Keys keys;
  const TempFolder folder;
  const std::vector<Entry> one = {{keys.of(1), kChoice}};
  CHECK(merge_into(folder / "no/x.tune", one).fault == "it cannot be opened for writing: No such file or directory");
  CHECK(merge_into(folder / "", one).fault == "it cannot be opened for writing: Is a directory");
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(merge_into(folder / "fifo", one).fault == "it is no file");
  REQUIRE(unlink((folder / "fifo").c_str()) == 0);
  CHECK(contains(merge_into(folder / "x.tune", {{keys.of(1), "kernel=a version=1\n" + keys.of(2)}}).fault,
                 "an entry is no line"));
  CHECK(files_in(folder / "") == 0);
  // A full disk: the largest file this process may write is smaller.
  write_file(folder / "x.tune", kHeaderLine);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {100, 100};
    setrlimit(RLIMIT_FSIZE, &small);
    _exit(contains(merge_into(folder / "x.tune", one).fault, "the new file beside it cannot be written") ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(read_file(folder / "x.tune") == kHeaderLine);
  CHECK(files_in(folder / "") == 1);
  if (geteuid() == 0) return;  // who may write everywhere
  REQUIRE(chmod((folder / "").c_str(), 0500) == 0);
  CHECK(merge_into(folder / "x.tune", one).fault == "no file can be made beside it: Permission denied");
  CHECK(merge_into(folder / "y.tune", one).fault == "it cannot be opened for writing: Permission denied");
  REQUIRE(chmod((folder / "").c_str(), 0700) == 0);
  CHECK(read_file(folder / "x.tune") == kHeaderLine);
}

TEST_CASE("tuned merge: of four writers of a thousand entries each none loses one, and no reader sees half a file") {
  const Keys keys;
  const TempFolder folder;
  const std::string path = folder / "x.tune";
  constexpr int writers = 4, each = 1000, batch = 50;
  std::vector<pid_t> children;
  for (int w = 0; w < writers; ++w) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    bool good = true;
    for (int at = 0; at < each; at += batch) {
      std::vector<Entry> entries;
      for (int i = 0; i < batch; ++i) entries.push_back({keys.of(1 + w * each + at + i), kChoice});
      // And one that all of them write.
      entries.push_back({keys.of(1000000), kChoice + " us=" + std::to_string(w)});
      good = good && merge_into(path, entries).fault.empty();
    }
    _exit(good ? 0 : 1);
  }
  size_t seen = 0;
  for (size_t left = children.size(); left > 0;) {
    std::string fault;
    if (const gpuopt::TableHold table = gpuopt::table_of_file(path, &fault)) {
      REQUIRE(table->fault_count() == 0);
      REQUIRE(table->entry_count() >= seen);
      seen = table->entry_count();
    }
    int status = 0;
    const pid_t done = waitpid(-1, &status, WNOHANG);
    REQUIRE(done >= 0);
    if (done > 0) CHECK(status == 0);
    left -= done > 0;
  }
  CHECK(entries_in(path) == writers * each + 1);
  CHECK(files_in(folder / "") == 1);
}

TEST_CASE("tuned merge: a writer that is killed leaves the file whole and others free to write") {
  const Keys keys;
  const TempFolder folder;
  const std::string path = folder / "x.tune";
  REQUIRE(merge_into(path, {{keys.of(1), kChoice}}).fault == "");
  size_t before = 1;
  for (int round = 0; round < 20 || (before == 1 && round < 100); ++round) {  // more where nobody gets to write so soon
    const pid_t child = fork();
    if (child == 0) {
      for (int64_t i = 0;; ++i) merge_into(path, {{keys.of(1000 * (round + 1) + i), kChoice}});
    }
    usleep(static_cast<useconds_t>(500 + 700 * round));
    kill(child, SIGKILL);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));  // it did not end by itself
    const size_t now = entries_in(path);
    CHECK(now >= before);
    before = now;
  }
  CHECK(before > 1);  // they wrote
  CHECK(merge_into(path, {{keys.of(2), kChoice}}).fault == "");
  CHECK(entries_in(path) == before + 1);
}

TEST_CASE("tuned merge: entries are listed without comments, and one without a choice is taken out") {
  const TempFolder folder;
  const std::string path = folder / "x.tune";
  const Keys keys;
  write_file(path, std::string(kHeaderLine) + "# ours\n" + keys.of(7) + " " + kChoice + " us=3 # measured\n" +
                       keys.of(8) + " " + kChoice + "\n");
  TuneFile file;
  std::string fault;
  REQUIRE(file.parse(read_file(path), &fault));
  REQUIRE(file.entries().size() == 2);
  CHECK(file.entries()[0].key == keys.of(7));
  CHECK(file.entries()[0].choice == kChoice + " us=3");
  const Merged merged = merge_into(path, {{keys.of(7), ""}, {keys.of(9), ""}});
  CHECK(merged.fault.empty());
  CHECK(merged.replaced == 1);
  CHECK(merged.added == 0);
  CHECK(entries_in(path) == 1);
  CHECK(contains(read_file(path), "# ours\n" + keys.of(8)));
}
