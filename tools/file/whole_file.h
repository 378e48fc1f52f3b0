// Files that are written as a whole: the new one is written beside the old one and takes its place by rename, which is atomic. A
// reader finds the old text or the new one, and what fails - a full disk, the end of the process - leaves the old one.
#pragma once
#include <sys/types.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace gpuopt_file {

// Closes it at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return number_; }
  int close();

 private:
  int number_;
};

inline std::string system_fault(const std::string &what) { return what + ": " + std::strerror(errno); }

// The results are "" or why not.

// A new file of that mode in the place of path, or of the file that the symbolic link path leads to.
std::string replace_file(const std::string &path, const std::string &text, mode_t mode);

// Can path be written? Before anything is done for its contents: no file is made or changed.
std::string whole_file_fault(const std::string &path);
// Replaces the file, which keeps its mode, or makes it. What is no regular file (a pipe, /dev/stdout) is written to, and so is a
// file in whose folder no other can be made.
std::string write_whole_file(const std::string &path, const std::string &text);

}  // namespace gpuopt_file
