#include "ncu.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "gpuopt_advise/quantities.h"
#include "program.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

constexpr std::uintmax_t kMostReportBytes = std::uintmax_t{1} << 30;

std::string find_ncu() {
  const std::string ncu = find_program("ncu");
  if (ncu.empty())
    throw NoNcu(
        found_nowhere("ncu of Nsight Compute") +
        ": it comes with the CUDA toolkit (package nsight-compute), and from developer.nvidia.com/nsight-compute");
  return ncu;
}

// A file that is gone when this is.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpuopt-ncu.XXXXXX").string();
    const int file = mkstemp(pattern.data());
    if (file < 0) throw NoReport("no temporary file can be made: " + std::string(std::strerror(errno)));
    close(file);
    path_ = pattern;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile &) = delete;
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

std::string read_all(std::istream &in, const std::string &name) {
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) throw NoReport("'" + name + "' cannot be read: " + std::strerror(errno));
  return text;
}

std::string read_text(const std::string &path) {
  if (path == "-") return read_all(std::cin, "standard input");
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) throw NoReport("'" + path + "' is a folder");
  if (std::filesystem::is_regular_file(path, unknown) && std::filesystem::file_size(path, unknown) > kMostReportBytes)
    throw NoReport("'" + path + "' is of more than " + std::to_string(kMostReportBytes) + " bytes");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw NoReport("'" + path + "' cannot be opened: " + std::strerror(errno));
  return read_all(in, path);
}

// The lines of ncu's own, errors first: what a person needs to see of a report that is none.
std::string told_by_ncu(const std::string &text) {
  std::string told, last;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.compare(0, 9, "==ERROR==") == 0) told += "\n  " + line;
    if (!line.empty()) last = line;
    at = end + 1;
  }
  return !told.empty() ? told : last.empty() ? "\n  it wrote nothing" : "\n  " + last;
}

}  // namespace

gpuopt_advise::Report count(const NcuCall &call) {
  const TemporaryFile table;
  std::vector<std::string> words = {
      find_ncu(), "--csv", "--clock-control", "none",       "--page",    "raw",       "--print-units",
      "base",     "-f",    "--log-file",      table.path(), "--metrics", call.metrics};
  words.insert(words.end(), call.options.begin(), call.options.end());
  words.insert(words.end(), call.command.begin(), call.command.end());
  const int code = call.silent ? run_lines(words, [](const std::string &) {}) : run_beside(words);
  const std::string text = read_text(table.path());
  try {
    return gpuopt_advise::read_report(text);
  } catch (const gpuopt_advise::ReportError &) {
    throw NoReport("ncu made no report" + (code > 0 ? " (exit code " + std::to_string(code) + ")" : std::string()) +
                   ":" + told_by_ncu(text));
  }
}

gpuopt_advise::Report profile_command(const std::vector<std::string> &command, int64_t launches) {
  std::string metrics;
  for (const std::string &name : gpuopt_advise::wanted_metrics()) metrics += (metrics.empty() ? "" : ",") + name;
  return count({command, metrics, {"--launch-count", std::to_string(launches)}, false});
}

gpuopt_advise::Report read_report_file(const std::string &path) {
  std::string text;
  if (ends_with(path, ".ncu-rep")) {
    const int code = run_lines({find_ncu(), "--import", path, "--csv", "--page", "raw", "--print-units", "base"},
                               [&](const std::string &line) { text += line + "\n"; });
    if (code != 0) throw NoReport("ncu --import '" + path + "' failed:" + told_by_ncu(text));
  } else {
    text = read_text(path);
  }
  try {
    return gpuopt_advise::read_report(text);
  } catch (const gpuopt_advise::ReportError &wrong) {
    throw NoReport("'" + path + "', " + wrong.what());
  }
}

}  // namespace gpuopt_cli
