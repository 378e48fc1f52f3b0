#include "tuning/table_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "environment.h"
#include "fork.h"
#include "text.h"

namespace gpuopt {

// Which file, and which state of it.
struct FileState {
  dev_t device;
  ino_t inode;
  off_t bytes;
  timespec modified, changed;
};

struct SharedTable {
  std::string name;
  FileState state;
  TuneTable table;
  unsigned holds;
  SharedTable *next;
};

namespace {

// The tables that are held, under lock_across_forks(). A list of what handles own: no memory when there is no handle, and
// nothing to construct before main or to destroy at the end.
SharedTable *first_held = nullptr;

bool same(const timespec &a, const timespec &b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

bool same(const FileState &a, const FileState &b) {
  return a.device == b.device && a.inode == b.inode && a.bytes == b.bytes && same(a.modified, b.modified) &&
         same(a.changed, b.changed);
}

// The lock is held.
SharedTable *hold(const std::string &name, const FileState &state) {
  for (SharedTable *t = first_held; t != nullptr; t = t->next) {
    if (t->name != name || !same(t->state, state)) continue;
    ++t->holds;
    return t;
  }
  return nullptr;
}

// Of threads that read one file at once the first keeps its table, and the others use that.
TableHold share(const std::string &name, const FileState &state, std::string_view text) {
  std::unique_ptr<SharedTable> made(new SharedTable{name, state, TuneTable(text), 1, nullptr});
  const std::lock_guard<std::mutex> lock(lock_across_forks());
  if (SharedTable *others = hold(name, state)) return TableHold(others);
  made->next = first_held;
  first_held = made.get();
  return TableHold(made.release());
}

TableHold find_shared(const std::string &name, const FileState &state) {
  const std::lock_guard<std::mutex> lock(lock_across_forks());
  return TableHold(hold(name, state));
}

class OpenFile {
 public:
  explicit OpenFile(const std::string &path) {
    // Without O_NONBLOCK a FIFO would be waited for.
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    if (has_raised_privileges()) flags |= O_NOFOLLOW;
    do descriptor_ = ::open(path.c_str(), flags);
    while (descriptor_ < 0 && errno == EINTR);
  }
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  bool ok() const { return descriptor_ >= 0; }

  // False where it cannot be told of; *is_file: not a folder, a device or a pipe.
  bool state(FileState *out, bool *is_file) const {
    struct stat s;
    if (::fstat(descriptor_, &s) != 0) return false;
    *is_file = S_ISREG(s.st_mode);
    *out = {s.st_dev, s.st_ino, s.st_size, s.st_mtim, s.st_ctim};
    return true;
  }
  // Until the end, or until the text is full. False where reading fails.
  bool read(std::vector<char> *text, size_t *bytes) const {
    *bytes = 0;
    while (*bytes < text->size()) {
      const ssize_t n = ::read(descriptor_, text->data() + *bytes, text->size() - *bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      if (n == 0) break;
      *bytes += static_cast<size_t>(n);
    }
    return true;
  }

 private:
  int descriptor_ = -1;
};

}  // namespace

TableHold::TableHold(const TableHold &other) : held_(other.held_) {
  if (held_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(lock_across_forks());
  ++held_->holds;
}

TableHold &TableHold::operator=(TableHold other) noexcept {
  std::swap(held_, other.held_);
  return *this;
}

TableHold::~TableHold() {
  if (held_ == nullptr) return;
  std::unique_ptr<SharedTable> last;
  const std::lock_guard<std::mutex> lock(lock_across_forks());
  if (--held_->holds > 0) return;
  SharedTable **at = &first_held;
  while (*at != held_) at = &(*at)->next;
  *at = held_->next;
  last.reset(held_);
}

const TuneTable *TableHold::operator->() const { return &held_->table; }
const std::string &TableHold::name() const { return held_->name; }

TableHold table_of_file(const std::string &path, std::string *fault) {
  const OpenFile file(path);
  FileState state = {};
  bool is_file = false;
  const auto fail = [&](std::string why) {
    *fault = std::move(why);
    return TableHold();
  };
  if (!file.ok() || !file.state(&state, &is_file)) return fail("cannot be opened (" + error_text(errno) + ")");
  if (!is_file) return fail("is no file");
  if (static_cast<uint64_t>(state.bytes) > TuneTable::kMostBytes)
    return fail("is " + std::to_string(state.bytes) + " bytes long, and at most " +
                std::to_string(TuneTable::kMostBytes) + " are read");
  if (TableHold known = find_shared(path, state)) return known;
  // It may grow while it is read.
  std::vector<char> text(static_cast<size_t>(state.bytes) + 1);
  size_t bytes = 0;
  if (!file.read(&text, &bytes)) return fail("cannot be read (" + error_text(errno) + ")");
  if (bytes == text.size()) return fail("is being written: it grew while it was read");
  return share(path, state, std::string_view(text.data(), bytes));
}

std::string ShippedFile::text() const {
  std::string all;
  for (const char *const *line = lines; *line != nullptr; ++line) all += *line;
  return all;
}

TableHold shipped_table(const std::string &device_name) {
  for (const ShippedFile *f = kShippedFiles; f->name != nullptr; ++f) {
    std::string name = device_name;
    for (char &c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (name != f->name) continue;
    const std::string called = "shipped table " + name;
    if (TableHold known = find_shared(called, FileState())) return known;
    TableHold made = share(called, FileState(), f->text());
    if (made->entry_count() > 0) return made;
  }
  return TableHold();
}

}  // namespace gpuopt
