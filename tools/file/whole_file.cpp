#include "whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace gpuopt_file {
namespace {

// The file that a symbolic link leads to, in whose folder the new one must lie.
std::string resolved(const std::string &path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

std::string folder_of(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// A new, empty file in the folder of path; its name is put into *name.
int make_beside(const std::string &path, std::string *name) {
  const std::string folder = folder_of(path);
  *name = folder + "." + path.substr(folder.size()) + ".XXXXXX";
  return ::mkostemp(name->data(), O_CLOEXEC);
}

bool write_all(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

std::string fill_and_rename(int descriptor, const std::string &beside, const std::string &path, const std::string &text,
                            mode_t mode) {
  Descriptor file(descriptor);
  std::string fault;
  // Without fsync a power cut may leave the new name with none of the contents.
  if (!write_all(file.get(), text) || ::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0 || file.close() != 0)
    fault = system_fault("the new file beside it cannot be written");
  if (fault.empty() && ::rename(beside.c_str(), path.c_str()) != 0) fault = system_fault("it cannot be replaced");
  if (!fault.empty()) {
    ::unlink(beside.c_str());
    return fault;
  }
  const std::string folder = folder_of(path);
  const Descriptor in(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (in.get() >= 0) ::fsync(in.get());  // some file systems refuse it for folders, and the file is in its place
  return "";
}

// What is written to as it is: links below these lead to what a descriptor of the process has open, and renaming would part the
// two.
bool is_open_elsewhere(const std::string &path) { return path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0; }

enum class Way { replace, write_to };

// How path is to be written; *mode: that of its file, or that a new one gets.
std::string way_of(const std::string &path, Way *way, mode_t *mode) {
  struct stat now;
  *way = Way::replace;
  if (::stat(path.c_str(), &now) != 0) {
    if (errno != ENOENT) return system_fault("it cannot be written");
    const mode_t mask = ::umask(0);
    ::umask(mask);
    *mode = 0666 & ~mask;
  } else {
    if (S_ISDIR(now.st_mode)) errno = EISDIR;
    if (S_ISDIR(now.st_mode) || ::access(path.c_str(), W_OK) != 0) return system_fault("it cannot be written");
    *mode = now.st_mode & 07777;
    if (!S_ISREG(now.st_mode) || is_open_elsewhere(path)) *way = Way::write_to;
  }
  if (*way == Way::write_to) return "";
  std::string beside;
  const Descriptor file(make_beside(resolved(path), &beside));
  if (file.get() >= 0)
    ::unlink(beside.c_str());
  else if (::access(path.c_str(), F_OK) == 0)
    *way = Way::write_to;
  else
    return system_fault("it cannot be written");
  return "";
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

int Descriptor::close() {
  const int closing = number_;
  number_ = -1;
  return ::close(closing);
}

std::string replace_file(const std::string &path, const std::string &text, mode_t mode) {
  const std::string real = resolved(path);
  std::string beside;
  const int file = make_beside(real, &beside);
  return file < 0 ? system_fault("no file can be made beside it") : fill_and_rename(file, beside, real, text, mode);
}

std::string whole_file_fault(const std::string &path) {
  Way way;
  mode_t mode = 0;
  return way_of(path, &way, &mode);
}

std::string write_whole_file(const std::string &path, const std::string &text) {
  Way way;
  mode_t mode = 0;
  const std::string fault = way_of(path, &way, &mode);
  if (!fault.empty()) return fault;
  if (way == Way::replace) return replace_file(path, text, mode);
  Descriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return system_fault("it cannot be written");
  return write_all(file.get(), text) && file.close() == 0 ? "" : system_fault("it cannot be written in full");
}

}  // namespace gpuopt_file
