// Where tables come from: a file, or the tables that the library carries. Handles of one process share what was read: a file
// is read again only when it was replaced or changed meanwhile, or when no handle holds it any more.
#pragma once
#include <string>

#include "tuning/tune_table.h"

namespace gpuopt {

struct SharedTable;

// A handle's hold on a table, or none.
class TableHold {
 public:
  TableHold() = default;
  explicit TableHold(SharedTable *held) : held_(held) {}  // takes over one count
  TableHold(const TableHold &other);
  TableHold(TableHold &&other) noexcept : held_(other.held_) { other.held_ = nullptr; }
  TableHold &operator=(TableHold other) noexcept;
  ~TableHold();
  const TuneTable *operator->() const;
  explicit operator bool() const { return held_ != nullptr; }
  const std::string &name() const;  // as messages say it: the file's path, "shipped table nvidia_h200"

 private:
  SharedTable *held_ = nullptr;
};

// The file's table. Without one *fault says why: it cannot be opened or read, is no file, or is too large. Like a log file it
// is opened without waiting, not inherited by programs that are started, and with raised privileges not through a symbolic
// link. Throws std::bad_alloc.
TableHold table_of_file(const std::string &path, std::string *fault);

// The table that the library carries for a device of that name (DeviceId::name), if it has entries.
TableHold shipped_table(const std::string &device_name);

// What the library carries: the files in src/registry/tuned/, as the build found them. Ends with a row without a name.
struct ShippedFile {
  const char *name;          // the device's, in lower case: "nvidia_h200"
  const char *const *lines;  // each with its end; nullptr behind the last. One literal may have 65,536 bytes only
  std::string text() const;
};
extern const ShippedFile kShippedFiles[];

}  // namespace gpuopt
