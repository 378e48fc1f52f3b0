// What a child of fork() finds. It has one thread, the one that forked, and everything as it was at that moment: a lock
// that another thread held stays held, and CUDA's context is lost to it.
#pragma once
#include <mutex>

namespace gpuopt {

// Guards the registry. No child finds it held: fork waits for who has it. Throws std::bad_alloc.
std::mutex &lock_across_forks();

// Guards the loading of plugins, which runs their code and may take long. No fork waits for it: a child finds it free, and what
// was being loaded there stays as it was at that moment.
std::mutex &loading_lock();

// How many forks lie between the process that used the library first and this one.
unsigned fork_count();

// Says that this process is about to use CUDA; false in a child of one that did, where nothing of CUDA may be called.
// Throws std::bad_alloc.
bool may_use_cuda();

}  // namespace gpuopt
