// Stream capture and the memory of a device for the sessions: one implementation over the CUDA runtime, one for builds without CUDA.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

struct CUstream_st;

namespace gpuopt_check {

// Captures what call() issues on the stream, and launches the captured graph once if it has any node. Says what went wrong,
// or "". What call() returned is its own affair: a refused call leaves the capture whole.
std::string capture_and_launch(CUstream_st *stream, const std::function<void()> &call);

// Bytes of a CUDA device's memory that are in use, by whomever; 0 where that cannot be told.
int64_t device_bytes_in_use(int32_t ordinal);

// Bytes of heap that CUDA itself keeps for good of every graph that owned memory through a user object and has been
// launched and destroyed: measured with some thousand such graphs on the stream, nothing of the library in them. 0 without a
// stream, or where the C library does not count what is in use.
double heap_kept_by_graph(CUstream_st *stream);

}  // namespace gpuopt_check
