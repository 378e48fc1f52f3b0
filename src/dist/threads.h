// Ranks that are threads of this process, on CPUs.
#pragma once
#include <memory>

#include "transport.h"

namespace gpuopt::dist {

class Threads;  // a Control and a Mover
struct Transport {
  std::unique_ptr<Control> control;
  Mover *mover = nullptr;  // the control's own
};

void make_thread_id(gpuopt_unique_id *id);
// Returns when all ranks of the id have come.
gpuopt_status join_threads(const gpuopt_unique_id &id, int32_t rank, int32_t size, int32_t limit_ms, Transport *out);

}  // namespace gpuopt::dist
