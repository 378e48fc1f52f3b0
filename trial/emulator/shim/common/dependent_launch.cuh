#pragma once
#include "emu.h"
#include "gpuopt/kernel.h"
namespace gpuopt {
inline void wait_for_stream() {}
struct LaunchAttributes {};
inline LaunchAttributes early_launch(const gpuopt_problem &) { return {}; }
template <class... P, class... A>
gpuopt_status launch_kernel(LaunchAttributes, const gpuopt_launch *, const char *, dim3 grid, dim3 block, size_t, void (*k)(P...), A &&...a) {
  emu.gdim = grid; emu.bdim = block; emu.body = [&] { k(a...); };
  std::vector<unsigned> o(grid.x); for (unsigned i = 0; i < grid.x; ++i) o[i] = i; std::shuffle(o.begin(), o.end(), emu.rng);
  for (unsigned b : o) emu.run_block(b);
  return GPUOPT_OK;
}
template <class... P> gpuopt_status load_kernel(const gpuopt_launch *, const char *, void (*)(P...), size_t = 0) { return GPUOPT_OK; }
}
