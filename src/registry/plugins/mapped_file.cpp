#include "plugins/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "text.h"

namespace gpuopt {

MappedFile::~MappedFile() {
  if (data_) munmap(data_, size_);
}

std::string MappedFile::open(const std::string &path, size_t most) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return error_text(errno);
  struct stat about;
  std::string fault;
  if (fstat(file, &about) != 0)
    fault = error_text(errno);
  else if (!S_ISREG(about.st_mode))
    fault = "it is no regular file";
  else if (static_cast<size_t>(about.st_size) > most)
    fault = "it has " + std::to_string(about.st_size) + " bytes, more than " + std::to_string(most);
  if (fault.empty() && about.st_size > 0) {
    void *const at = mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED)
      fault = error_text(errno);
    else
      data_ = at, size_ = static_cast<size_t>(about.st_size);
  }
  ::close(file);
  return fault;
}

}  // namespace gpuopt
