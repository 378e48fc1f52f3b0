// Who could have put a file where it lies? What everybody may write or replace is never loaded into a process.
#pragma once
#include <string>
#include <vector>

namespace gpuopt {

struct TrustedPath {
  std::string path;  // without links
  bool is_folder = false;
};

// Follows an absolute path, links included, as the system would, and looks at every folder on the way. Returns "", or why what
// lies there is not trusted:
//   - a folder on the way is writable by everybody; where only owners may remove (sticky, as /tmp is), what the path goes on
//     to there must belong to root or to this process's user;
//   - the file, or the folder that it lies in, is writable by everybody, sticky or not; or it is neither file nor folder.
std::string find_trusted(const std::string &path, TrustedPath *found);

// The plugins in a folder, *.so and *.gpuopt, by name. Returns "", or why it cannot be read.
std::string list_plugins(const std::string &folder, std::vector<std::string> *files);

}  // namespace gpuopt
