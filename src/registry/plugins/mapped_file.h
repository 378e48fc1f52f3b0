// A file's bytes, looked at where they lie.
#pragma once
#include <string>
#include <string_view>

namespace gpuopt {

class MappedFile {
 public:
  MappedFile() = default;
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  // Returns "", or why it cannot be read. Never waits: what is no regular file is refused.
  std::string open(const std::string &path, size_t most);
  std::string_view bytes() const { return {static_cast<const char *>(data_), size_}; }

 private:
  void *data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace gpuopt
