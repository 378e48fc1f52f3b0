#include "emu.h"
Emu emu;
void Emu::entry() { emu.body(); emu.f[emu.cur]->done = true; }
#define EMU
#include "gen/split.cpp"
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <random>
#include "cuda_fp16.h"
#include "emu_cuda.h"
#include <algorithm>
#include "gemm/wgmma/wgmma_split.h"
#include "gemm/wgmma/wgmma_results.h"
using namespace gpuopt;
#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
struct Op { std::vector<float> host; float *dev = nullptr; char *to; int32_t *exps; WgmmaSplitOperand o; };
static gpuopt_device_facts facts;
Op make(int64_t lines, int64_t k, int64_t mats, bool along, int64_t pad, int64_t off, int kind, bool small, char *strips) {
  Op x; int64_t ld = (along ? k : lines) + pad, rows = along ? lines : k, step = rows * ld, n = step * mats + off;
  CK(cudaMalloc(&x.dev, n * 4));
  if (small) {
    x.host.resize(n); std::mt19937 e(lines * 31 + k); std::normal_distribution<float> d;
    for (auto &v : x.host) v = d(e);
    if (kind == 1) for (auto &v : x.host) v = std::max(v, 0.f);
    if (kind == 2) for (int64_t i = 0; i < n; ++i) if (e() % 50 == 0) x.host[i] *= 1e-9f;
    if (kind == 3) x.host[off + (n - off) / 2] = NAN;
    CK(cudaMemcpy(x.dev, x.host.data(), n * 4, cudaMemcpyHostToDevice));
  } else ;
  int64_t pitch = (k * 4 + 127) / 128 * 128;
  CK(cudaMalloc(&x.to, pitch * lines * mats)); CK(cudaMemset(x.to, 0xff, pitch * lines * mats));
  CK(cudaMalloc(&x.exps, lines * mats * 4));
  const float *from = x.dev + off;
  bool v = ((uintptr_t)from % 16 == 0) && ld % 4 == 0 && (mats == 1 || step % 4 == 0);
  x.o = {from, ld, step, along, v, x.to, pitch, pitch * lines, lines, k, mats, x.exps, (WgmmaSplitStrip *)strips};
  return x;
}
struct Facts { WgmmaLines l = {}; };
bool check(const Op &x, int64_t off, WgmmaLines &found) {
  const auto &o = x.o; std::vector<char> to(o.to_batch_pitch * o.matrices); std::vector<int32_t> ex(o.lines * o.matrices);
  CK(cudaMemcpy(to.data(), x.to, to.size(), cudaMemcpyDeviceToHost)); CK(cudaMemcpy(ex.data(), x.exps, ex.size() * 4, cudaMemcpyDeviceToHost));
  int64_t bad = 0; found = {};
  for (int64_t p = 0; p < o.matrices; ++p) for (int64_t l = 0; l < o.lines; ++l) {
    const auto at = [&](int64_t i) { return x.host[off + p * o.batch_step + (o.along_k ? l * o.ld + i : i * o.ld + l)]; };
    float most = 0; bool nan = false; for (int64_t i = 0; i < o.k; ++i) { most = std::max(most, std::fabs(at(i))); nan |= !std::isfinite(at(i)); }
    if (nan) { found.bad = 1; continue; }
    if (most == 0) continue;
    int e = std::ilogb(most); if (ex[p * o.lines + l] != e - 14) { if (bad++ < 3) printf("exp %ld %ld: %d %d\n", (long)p, (long)l, ex[p * o.lines + l], e - 14); }
    uint32_t small = 0, in[2] = {};
    for (int64_t i = 0; i < (o.k + 31) / 32 * 32; ++i) {
      float v = i < o.k ? at(i) : 0, s = std::ldexp(v, 14 - e); __half h = __float2half_rn(s), lo = __float2half_rn(s - __half2float(h));
      float a = std::fabs(__half2float(h)); small += v != 0 && a < 0.25f; in[0] += a >= 256; in[1] += a >= 4;
      const char *w = to.data() + p * o.to_batch_pitch + l * o.to_pitch + i / 32 * 128 + i % 32 * 2;
      if (memcmp(w, &h, 2) || memcmp(w + 64, &lo, 2)) { if (bad++ < 3) printf("part p %ld l %ld k %ld\n", (long)p, (long)l, (long)i); }
    }
    found.small = std::max(found.small, small);
    for (int j = 0; j < 2; ++j) { uint32_t lack = o.k - in[j]; found.all[j] = std::max(found.all[j], lack); if (small) found.uneven[j] = std::max(found.uneven[j], lack); }
  }
  return bad == 0;
}
int main(int argc, char **argv) {
  CK(cudaSetDevice(0)); int sms; CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0)); facts.sm_count = sms; facts.cc = 90;
  char *zero; size_t zb = 4 << 20; CK(cudaMalloc(&zero, zb)); CK(cudaMemset(zero, 0, zb)); char *res; CK(cudaMalloc(&res, 4096)); CK(cudaMemset(res, 0, 4096));
  char err[256] = ""; gpuopt_launch launch = {}; launch.error = err; launch.error_bytes = sizeof err; cudaStream_t st; CK(cudaStreamCreate(&st)); launch.stream = (decltype(launch.stream))st;
  gpuopt_problem pr = {}; pr.device = &facts;
  const auto split_of = [&](Op &a, Op &b) { pr.k = a.o.k; return WgmmaSplit{a.o, b.o, (WgmmaSplitState *)zero, (WgmmaSplitResult *)res}; };
  int failures = 0;
  const bool timing = argc > 1;
  if (!timing) {
  struct Case { int64_t m, n, k, mats; bool aa, ab; int64_t pad, off; int kind; } cases[] = {
    {64, 64, 64, 1, true, false, 0, 0, 0}, {5, 7, 3, 1, true, false, 0, 0, 0}, {130, 70, 300, 1, true, true, 0, 0, 0}, {130, 72, 300, 1, false, false, 0, 0, 0}, {131, 70, 301, 3, true, false, 1, 1, 2},
    {131, 70, 301, 3, false, true, 3, 2, 1}, {33, 65, 4096, 1, true, false, 0, 0, 2}, {33, 65, 4101, 1, true, false, 0, 0, 0}, {7, 66, 17000, 1, true, false, 4, 0, 0}, {7, 66, 17001, 2, true, false, 0, 3, 2}, {40, 64, 1025, 2, true, false, 3, 0, 3}, {9, 68, 2048, 5, false, false, 0, 0, 1}, {300, 260, 640, 1, true, false, 0, 0, 3}, {1, 1, 1, 1, true, false, 0, 0, 0}};
  for (auto &c : cases) {
    char *strips = zero + 256; Op a = make(c.m, c.k, c.mats, c.aa, c.pad, c.off, 0, true, strips);
    Op b = make(c.n, c.k, c.mats, c.ab, c.pad, c.off, c.kind, true, strips + (1 << 20));
    CK(cudaMemset(res, 0xff, 4096));
    WgmmaSplit s = split_of(a, b);
    for (int r = 0; r < 2; ++r) if (wgmma_split(pr, &launch, s) != GPUOPT_OK) { printf("launch: %s\n", err); return 1; }
    CK(cudaStreamSynchronize(st));
    WgmmaLines want[2]; bool ok = check(a, c.off, want[0]) & check(b, c.off, want[1]);
    WgmmaSplitResult r; CK(cudaMemcpy(&r, res, sizeof r, cudaMemcpyDeviceToHost));
    if (memcmp(r.lines, want, sizeof want)) { ok = false; for (int i = 0; i < 2; ++i) for (int w = 0; w < 6; ++w) printf("%u/%u ", ((uint32_t *)&r.lines[i])[w], ((uint32_t *)&want[i])[w]); printf("\n"); }
    uint32_t path = wgmma_split_fits(want[0], want[1], c.k) ? kWgmmaByParts : kWgmmaStrict; if (r.path != path) { ok = false; printf("path %u want %u\n", r.path, path); }
    std::vector<char> z(zb); CK(cudaMemcpy(z.data(), zero, zb, cudaMemcpyDeviceToHost)); if (std::any_of(z.begin(), z.end(), [](char v) { return v != 0; })) { ok = false; printf("not zero after\n"); CK(cudaMemset(zero, 0, zb)); }
    printf("%s m %ld n %ld k %ld x %ld along %d %d pad %ld off %ld kind %d path %u\n", ok ? "ok  " : "FAIL", (long)c.m, (long)c.n, (long)c.k, (long)c.mats, c.aa, c.ab, (long)c.pad, (long)c.off, c.kind, path); fflush(stdout);
    failures += !ok; for (Op *x : {&a, &b}) { cudaFree(x->dev); cudaFree(x->to); cudaFree(x->exps); }
  }
  printf("%d failures\n", failures);
  return failures != 0; }
  CK(cudaDeviceSynchronize());
}
