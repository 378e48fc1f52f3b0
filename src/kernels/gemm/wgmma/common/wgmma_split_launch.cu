// wgmma_split_launch.h on the host.
#include "gemm/wgmma/wgmma_split_launch.h"

#include "gemm/warptile/warptile_guarded.h"
#include "gemm/wgmma/wgmma_cut.h"

namespace gpuopt {
namespace {

// Of a matrix in fp32: whether all that begins a multiple of four elements from its beginning lies on 16 bytes.
bool on_16(const void *data, int64_t pitch, int64_t batch_pitch) {
  return (reinterpret_cast<uintptr_t>(data) | static_cast<uint64_t>(pitch * 4) |
          static_cast<uint64_t>(batch_pitch * 4)) %
             16 ==
         0;
}

}  // namespace

WgmmaSplit wgmma_split_of(const gpuopt_problem &problem, const WgmmaScratch &scratch, const gpuopt_launch *launch,
                          bool packs_a, bool packs_b, const WgmmaOperands &to, WgmmaSpan m, WgmmaSpan n,
                          WgmmaSpan batch) {
  char *const kept = scratch.split(launch);
  const int64_t lines_a = wgmma_split_lines(problem, GPUOPT_OPERAND_A);
  auto *const exponents = reinterpret_cast<int32_t *>(kept + kWgmmaSplitHead);
  auto *const strips = reinterpret_cast<WgmmaSplitStrip *>(static_cast<char *>(launch->zeroed) + kWgmmaSplitHead);
  const auto operand = [&](int index, bool packs, const WgmmaView &parts, WgmmaSpan part) {
    const WgmmaView from = wgmma_view(problem, index, part, batch);
    const gpuopt_matrix &x = problem.operand[index].m;
    const bool is_a = index == GPUOPT_OPERAND_A;
    return WgmmaSplitOperand{reinterpret_cast<const float *>(from.data),
                             x.ld,
                             x.batch_stride,
                             wgmma_along_k(problem, index),
                             on_16(from.data, x.ld, x.batch_stride),
                             parts.data,
                             parts.pitch,
                             parts.batch_pitch,
                             part.count,
                             problem.k,
                             packs ? (wgmma_broadcasts(problem, index) ? 1 : batch.count) : 0,
                             exponents + (is_a ? 0 : lines_a),
                             strips + (is_a ? 0 : wgmma_split_strips(problem, GPUOPT_OPERAND_A))};
  };
  return {operand(GPUOPT_OPERAND_A, packs_a, to.a, m), operand(GPUOPT_OPERAND_B, packs_b, to.b, n),
          static_cast<WgmmaSplitState *>(launch->zeroed), reinterpret_cast<WgmmaSplitResult *>(kept)};
}

gpuopt_status wgmma_strict(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name,
                           const WgmmaStore &store, WgmmaSpan m, WgmmaSpan n, WgmmaSpan batch) {
  const auto operand = [&](int index, WgmmaSpan part) {
    const WgmmaView view = wgmma_view(problem, index, part, batch);
    const gpuopt_matrix &x = problem.operand[index].m;
    return WarptileOperand{reinterpret_cast<const float *>(view.data), x.ld, x.batch_stride,
                           wgmma_along_k(problem, index)};
  };
  const auto way = [&](int index, int64_t extent) {
    return WarptileWay{warptile_copy_bytes(problem.operand[index], wgmma_along_k(problem, index), extent), false};
  };
  Warptile w = {};
  w.m = m.count;
  w.n = n.count;
  w.k = problem.k;
  w.a = operand(GPUOPT_OPERAND_A, m);
  w.b = operand(GPUOPT_OPERAND_B, n);
  w.out = {static_cast<float *>(store.d),
           static_cast<const float *>(store.c),
           store.d_pitch,
           store.d_batch,
           store.c_pitch,
           store.c_batch,
           store.alpha,
           store.beta,
           store.alpha_ptr,
           store.beta_ptr};
  w.packed = on_16(store.d, store.d_pitch, store.d_batch) &&
             (store.c == nullptr || on_16(store.c, store.c_pitch, store.c_batch));
  return warptile_guarded(launch, name, {m.count, n.count, problem.k, batch.count, problem.device, 0}, w,
                          way(GPUOPT_OPERAND_A, m.count), way(GPUOPT_OPERAND_B, n.count), store.scaling.path);
}

}  // namespace gpuopt
