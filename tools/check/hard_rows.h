// Rows whose values are hard on a kernel that is right on ordinary ones.
#pragma once
#include <cstdint>
#include <string>

#include "gpuopt/gpuopt.h"
#include "rng.h"

namespace gpuopt_check {

struct Spec;

enum HardRows : uint32_t {
  kFarRows = 1,        // layer norm: rows that lie close together far from 0
  kLargestRows = 2,    // layer norm: rows of the same number near the largest of their type
  kLargeIntegers = 4,  // MEAN and NRM2 of integers whose sums leave 64 bits
  kAllHardRows = 7
};
std::string hard_rows_text(uint32_t rows);  // "rows far from 0, large integers"

// Those that problems of this spec can have.
uint32_t hard_rows_of(const Spec &spec);
// Makes some specs hard, by one of `allowed`.
void choose_hard_rows(uint32_t allowed, Rng &rng, Spec *spec);
void make_hard(uint32_t rows, Spec *spec);  // by the one bit of rows

// Values of one operand, row by row.
class HardValues {
 public:
  HardValues(uint32_t rows, gpuopt_dtype type, Rng *rng) : rows_(rows), type_(type), rng_(rng) { start_row(); }
  void start_row();
  double number();
  int64_t integer();

 private:
  uint32_t rows_;
  gpuopt_dtype type_;
  Rng *rng_;
  int kind_ = 0;
  int sign_ = 1;
};

}  // namespace gpuopt_check
