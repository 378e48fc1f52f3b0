// Memory of others that need not be there.
#pragma once
#include <cstddef>
#include <string>

namespace gpuopt {

// Copies bytes that need not be readable: how many were. The system looks for us, so that a pointer or a size that lies is no
// crash; where it is not allowed to, the bytes are taken as they were promised.
size_t copy_if_readable(const void *from, void *to, size_t bytes);

// Is all of it readable?
bool is_readable(const void *from, size_t bytes);

// The text at that place, as far as most bytes; false where it cannot be read that far.
bool read_text(const char *from, size_t most, std::string *text);

}  // namespace gpuopt
