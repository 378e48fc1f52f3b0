#include "log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

namespace gpuopt {

log::~log() {
  if (file_ >= 0) ::close(file_);
}

bool log::open(const std::string &path) {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  if (path.empty()) return true;
  std::string expanded;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && i + 1 < path.size() && path[i + 1] == 'p')
      expanded += std::to_string(::getpid()), ++i;
    else
      expanded += path[i];
  }
  file_ = ::open(expanded.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  return file_ >= 0;
}

void log::line(const char *kind, const std::string &text) {
  if (!header_written_ && std::strcmp(kind, "exec") == 0) {
    header_written_ = true;
    write("gpuopt,v1,info,template:exec,op,kernel,device,problem,how,workspace,ms");
  }
  write(std::string("gpuopt,v1,") + kind + "," + text);
}

void log::write(const std::string &text) {
  if (callback_) return callback_(user_, text.c_str());
  const std::string line = text + "\n";
  const int file = file_ >= 0 ? file_ : STDERR_FILENO;
  // One write a line, so that lines of several threads and processes do not mix. A full disk must not fail a
  // call.
  if (::write(file, line.data(), line.size()) < 0) return;
}

}  // namespace gpuopt
