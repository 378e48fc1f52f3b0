#include "plugins/trusted_path.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "text.h"

namespace gpuopt {
namespace {

constexpr int kMostLinks = 40;  // as the system's own limit

bool everybody_writes(const struct stat &s) { return (s.st_mode & S_IWOTH) != 0; }

std::string joined(const std::string &folder, std::string_view name) {
  return (folder == "/" ? folder : folder + "/") + std::string(name);
}

std::string parent_of(const std::string &folder) {
  const size_t slash = folder.rfind('/');
  return slash == 0 ? "/" : folder.substr(0, slash);
}

// May the way go on from this folder to the entry that was found in it?
std::string step_fault(const std::string &folder, const struct stat &of_folder, const std::string &entry,
                       const struct stat &of_entry) {
  if (!everybody_writes(of_folder)) return "";
  if (!(of_folder.st_mode & S_ISVTX)) return "the folder " + folder + " is writable by everybody";
  if (of_entry.st_uid == 0 || of_entry.st_uid == geteuid()) return "";
  return entry + " belongs to another user and lies in " + folder + ", where everybody may put it";
}

std::string read_link(const std::string &link, std::string *target) {
  char text[PATH_MAX];
  const ssize_t n = readlink(link.c_str(), text, sizeof text);
  if (n < 0) return link + ": " + error_text(errno);
  target->assign(text, static_cast<size_t>(n));
  return "";
}

}  // namespace

std::string find_trusted(const std::string &path, TrustedPath *found) {
  if (path.empty() || path[0] != '/')
    return quoted(path) + " is not an absolute path: nothing is loaded from the current folder";
  std::string at = "/", rest = path;
  struct stat of_at, of_entry;
  if (stat("/", &of_at) != 0) return "/: " + error_text(errno);
  int links = 0;
  bool is_file = false;
  while (!rest.empty()) {
    const size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    rest = slash == std::string::npos ? "" : rest.substr(slash + 1);
    if (name.empty() || name == ".") continue;
    if (is_file) return at + " is no folder";
    if (name == "..") {
      at = parent_of(at);
      if (lstat(at.c_str(), &of_at) != 0) return at + ": " + error_text(errno);
      continue;
    }
    const std::string entry = joined(at, name);
    if (lstat(entry.c_str(), &of_entry) != 0) return (entry == path ? "" : entry + ": ") + error_text(errno);
    std::string fault = step_fault(at, of_at, entry, of_entry);
    if (!fault.empty()) return fault;
    if (S_ISLNK(of_entry.st_mode)) {
      std::string target;
      if (++links > kMostLinks) return quoted(path) + " has more than 40 links on the way";
      if (!(fault = read_link(entry, &target)).empty()) return fault;
      rest = target + "/" + rest;
      if (target[0] == '/') {
        at = "/";
        if (stat("/", &of_at) != 0) return "/: " + error_text(errno);
      }
      continue;
    }
    if (!S_ISDIR(of_entry.st_mode)) {
      if (!S_ISREG(of_entry.st_mode)) return entry + " is neither a file nor a folder";
      if (everybody_writes(of_at)) return "the folder " + at + " is writable by everybody";
      is_file = true;
    }
    at = entry;
    of_at = of_entry;
  }
  if (everybody_writes(of_at)) return (is_file ? "" : "the folder ") + at + " is writable by everybody";
  found->path = at;
  found->is_folder = !is_file;
  return "";
}

std::string list_plugins(const std::string &folder, std::vector<std::string> *files) {
  struct Close {
    void operator()(DIR *d) const { closedir(d); }
  };
  const std::unique_ptr<DIR, Close> open(opendir(folder.c_str()));
  if (!open) return folder + ": " + error_text(errno);
  const auto ends = [](std::string_view name, std::string_view end) {
    return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
  };
  while (const dirent *entry = readdir(open.get()))
    if (entry->d_name[0] != '.' && (ends(entry->d_name, ".so") || ends(entry->d_name, ".gpuopt")))
      files->push_back(joined(folder, entry->d_name));
  std::sort(files->begin(), files->end());
  return "";
}

}  // namespace gpuopt
