// Files that tools write as a whole: the old contents stay until the new ones are all there.
#include <sys/stat.h>
#include <unistd.h>

#include "full_disk.h"
#include "tuned.h"
#include "whole_file.h"

using namespace gpuopt_test;
using gpuopt_file::whole_file_fault;
using gpuopt_file::write_whole_file;

namespace {

std::ptrdiff_t files_of(const TempFolder &folder) {
  return std::distance(std::filesystem::directory_iterator(folder / ""), std::filesystem::directory_iterator());
}

mode_t mode_of(const std::string &path) {
  struct stat s;
  REQUIRE(stat(path.c_str(), &s) == 0);
  return s.st_mode & 07777;
}

}  // namespace

TEST_CASE("whole file: asking whether it can be written makes and changes nothing") {
  const TempFolder folder;
  CHECK(whole_file_fault(folder / "new") == "");
  CHECK(files_of(folder) == 0);
  write_file(folder / "old", "old text");
  CHECK(whole_file_fault(folder / "old") == "");
  CHECK(read_file(folder / "old") == "old text");
  CHECK(files_of(folder) == 1);
  CHECK(whole_file_fault(folder / "none/new") == "it cannot be written: No such file or directory");
  CHECK(whole_file_fault(folder / "") == "it cannot be written: Is a directory");
  CHECK(contains(whole_file_fault(folder / "old/new"), "it cannot be written: Not a directory"));
}

TEST_CASE("whole file: a new one has the mode that the process gives, an old one keeps its own, and a link stays one") {
  const TempFolder folder;
  const mode_t mask = umask(027);
  CHECK(write_whole_file(folder / "new", "text") == "");
  umask(mask);
  CHECK(read_file(folder / "new") == "text");
  CHECK(mode_of(folder / "new") == 0640);
  REQUIRE(chmod((folder / "new").c_str(), 0604) == 0);
  REQUIRE(symlink("new", (folder / "link").c_str()) == 0);
  CHECK(write_whole_file(folder / "link", "other text") == "");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_file(folder / "new") == "other text");
  CHECK(mode_of(folder / "new") == 0604);
  CHECK(files_of(folder) == 2);
}

TEST_CASE("whole file: where the new text does not fit the old file stays as it was") {
  const TempFolder folder;
  write_file(folder / "old", "old text");
  CHECK(on_full_disk([&] { return !write_whole_file(folder / "old", std::string(1000, 'x')).empty(); }));
  CHECK(read_file(folder / "old") == "old text");
  CHECK(files_of(folder) == 1);
}

TEST_CASE("whole file: what is no regular file is written to") {
  CHECK(whole_file_fault("/dev/null") == "");
  CHECK(write_whole_file("/dev/null", "text") == "");
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(write_whole_file("/dev/full", "text") == "it cannot be written in full: No space left on device");
}
