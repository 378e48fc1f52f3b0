// Every allocation of this program goes through here, so that tests can let the n-th of a thread fail and count what is held.
#pragma once
#include <cstdint>
#include <functional>

namespace gpuopt_test {

// Runs call() with its n-th allocation (from 0) failing, alone or with all that follow. Did it come to that?
bool fails_at(int64_t n, bool from_then_on, const std::function<void()> &call);

// Runs call() as if there were no test, inside another call of fails_at().
void with_memory(const std::function<void()> &call);

// Blocks and bytes that this thread has from operator new and malloc's family, in the library and in the tests.
int64_t blocks_held();
int64_t bytes_held();

}  // namespace gpuopt_test
