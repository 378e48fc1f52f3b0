// A folder of a test's own, and plugins in it.
#pragma once
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support.h"

namespace gpuopt_test {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = fs::temp_directory_path() / "gpuopt_plugins_XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = fs::canonical(name);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder &) = delete;

  std::string operator/(const std::string &name) const { return path_ / name; }
  std::string path() const { return path_; }
  // A copy is a file of its own, which the system loads anew.
  std::string copy(const std::string &file, const std::string &name) const {
    fs::copy_file(file, path_ / name, fs::copy_options::overwrite_existing);
    return path_ / name;
  }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

inline void allow(const std::string &path, mode_t mode) { REQUIRE(chmod(path.c_str(), mode) == 0); }

// What gpuopt_check_plugin tells of it.
inline std::vector<std::string> faults_of_file(const std::string &path) {
  std::vector<std::string> faults;
  const gpuopt_status s = gpuopt_check_plugin(
      path.c_str(),
      [](void *all, const char *fault) { static_cast<std::vector<std::string> *>(all)->push_back(fault); }, &faults);
  CHECK((s == GPUOPT_OK) == faults.empty());
  return faults;
}

}  // namespace gpuopt_test
