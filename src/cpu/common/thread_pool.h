/* The CPU kernels' threads: one pool for the process, started at the first use, grown to what is asked for, stopped and
 * joined when the library is unloaded. A child of fork() starts its own.
 *
 * A call hands out the indices 0 .. count - 1 one by one, so which thread works on which index is chance. A kernel
 * keeps its bits by making each index's work, and the order in which results are joined, depend on the problem only.
 */
#pragma once

#include <stdint.h>

namespace gpuopt {
namespace cpu {

/* index: 0 .. count - 1; worker: 0 .. threads - 1, and no two indices run on one worker at the same time. */
typedef void (*parallel_fn)(void *context, int64_t index, int worker);

/* Runs fn for every index on at most `threads` threads, the caller among them, and returns when all are done. A call
 * from within fn, while another thread has the pool, or after the unloading began, runs on the caller alone. fn must not
 * throw and needs at most 64 KiB of stack. Throws std::runtime_error in a child that was forked, by a signal handler, in
 * the middle of the call. */
void parallel_for(int threads, int64_t count, parallel_fn fn, void *context);

/* The same for a callable body(index, worker). */
template <class Body>
void parallel_for(int threads, int64_t count, Body &body) {
  parallel_for(
      threads, count, [](void *context, int64_t index, int worker) { (*static_cast<Body *>(context))(index, worker); },
      &body);
}

}  // namespace cpu
}  // namespace gpuopt
