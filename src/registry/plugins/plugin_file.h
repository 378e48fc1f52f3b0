// Files of plugins. Opening one never waits: what is no regular file is refused.
#pragma once
#include <string>
#include <string_view>

namespace gpuopt {

// Reads all of a file that has at most so many bytes. Returns "", or why it cannot. What is read is a copy: an image may lie
// where others may write - its hash vouches for it - and what they cut short under a mapping would end the process.
std::string read_file(const std::string &path, size_t most, std::string *bytes);

// A file's bytes, looked at where they lie.
class MappedFile {
 public:
  MappedFile() = default;
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string open(const std::string &path, size_t most);  // "", or why it cannot be read
  std::string_view bytes() const { return {static_cast<const char *>(data_), size_}; }

 private:
  void *data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace gpuopt
