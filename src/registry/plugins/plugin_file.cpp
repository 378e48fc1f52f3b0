#include "plugins/plugin_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "text.h"

namespace gpuopt {
namespace {

// An open regular file and its size.
class OpenFile {
 public:
  OpenFile() = default;
  ~OpenFile() {
    if (number >= 0) close(number);
  }
  OpenFile(const OpenFile &) = delete;

  std::string open(const std::string &path, size_t most) {
    number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat about;
    if (number < 0 || fstat(number, &about) != 0) return error_text(errno);
    if (!S_ISREG(about.st_mode)) return "it is no regular file";
    size = static_cast<size_t>(about.st_size);
    return size <= most ? "" : "it has " + std::to_string(size) + " bytes, more than " + std::to_string(most);
  }

  int number = -1;
  size_t size = 0;
};

}  // namespace

std::string read_file(const std::string &path, size_t most, std::string *bytes) {
  OpenFile file;
  std::string fault = file.open(path, most);
  if (!fault.empty()) return fault;
  bytes->resize(file.size);
  for (size_t at = 0; at < file.size;) {
    const ssize_t n = read(file.number, &(*bytes)[at], file.size - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error_text(errno);
    if (n == 0) return "it became shorter while it was read";
    at += static_cast<size_t>(n);
  }
  return "";
}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, size_);
}

std::string MappedFile::open(const std::string &path, size_t most) {
  OpenFile file;
  std::string fault = file.open(path, most);
  if (!fault.empty() || file.size == 0) return fault;
  void *const at = mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (at == MAP_FAILED) return error_text(errno);
  data_ = at;
  size_ = file.size;
  return "";
}

}  // namespace gpuopt
