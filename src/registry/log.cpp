#include "log.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "api_scope.h"
#include "environment.h"
#include "error.h"
#include "text.h"

namespace gpuopt {
namespace {

// A write to a pipe without a reader, or past the limit of a file's size, raises a signal that kills by default, and
// the log must not kill. Both are sent to the writing thread: blocked there, and taken back when the write failed,
// unless they were waiting before.
class WriteSignals {
 public:
  WriteSignals() {
    sigset_t pending;
    sigemptyset(&ours_);
    sigemptyset(&pending);
    sigpending(&pending);
    for (const int s : {SIGPIPE, SIGXFSZ})
      if (sigismember(&pending, s) == 0) sigaddset(&ours_, s);
    blocked_ = pthread_sigmask(SIG_BLOCK, &ours_, &before_) == 0;
  }
  ~WriteSignals() {
    const int kept = errno;
    if (blocked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = kept;
  }
  WriteSignals(const WriteSignals &) = delete;
  WriteSignals &operator=(const WriteSignals &) = delete;

  void take_back() const {
    const timespec now = {0, 0};
    while (sigtimedwait(&ours_, nullptr, &now) < 0 && errno == EINTR) {
    }
  }

 private:
  sigset_t ours_, before_;
  bool blocked_ = false;
};

}  // namespace

void append_field(const Log::Field &field, std::string *line) {
  static constexpr char digits[] = "0123456789abcdef";
  const size_t end = line->size() + field.most;
  for (const char c : field.text) {
    if (line->size() >= end) {
      *line += "...";
      return;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\')
      *line += "\\\\";
    else if (c == '\n')
      *line += "\\n";
    else if (c == '\r')
      *line += "\\r";
    else if (c == '\t')
      *line += "\\t";
    else if (byte < 0x20 || byte >= 0x7f || c == ',')
      *line += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    else
      *line += c;
  }
}

void open_log(const Settings &settings, Log *log) {
  log->bits = settings.verbose;
  const std::string unopened = log->open(settings.log_file.value);
  for (const Warning &warning : settings.warnings) warn(log, warning.source, warning.text);
  if (!unopened.empty()) warn(log, settings.log_file.source, "cannot be opened (" + unopened + "); logging to stderr");
}

void warn(Log *log, const std::string &source, const std::string &text) {
  if (!log->on(kWarn)) return;
  const char *where = source.rfind("GPUOPT_", 0) == 0 ? "env" : source.rfind("options.", 0) == 0 ? "options" : "call";
  log->line("warn", {where, source, sentence(text)});
}

std::string sentence(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), ',', ';');
  return out;
}

Log::~Log() {
  if (file_ >= 0) ::close(file_);
}

std::string Log::open(const std::string &path) {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  if (path.empty()) return "";
  std::string expanded;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && i + 1 < path.size() && path[i + 1] == 'p')
      expanded += std::to_string(::getpid()), ++i;
    else
      expanded += path[i];
  }
  // Without O_NONBLOCK a FIFO that nobody reads would wait for a reader, and a slow reader would stop the application.
  int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (has_raised_privileges()) flags |= O_NOFOLLOW;
  do file_ = ::open(expanded.c_str(), flags, 0644);
  while (file_ < 0 && errno == EINTR);
  return file_ >= 0 ? "" : error_text(errno);
}

std::string Log::text(const char *kind, std::initializer_list<Field> fields) {
  std::string line = std::string("gpuopt,v2,") + kind;
  for (const Field &field : fields) {
    line += ',';
    append_field(field, &line);
  }
  return line;
}

void Log::write(const std::string &text) {
  if (callback_) {
    const CallbackScope application;
    try {
      return callback_(user_, text.c_str());
    }
    GPUOPT_CATCH_ALL { return; }  // a line that is not written must not fail a call
  }
  if (lost_ > 0 && !put("gpuopt,v2,warn,log,lost," + std::to_string(lost_) + " lines could not be written")) {
    ++lost_;
    return;
  }
  lost_ = put(text) ? 0 : 1;
}

// One write a line, so that lines of several threads and processes do not mix. A full disk or pipe must not fail a call.
bool Log::put(const std::string &text) {
  const std::string line = (torn_ ? "\n" : "") + text + "\n";
  const int file = file_ >= 0 ? file_ : STDERR_FILENO;
  const WriteSignals signals;
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = ::write(file, line.data() + done, line.size() - done);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      if (n < 0 && (errno == EPIPE || errno == EFBIG)) signals.take_back();
      if (done > 0) torn_ = true;
      return false;
    }
  }
  torn_ = false;
  return true;
}

}  // namespace gpuopt
