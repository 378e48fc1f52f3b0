// The new file is written beside the old one and takes its place by rename, which is atomic. Writers take turns by a lock on
// the file itself: whoever has waited looks whether it is still the file of that name, for the one before him has put another
// in its place, and then waits for that one. So no file is left behind but the one that was asked for. Where a file system
// has no locks, writers may lose each other's entries but never break the file.
#include "merge.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace gpuopt_tune {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return number_; }
  int close() {
    const int closing = number_;
    number_ = -1;
    return ::close(closing);
  }

 private:
  int number_;
};

std::string system_fault(const std::string &what) { return what + ": " + std::strerror(errno); }

// The file that a symbolic link leads to, in whose folder the new one must lie.
std::string resolved(const std::string &path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

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

std::string write_all(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_fault("the new file beside it cannot be written");
    done += static_cast<size_t>(n);
  }
  return "";
}

std::string replace(const std::string &path, const std::string &text, mode_t mode) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::string beside = folder + "." + path.substr(folder.size()) + ".XXXXXX";
  Descriptor file(::mkostemp(beside.data(), O_CLOEXEC));
  if (file.get() < 0) return system_fault("no file can be made beside it");
  std::string fault = write_all(file.get(), text);
  // Without fsync a power cut may leave the new name with none of the contents.
  if (fault.empty() && (::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0 || file.close() != 0))
    fault = system_fault("the new file beside it cannot be written");
  if (fault.empty() && ::rename(beside.c_str(), path.c_str()) != 0) fault = system_fault("it cannot be replaced");
  if (!fault.empty()) {
    ::unlink(beside.c_str());
    return fault;
  }
  const Descriptor in(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (in.get() >= 0) ::fsync(in.get());  // some file systems refuse it for folders, and the file is in its place
  return "";
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
    merged.fault = replace(resolved(path), text, mode);
  return merged;
}

}  // namespace gpuopt_tune
