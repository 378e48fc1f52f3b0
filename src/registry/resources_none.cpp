// A build without CUDA has no compiled entries.
#include "resources.h"

namespace gpuopt {
const CompiledEntry kCompiledEntries[] = {{nullptr, nullptr, 0, 0, 0, 0}};
const size_t kCompiledEntryCount = 0;
}  // namespace gpuopt
