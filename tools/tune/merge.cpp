// The new file takes the place of the old one (whole_file.h). Writers take turns by a lock on
// the file itself: whoever has waited looks whether it is still the file of that name, for the one before him has put another
// in its place, and then waits for that one. So no file is left behind but the one that was asked for. Where a file system
// has no locks, writers may lose each other's entries but never break the file.
#include "merge.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "whole_file.h"

namespace gpuopt_tune {
namespace {

using gpuopt_file::Descriptor;
using gpuopt_file::system_fault;

// Opened and locked, and the file of that name at this moment.
std::string open_locked(const std::string &path, std::unique_ptr<Descriptor> *out, mode_t *mode) {
  for (;;) {
    auto file =
        std::make_unique<Descriptor>(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
    struct stat ours, named;
    if (file->get() < 0 || ::fstat(file->get(), &ours) != 0) return system_fault("it cannot be opened for writing");
    if (!S_ISREG(ours.st_mode)) return "it is no file";
    while (::flock(file->get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    if (::stat(path.c_str(), &named) != 0 || named.st_ino != ours.st_ino || named.st_dev != ours.st_dev) continue;
    *mode = ours.st_mode & 07777;
    *out = std::move(file);
    return "";
  }
}

std::string read_all(int file, std::string *text) {
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(file, buffer, sizeof buffer);
    if (n == 0) return "";
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_fault("it cannot be read");
    text->append(buffer, static_cast<size_t>(n));
    if (text->size() > kMostBytes)
      return "it is larger than the " + std::to_string(kMostBytes) + " bytes that are read";
  }
}

bool is_one_line(const Entry &e) {
  return !e.key.empty() && (e.choice.empty() || e.choice.rfind("kernel=", 0) == 0 || e.choice.rfind("time=", 0) == 0) &&
         (e.key + e.choice).find_first_of("\n#") == std::string::npos;
}

}  // namespace

Merged merge_into(const std::string &path, const std::vector<Entry> &entries) {
  Merged merged;
  std::unique_ptr<Descriptor> file;
  mode_t mode = 0;
  std::string text;
  TuneFile contents;
  for (const Entry &e : entries)
    if (!is_one_line(e)) merged.fault = "an entry is no line: '" + e.key + "' '" + e.choice + "'";
  if (merged.fault.empty()) merged.fault = open_locked(path, &file, &mode);
  if (merged.fault.empty()) merged.fault = read_all(file->get(), &text);
  if (merged.fault.empty()) contents.parse(text, &merged.fault);
  if (!merged.fault.empty()) return merged;
  for (const Entry &e : entries) {
    const bool known = contents.choice(e.key) != nullptr;
    contents.set(e);
    merged.added += !known && !e.choice.empty();
    merged.replaced += known;
  }
  text = contents.text();
  if (contents.size() > kMostEntries || text.size() > kMostBytes)
    merged.fault = "it would have more than the " + std::to_string(kMostEntries) + " entries or " +
                   std::to_string(kMostBytes) + " bytes that are read";
  else
    merged.fault = gpuopt_file::replace_file(path, text, mode);
  return merged;
}

}  // namespace gpuopt_tune
