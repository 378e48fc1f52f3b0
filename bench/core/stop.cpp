#include "stop.h"

#include <csignal>

namespace gpuopt_bench {
namespace {

volatile std::sig_atomic_t asked = 0;

extern "C" void ask(int signal) {
  asked = 1;
  if (signal == SIGINT) std::signal(signal, SIG_DFL);  // of SIGTERM, timeout(1) sends two at once
}

}  // namespace

void stop_on_signals() {
  std::signal(SIGTERM, ask);
  std::signal(SIGINT, ask);
}
bool stop_asked() { return asked != 0; }

}  // namespace gpuopt_bench
