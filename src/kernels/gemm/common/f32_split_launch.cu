// f32_split_launch.h on the host.
#include "gemm/common/f32_split_launch.h"

#include "gemm/warptile/warptile_guarded.h"

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

F32Split f32_split_of(const gpuopt_problem &problem, char *kept, const gpuopt_launch *launch, bool packs_a,
                      bool packs_b, const PackedOperands &to, GemmSpan m, GemmSpan n, GemmSpan batch) {
  const int64_t lines_a = f32_split_lines(problem, GPUOPT_OPERAND_A);
  auto *const exponents = reinterpret_cast<int32_t *>(kept + kF32SplitHead);
  auto *const strips = reinterpret_cast<F32SplitStrip *>(static_cast<char *>(launch->zeroed) + kF32SplitHead);
  const auto operand = [&](int index, bool packs, const GemmView &parts, GemmSpan part) {
    const GemmView from = gemm_view(problem, index, part, batch);
    const gpuopt_matrix &x = problem.operand[index].m;
    const bool is_a = index == GPUOPT_OPERAND_A;
    return F32SplitOperand{reinterpret_cast<const float *>(from.data),
                           x.ld,
                           x.batch_stride,
                           lies_along_k(problem, index),
                           on_16(from.data, x.ld, x.batch_stride),
                           parts.data,
                           parts.pitch,
                           parts.batch_pitch,
                           part.count,
                           problem.k,
                           packs ? (is_broadcast(problem, index) ? 1 : batch.count) : 0,
                           exponents + (is_a ? 0 : lines_a),
                           strips + (is_a ? 0 : f32_split_strips(problem, GPUOPT_OPERAND_A))};
  };
  return {operand(GPUOPT_OPERAND_A, packs_a, to.a, m), operand(GPUOPT_OPERAND_B, packs_b, to.b, n),
          static_cast<F32SplitState *>(launch->zeroed), reinterpret_cast<F32SplitResult *>(kept)};
}

gpuopt_status f32_split_strict(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name,
                               const PlainOutput<float> &out, const uint32_t *path, GemmSpan m, GemmSpan n,
                               GemmSpan batch) {
  const auto operand = [&](int index, GemmSpan part) {
    const GemmView view = gemm_view(problem, index, part, batch);
    const gpuopt_matrix &x = problem.operand[index].m;
    return WarptileOperand{reinterpret_cast<const float *>(view.data), x.ld, x.batch_stride,
                           lies_along_k(problem, index)};
  };
  const auto way = [&](int index, int64_t extent) {
    return WarptileWay{warptile_copy_bytes(problem.operand[index], lies_along_k(problem, index), extent), false};
  };
  Warptile w = {};
  w.m = m.count;
  w.n = n.count;
  w.k = problem.k;
  w.a = operand(GPUOPT_OPERAND_A, m);
  w.b = operand(GPUOPT_OPERAND_B, n);
  w.out = out;
  w.packed = on_16(out.d, out.d_ld, out.d_stride) && (out.c == nullptr || on_16(out.c, out.c_ld, out.c_stride));
  return warptile_guarded(launch, name, {m.count, n.count, problem.k, batch.count, problem.device, 0}, w,
                          way(GPUOPT_OPERAND_A, m.count), way(GPUOPT_OPERAND_B, n.count), path);
}

bool f32_split_can_run(const gpuopt_problem &problem, gpuopt_reject *reject) {
  if (problem.k < 1 || problem.k > kF32SplitMostK)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem.k, problem.k < 1 ? 1 : kF32SplitMostK,
                  "k") != 0;
  return warptile_guarded_can_run(&problem, reject) != 0;
}

gpuopt_status load_f32_split_launch(const gpuopt_launch *launch, const char *name) {
  const gpuopt_status status = load_f32_split(launch);
  return status == GPUOPT_OK ? load_warptile_guarded(launch, name) : status;
}

}  // namespace gpuopt
