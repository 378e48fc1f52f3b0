#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace gpuopt_cli {
namespace {

bool shows_colours() {
  const char *const none = std::getenv("NO_COLOR"), *const term = std::getenv("TERM");
  if (none != nullptr && *none != 0) return false;
  return isatty(STDOUT_FILENO) && term != nullptr && std::strcmp(term, "dumb") != 0;
}

size_t columns_of(int file) {
  constexpr long kLeast = 40, kMost = 10000;
  const auto usable = [](long columns) {
    return columns <= 0 ? size_t{0}
                        : static_cast<size_t>(columns < kLeast  ? kLeast
                                              : columns < kMost ? columns
                                                                : kMost);
  };
  if (const char *stated = std::getenv("COLUMNS"))
    if (const size_t columns = usable(std::strtol(stated, nullptr, 10))) return columns;
  winsize size;
  if (!isatty(file) || ioctl(file, TIOCGWINSZ, &size) != 0) return 0;
  return usable(size.ws_col);
}

}  // namespace

size_t output_columns() { return columns_of(STDOUT_FILENO); }
size_t error_columns() { return columns_of(STDERR_FILENO); }

std::string painted(const std::string &text, Style style) {
  static const bool shown = shows_colours();
  static constexpr const char *kCodes[] = {"", "\033[1m", "\033[2m", "\033[1;32m", "\033[1;31m"};
  if (!shown || style == Style::plain || text.empty()) return text;
  return kCodes[static_cast<int>(style)] + text + "\033[0m";
}

}  // namespace gpuopt_cli
