#include "gpuopt_log/read.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace gpuopt_log {
namespace {

class File {
 public:
  explicit File(const std::string &path) : path_(path) {
    if (path != "-") number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number_ < 0) fail("cannot be opened");
  }
  ~File() {
    if (number_ > STDIN_FILENO) ::close(number_);
  }
  File(const File &) = delete;
  size_t read(char *to, size_t most) {
    for (;;) {
      const ssize_t got = ::read(number_, to, most);
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR) fail("cannot be read");
    }
  }

 private:
  [[noreturn]] void fail(const char *what) const {
    throw std::runtime_error("'" + path_ + "' " + what + ": " + std::strerror(errno));
  }
  const std::string path_;
  int number_ = STDIN_FILENO;
};

}  // namespace

LogSum sum_file(const std::string &path) {
  // A line of ours is shorter. Of a longer one only the beginning is kept, which is enough to see whose it is.
  constexpr size_t kLongestLine = 8192;
  File file(path);
  LogSum sum;
  std::vector<char> buffer(1 << 20);
  std::string begun;  // a line whose end has not been read
  while (const size_t got = file.read(buffer.data(), buffer.size())) {
    std::string_view rest(buffer.data(), got);
    for (size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
      if (begun.empty()) {
        sum.take(rest.substr(0, end));
        continue;
      }
      begun.append(rest.substr(0, std::min(end, kLongestLine - std::min(begun.size(), kLongestLine))));
      sum.take(begun);
      begun.clear();
    }
    begun.append(rest.substr(0, kLongestLine - std::min(begun.size(), kLongestLine)));
  }
  if (!begun.empty()) sum.take(begun, false);
  sum.finish();
  return sum;
}

}  // namespace gpuopt_log
