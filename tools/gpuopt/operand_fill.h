// Values for operands, through a handle, wherever its memory is.
#pragma once
#include <cstdint>
#include <string>

#include "of_call.h"

namespace gpuopt_cli {

// count elements of a type at data. Values of a distribution are a pattern of 2^18, repeated; i8, u8, i32 and i64 have them 20
// times as large. Throws std::runtime_error.
void fill_operand(gpuopt_handle *handle, void *data, gpuopt_dtype type, int64_t count, gpuopt_check::Data values);

// Of a grouped product whose offsets are an operand: the rows divided evenly among the groups; whose list is one: its products.
// Of other calls nothing. Throws std::runtime_error.
void fill_groups(gpuopt_handle *handle, gpuopt_call::Call *call);

gpuopt_check::Data parse_data(const std::string &argument, const std::string &word);
bool parse_cache(const std::string &word);  // of --cache: true: cold

}  // namespace gpuopt_cli
