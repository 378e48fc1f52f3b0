// One short side (at most 64): contiguous pieces of the side with the short rows, streams along the long side.
//
// Data movement: skinny.cuh. Tiles would leave most of their threads idle and touch runs of a few bytes.
// Needs: the shorter extent at most 64. Any ld, alignment and batch; fast where the short rows are packed and their
// base is a multiple of 16 bytes.
// Recorded (H200, 2026-11-21, single call, cold): 4194304 x 3 f32 27.8 us, 93 % of copy, in a graph 98 % (geam 436 us);
// 3 x 4194304 27.7 us, 97 % (geam 443 us).
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 16 x 4194304 f32 97 % of copy, bf16 94 %, i8 92
// %.
#include "skinny.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_skinny";
constexpr int64_t kWidest = 64;
constexpr int kPieceBytes = 16 * 1024;
constexpr int kShortest = 4, kLongest = 12;  // log2 of a stream's share of a piece; 2^4 elements keep pieces aligned

bool rows_are_short(const gpuopt_problem &problem) { return problem.n <= problem.m; }

SkinnyWork plan(const gpuopt_problem &problem, int64_t *pieces) {
  const bool from_packed = rows_are_short(problem);
  const gpuopt_operand &packed = problem.operand[from_packed ? GPUOPT_OPERAND_SRC : GPUOPT_OPERAND_DST];
  const gpuopt_operand &streams = problem.operand[from_packed ? GPUOPT_OPERAND_DST : GPUOPT_OPERAND_SRC];
  SkinnyWork work = {};
  work.packed = packed.m.data;
  work.streams = streams.m.data;
  work.packed_step = packed.m.batch_stride;
  work.streams_step = streams.m.batch_stride;
  work.packed_ld = packed.m.ld;
  work.streams_ld = streams.m.ld;
  work.length = from_packed ? problem.m : problem.n;
  work.width = static_cast<int32_t>(from_packed ? problem.n : problem.m);
  const int bytes = word_bytes(problem);
  const auto piece_bytes = [&](int log2) { return int64_t{work.width} * bytes << log2; };
  const auto count = [&](int log2) { return ceil_div(work.length, int64_t{1} << log2) * problem.batch; };
  int log2 = kLongest;
  while (log2 > kShortest && (piece_bytes(log2) > kPieceBytes || count(log2) < 2 * problem.device->sm_count)) --log2;
  work.log2_piece = log2;
  work.gaps = work.width % 2 == 0;
  work.vectors = work.packed_ld == work.width && packed.align >= 16 && packed.stride_align >= 16;
  work.stream_vectors = streams.align >= 16 && streams.ld_align >= 16 && streams.stride_align >= 16;
  *pieces = count(log2);
  work.per_matrix = Divider(ceil_div(work.length, int64_t{1} << log2), *pieces);
  work.per_row = Divider(work.width, int64_t{work.width} << log2);
  return work;
}

int smem_bytes(const SkinnyWork &work, int bytes) {
  const int piece = work.width * bytes << work.log2_piece;
  return piece + ceil_div(piece, 128) * (bytes < 4 ? 4 : bytes);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int64_t shorter = problem->n < problem->m ? problem->n : problem->m;
  if (shorter <= kWidest) return 1;
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, shorter, kWidest, "the shorter extent"};
  return 0;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  int64_t pieces;
  const SkinnyWork work = plan(*problem, &pieces);
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return launch_kernel(
        early_launch(*problem), launch, kName, dim3(static_cast<unsigned>(pieces)), dim3(kSkinnyThreads),
        smem_bytes(work, kBytes),
        rows_are_short(*problem) ? transpose_skinny_kernel<kBytes, true> : transpose_skinny_kernel<kBytes, false>,
        work);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return load_kernel(
        launch, kName,
        rows_are_short(*problem) ? transpose_skinny_kernel<kBytes, true> : transpose_skinny_kernel<kBytes, false>);
  });
}

// Fitted on an H200, by log2 of the element size. Where the short rows have gaps or are not aligned, elements go one by
// one.
constexpr double kFraction[] = {0.62, 0.80, 0.83, 0.83, 0.80};

double predict_us(const gpuopt_problem *problem) {
  int64_t pieces;
  const SkinnyWork work = plan(*problem, &pieces);
  const double vectors = (work.vectors ? 1 : 0.5) * (work.stream_vectors ? 1 : 0.8);
  const double moved = transpose_us(*problem, 0, vectors * kFraction[word_log2(*problem)]);
  const double blocks = static_cast<double>(pieces) * 0.004 * 132 / problem->device->sm_count;
  return 3.9 + (moved > blocks ? moved : blocks);
}

#define GPUOPT_RESOURCES_(kBytes)                                                                         \
  {kSkinnyThreads, kPieceBytes, reinterpret_cast<const void *>(transpose_skinny_kernel<kBytes, true>)}, { \
    kSkinnyThreads, kPieceBytes, reinterpret_cast<const void *>(transpose_skinny_kernel<kBytes, false>)   \
  }
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      transpose_kernel(kName, "one short side: contiguous pieces on it, streams on the other", kViewFeatures);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
