// Output as results need it: what could not be written in full is a failure.
#pragma once
#include <string>

namespace gpuopt_cli {

// Before anything opens a file: keeps a descriptor that the caller closed from becoming some file's.
void hold_standard_descriptors();

// After everything: false, with a message, when stdout did not take all that was printed.
bool finish_output();

// A file that a verb writes as a whole: what it held before stays until the new text is all there. Whether it can be written is
// found out before anything is measured, so that a bad path costs nothing: throws CLI::ValidationError, which names the argument.
// path "": no file is asked for, and write() says true.
class OutputFile {
 public:
  OutputFile(const std::string &verb, const std::string &argument, const std::string &path);
  bool write(const std::string &text);  // all of it; false, and stderr says so: it could not be

 private:
  std::string what_, path_;
};

}  // namespace gpuopt_cli
