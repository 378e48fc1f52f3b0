// What a kernel finds where it has written nothing: registers and shared memory, which hold what the kernel before it left there.
#pragma once
#include <cstdint>

struct CUstream_st;

namespace gpuopt_check {

// NaN in every type of floating-point numbers, 8 bits or more, in the registers and the shared memory of all multiprocessors of a
// CUDA device, before whatever is issued on the stream next; stream nullptr: before whatever is issued next. A kernel that adds
// or stores what it never wrote is then seen; zeros, which are what most often lies there, would hide it. Does nothing without CUDA.
void leave_nan_behind(int32_t ordinal, CUstream_st *stream);

// Does so, and says which share of 48 KB of shared memory on each multiprocessor is such NaN then; -1: it cannot be told.
double share_left_behind(int32_t ordinal, CUstream_st *stream);

}  // namespace gpuopt_check
