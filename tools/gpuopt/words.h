// Words of the command line into values of the API. What is not a word throws a CLI::ValidationError that names the
// argument and lists the words.
#pragma once
#include <cstdint>
#include <string>

#include "gpuopt/gpuopt.h"

namespace gpuopt_cli {

gpuopt_dtype parse_dtype(const std::string &argument, const std::string &word);
int32_t parse_compute(const std::string &argument, const std::string &word);
int32_t parse_op(const std::string &argument, const std::string &word);
std::string op_names();  // all of them, commas between
int32_t parse_reduce(const std::string &argument, const std::string &word);
int32_t parse_norm(const std::string &argument, const std::string &word);
int32_t parse_axis(const std::string &argument, const std::string &word);
int32_t parse_layout(const std::string &argument, const std::string &word);
gpuopt_device_facts parse_pretend(const std::string &word);  // of --pretend

// "relu", "leaky_relu:0.01", "clamp:0:6", "add:scalar:2", "add:per_col:f32", "mul:matrix:bf16:0.5",
// "add_outer:f32", "store:bf16", "gelu_grad:f32", for an output of rows x cols.
gpuopt_stage parse_stage(const std::string &argument, const std::string &text, int64_t rows, int64_t cols);
std::string stage_syntax();

[[noreturn]] void reject_word(const std::string &argument, const std::string &word, const std::string &rule);

}  // namespace gpuopt_cli
