// What stdout and stderr are: how wide, and whether colours are seen there.
#pragma once
#include <cstddef>
#include <string>

namespace gpuopt_cli {

// $COLUMNS, else the terminal's width; 0: neither is known, and lines are as long as they are.
size_t output_columns();
size_t error_columns();  // of stderr

enum class Style { plain, strong, faint, good, bad };
// In the style's colour where stdout is a terminal that shows it and NO_COLOR is not set; else as it is.
std::string painted(const std::string &text, Style style);

}  // namespace gpuopt_cli
