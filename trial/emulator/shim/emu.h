#pragma once
#include <cuda_runtime_api.h>
#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __forceinline__
#undef __grid_constant__
#undef __launch_bounds__
#include <ucontext.h>
#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <cstdio>
#include <cmath>
#include <vector>
#include <memory>
#include <random>
#include <functional>
#include <algorithm>
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
struct Emu {
  struct Fiber { ucontext_t c; std::unique_ptr<char[]> stack; bool done = false; int waits = 0; uint64_t gen = 0; };
  std::vector<std::unique_ptr<Fiber>> f; ucontext_t main; int cur = 0; std::mt19937 rng{1};
  uint64_t block_gen = 0; int block_in = 0; std::vector<uint64_t> warp_gen; std::vector<int> warp_in; std::vector<uint32_t> slot; std::vector<uint64_t> slot64;
  dim3 tid, bid, bdim, gdim; std::function<void()> body;
  void yield() { swapcontext(&f[cur]->c, &main); }
  void sync(int kind) {
    Fiber &me = *f[cur]; int t = cur;
    if (kind == 1) { me.gen = block_gen; me.waits = 1; if (++block_in == live()) { block_in = 0; ++block_gen; } while (block_gen == me.gen) yield(); }
    else { int w = t / 32; me.gen = warp_gen[w]; if (++warp_in[w] == 32) { warp_in[w] = 0; ++warp_gen[w]; } while (warp_gen[w] == me.gen) yield(); }
    me.waits = 0;
  }
  int live() { int n = 0; for (auto &x : f) n += !x->done; return n; }
  static void entry();
  void run_block(unsigned b) {
    int n = bdim.x; f.clear(); block_in = 0; warp_gen.assign(n / 32, 0); warp_in.assign(n / 32, 0); slot.assign(n, 0); slot64.assign(n, 0); bid.x = b;
    for (int i = 0; i < n; ++i) { f.push_back(std::make_unique<Fiber>()); Fiber &x = *f.back(); x.stack.reset(new char[64 << 10]); getcontext(&x.c); x.c.uc_stack.ss_sp = x.stack.get(); x.c.uc_stack.ss_size = 64 << 10; x.c.uc_link = &main; makecontext(&x.c, entry, 0); }
    std::vector<int> order(n); for (int i = 0; i < n; ++i) order[i] = i; int left = n; uint64_t idle = 0;
    while (left) { std::shuffle(order.begin(), order.end(), rng); for (int i : order) if (!f[i]->done) { cur = i; tid.x = i; swapcontext(&main, &f[i]->c); if (f[i]->done) --left; } if (++idle > 2000000) { printf("deadlock\n"); exit(1); } }
    if (block_in) { printf("some left at a barrier\n"); exit(1); }
  }
};
extern Emu emu;
#define threadIdx (emu.tid)
#define blockIdx (emu.bid)
#define blockDim (emu.bdim)
#define gridDim (emu.gdim)
inline void __syncthreads() { int me = emu.cur; emu.sync(1); emu.tid.x = me; }
inline void __syncwarp() { emu.sync(2); }
template <class F> inline uint32_t warp_all(uint32_t v, F f) { int t = emu.cur, w = t / 32 * 32; emu.slot[t] = v; emu.sync(2); uint32_t r = emu.slot[w]; for (int i = 1; i < 32; ++i) r = f(r, emu.slot[w + i]); emu.sync(2); return r; }
inline uint32_t __reduce_max_sync(uint32_t, uint32_t v) { return warp_all(v, [](uint32_t a, uint32_t b) { return std::max(a, b); }); }
inline uint32_t __reduce_add_sync(uint32_t, uint32_t v) { return warp_all(v, [](uint32_t a, uint32_t b) { return a + b; }); }
inline uint32_t __shfl_down_sync(uint32_t, uint32_t v, int by) { int t = emu.cur; emu.slot[t] = v; emu.sync(2); uint32_t r = t % 32 + by < 32 ? emu.slot[t + by] : v; emu.sync(2); return r; }
template <class T> T atomicAdd(T *p, T v) { T o = *p; *p += v; return o; }
inline uint32_t atomicAdd(uint32_t *p, int v) { uint32_t o = *p; *p += v; return o; }
template <class T> T atomicMax(T *p, T v) { T o = *p; *p = std::max(o, v); return o; }
inline void __threadfence() {}
template <class T> T __ldcg(const T *p) { return *p; }
inline uint32_t __float_as_uint(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
inline float __int_as_float(int x) { float u; memcpy(&u, &x, 4); return u; }
using std::min; using std::max;
