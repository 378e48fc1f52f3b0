// Programs of others that verbs run: cuobjdump, ncu, nsys.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace gpuopt_cli {

// Its path, from $PATH, $CUDA_HOME/bin, $CUDA_PATH/bin or /usr/local/cuda/bin; "": it is in none.
std::string find_program(const std::string &name);
// "<what> is in no folder of ...": what to say of it then.
std::string found_nowhere(const std::string &what);
// This program's own file.
std::string own_program();

// Runs words[0], a path, and hands on each line that it writes to stdout and stderr. Its exit code; -1: it could not be started or
// was ended by a signal.
int run_lines(const std::vector<std::string> &words, const std::function<void(const std::string &line)> &take);
// The same, but what it writes to stdout goes to stderr, where it stands beside what is ours.
int run_beside(const std::vector<std::string> &words);

}  // namespace gpuopt_cli
