// An asked-for end: on SIGTERM or SIGINT suites leave out what is left of them, and what was measured is written. A second
// signal ends the program at once.
#pragma once

namespace gpuopt_bench {

void stop_on_signals();
bool stop_asked();

}  // namespace gpuopt_bench
