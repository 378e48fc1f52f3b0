// One short side (at most 64): contiguous pieces of the side with the short rows, streams along the long side.
//
// Data movement: skinny.cuh. Tiles would leave most of their threads idle and touch runs of a few bytes.
// Needs: the shorter extent at most 64. Any ld, alignment and batch; fast where the short rows are packed and their
// base is a multiple of 16 bytes.
// Predicted: near copy, less for bytes, whose every element is an access of shared memory.
#include "transpose/common/traffic.h"
#include "transpose/skinny/figures.h"
#include "transpose/skinny/skinny.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_skinny";
constexpr int64_t kWidest = 64;
constexpr int kPieceBytes = 16 * 1024;
constexpr int kPiecesAtOnce = 8;             // of a multiprocessor
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

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int64_t shorter = problem->n < problem->m ? problem->n : problem->m;
  if (shorter > kWidest)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, shorter, kWidest, "the shorter extent");
  constexpr int64_t kMostPieces = (int64_t{1} << 31) - 1;  // a block each
  int64_t pieces = 0;
  if (shorter > 0 && problem->batch > 0) plan(*problem, &pieces);
  return pieces <= kMostPieces ||
         refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, pieces, kMostPieces, "pieces") != 0;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  int64_t pieces;
  const SkinnyWork work = plan(*problem, &pieces);
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return launch_kernel(
        early_launch(*problem), launch, kName, dim3(static_cast<unsigned>(pieces)), dim3(kSkinnyThreads),
        skinny_smem_bytes(work.width * kBytes << work.log2_piece, kBytes),
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

// Every access of a thread takes its time on both sides of a piece: of a vector, or of an element; those of streams walk
// along whole pieces even where a stream ends.
double predict_us(const gpuopt_problem *problem) {
  const TransposeSkinnyFigures &f = transpose_skinny_figures;
  const double shares[] = {f.skinny1_share, f.skinny2_share, f.skinny4_share, f.skinny8_share, f.skinny16_share};
  int64_t count;
  const SkinnyWork work = plan(*problem, &count);
  if (count <= 0) return f.skinny_us;
  const double pieces = static_cast<double>(count), bytes = word_bytes(*problem), width = work.width;
  const double elements = static_cast<double>(problem->batch) * static_cast<double>(work.length) * width;
  const double per_stream = static_cast<double>(int64_t{1} << work.log2_piece), slots = pieces * width * per_stream;
  const double whole = static_cast<double>(problem->batch) * static_cast<double>(work.length >> work.log2_piece);
  const double packed_ns = elements * (work.vectors ? bytes / 16 * f.packed_vector_ns : f.packed_element_ns);
  const double by_vectors = slots * (bytes / 16 * whole / pieces + 1 - whole / pieces);
  const double streams_ns = work.stream_vectors ? by_vectors * f.packed_vector_ns + slots * f.gathered_element_ns
                                                : elements * f.stream_element_ns + (slots - elements) * f.stream_end_ns;
  const double us = pieces * f.piece_us + (packed_ns + streams_ns) * 1e-3;
  const bool from_packed = rows_are_short(*problem);
  const Traffic traffic = traffic_of(*problem);
  const double length = static_cast<double>(work.length), run = (length < per_stream ? length : per_stream) * bytes;
  const double misfit = sector_misfit(problem->operand[from_packed ? GPUOPT_OPERAND_DST : GPUOPT_OPERAND_SRC]) / run;
  const double moved = traffic.read + traffic.written + f.skinny_partial * traffic.partial +
                       f.stream_misfit * (misfit < 1 ? misfit : 1) * (from_packed ? traffic.written : traffic.read);
  return f.skinny_us +
         overlapped_us(memory_us(*problem, moved, shares[word_log2(*problem)]), us / problem->device->sm_count,
                       f.skinny_overlap) +
         f.skinny_last * us / pieces * kPiecesAtOnce;
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
