// The same consumer in C++, with something of the C++ runtime of its own.
#include <iostream>
#include <string>

#include "use.h"

int main(int argc, char **argv) {
  use_list();
  if (argc != 2 && argc != 3) return 2;
  const std::string expected = argv[1];
  const int failed = use_gpuopt(expected.c_str(), argc == 3 ? argv[2] : nullptr);
  if (failed) std::cerr << "failed with " << gpuopt_build_info() << '\n';
  return failed;
}
