// stdout as results need it: an output that could not be written in full is a failure.
#pragma once

namespace gpuopt_cli {

// Before anything opens a file: keeps a descriptor that the caller closed from becoming some file's.
void hold_standard_descriptors();

// After everything: false, with a message, when stdout did not take all that was printed.
bool finish_output();

}  // namespace gpuopt_cli
