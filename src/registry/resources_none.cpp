// A build without CUDA has no compiled entries.
#include "resources.h"

namespace gpuopt {
const compiled_entry kCompiledEntries[] = {{nullptr, nullptr, 0, 0, 0, 0}};
const size_t kCompiledEntryCount = 0;
}  // namespace gpuopt
