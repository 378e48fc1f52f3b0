// The lines that calls leave in the log: `exec` behind them, `command` before them, and what device they run on.
#pragma once
#include <string>

#include "decide.h"

namespace gpuopt {

// "cpu", "cuda0:sm_90".
std::string device_text(const gpuopt_handle &handle);

// A call's exec line up to the last field, its time, which may be known only later. Before the first, the lines that say
// what the fields are and what the device is are written.
std::string begin_exec_line(gpuopt_handle *handle, const Decision &decision);
// Writes it; ms: "" where it is not known.
void end_exec_line(gpuopt_handle *handle, std::string line, const std::string &ms);

// What names the call to a profiler: the kernel and the problem.
std::string range_text(const Decision &decision);

// The shell command that makes the same call again. Before the call, which may be the one that ends the process.
void log_command(gpuopt_handle *handle, const Decision &decision);

}  // namespace gpuopt
