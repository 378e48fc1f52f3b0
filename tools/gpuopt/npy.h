// The .npy format of NumPy, versions 1 to 3: arrays of little-endian numbers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt_cli {

struct NpyHeader {
  char kind = 'f';       // f: float, i: signed, u: unsigned, b: bool
  int32_t size = 4;      // bytes of an element
  bool fortran = false;  // the first index fastest
  std::vector<int64_t> shape;
  size_t data = 0;  // where the elements begin
};

// Of the whole file's bytes, whose length the header must account for. Throws std::runtime_error with what is wrong.
NpyHeader read_npy_header(std::string_view bytes);
// Everything before the elements, of an array whose last index is the fastest.
std::string npy_header(char kind, int32_t size, const std::vector<int64_t> &shape);

}  // namespace gpuopt_cli
