// Other programs, those of the CUDA toolkit: where they lie, and what they print.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace gpuopt_cli {

// $PATH, then where the toolkit lies; "": in none of them.
std::string find_toolkit_program(const std::string &name);

// Runs words[0] with the others and hands on each line of stdout and stderr, without its end; its exit code, or -1.
int run_program(const std::vector<std::string> &words, const std::function<void(const std::string &line)> &take);

}  // namespace gpuopt_cli
