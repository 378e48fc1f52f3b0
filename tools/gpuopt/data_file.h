// Matrices in files that other programs read and write: NumPy's .npy, and CSV (a row a line, numbers between commas).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "problem.h"

namespace gpuopt_cli {

// What an .npy or .csv file holds, by its name. long double holds every number that either can.
struct DataArray {
  std::vector<int64_t> shape;
  std::vector<long double> values;  // the last index fastest
};

bool is_data_file(const std::string &path);  // by its name

// All three throw std::runtime_error, with the path and what is wrong.
DataArray read_data(const std::string &path);
// What the file of that name is to hold.
std::string data_text(const std::string &path, const gpuopt_check::Problem &problem, const gpuopt_check::Tensor &tensor,
                      const std::vector<uint8_t> &image);
// The array into the operand: of shape rows x cols, batch x rows x cols, (batch * rows) x cols, or, where the operand is a
// vector, its length. What an integer type does not hold is refused; floats are rounded to the nearest. Offsets of a grouped
// product must ascend, and become the problem's own; lists of products are refused.
void take_data(const std::string &path, const DataArray &array, const gpuopt_check::Tensor &tensor,
               gpuopt_check::Problem *problem);

}  // namespace gpuopt_cli
