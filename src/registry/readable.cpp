#include "readable.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace gpuopt {

size_t copy_if_readable(const void *from, void *to, size_t bytes) {
  const iovec source = {const_cast<void *>(from), bytes}, target = {to, bytes};
  const int kept = errno;
  const ssize_t copied = process_vm_readv(getpid(), &target, 1, &source, 1, 0);
  const bool forbidden = copied < 0 && errno != EFAULT;
  errno = kept;
  if (forbidden) std::memcpy(to, from, bytes);
  return forbidden ? bytes : copied < 0 ? 0 : static_cast<size_t>(copied);
}

bool is_readable(const void *from, size_t bytes) {
  char copy[4096];
  for (size_t done = 0; done < bytes;) {
    const size_t part = std::min(bytes - done, sizeof copy);
    if (copy_if_readable(static_cast<const char *>(from) + done, copy, part) < part) return false;
    done += part;
  }
  return true;
}

bool read_text(const char *from, size_t most, std::string *text) {
  // Pieces that lie within a page: what follows the end of a text need not be there.
  constexpr size_t piece = 64;
  char copy[piece];
  text->clear();
  for (const char *at = from; text->size() < most;) {
    const size_t bytes = std::min(piece - reinterpret_cast<uintptr_t>(at) % piece, most - text->size());
    if (copy_if_readable(at, copy, bytes) < bytes) return false;
    const void *const end = std::memchr(copy, 0, bytes);
    text->append(copy, end ? static_cast<size_t>(static_cast<const char *>(end) - copy) : bytes);
    if (end) return true;
    at += bytes;
  }
  return true;
}

}  // namespace gpuopt
