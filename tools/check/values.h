// Every data type to double and back, written independently of the library: the check must not share its mistakes.
#pragma once
#include <cstdint>

#include "gpuopt/gpuopt.h"

namespace gpuopt_check {

bool is_integer(gpuopt_dtype type);
bool is_float(gpuopt_dtype type);
bool is_fp8(gpuopt_dtype type);
bool has_infinity(gpuopt_dtype type);
double largest_finite(gpuopt_dtype type);

// Exact, but for i64 beyond 2^53.
double decode(gpuopt_dtype type, const void *element);
int64_t decode_integer(gpuopt_dtype type, const void *element);

// The value nearest to x that the type holds, ties to even. fp8 and integers saturate, other floats overflow to
// infinity. NaN stays NaN; as an integer it is 0.
double round_to(gpuopt_dtype type, double x);

// Writes round_to(type, x).
void encode(gpuopt_dtype type, double x, void *element);
void encode_integer(gpuopt_dtype type, int64_t x, void *element);

}  // namespace gpuopt_check
