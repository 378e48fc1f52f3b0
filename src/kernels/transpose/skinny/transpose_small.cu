// Many small matrices: a block takes several at a time as one contiguous piece of memory, in and out.
//
// Data movement: where matrices are packed and lie one behind the other, so do their transposes. A block reads a piece
// of whole matrices in vectors of 16 bytes into shared memory, straight on (with the gaps of skinny.cuh against bank
// conflicts), and writes the result's vectors straight on, each gathered from its elements' places: a division by the
// matrix and one by the row find the first, the others follow. Tiles would leave most of their threads idle. Matrices
// with gaps, in themselves or between them, are moved by elements on that side.
// Needs: bases that are multiples of 16 bytes, matrices of at most 16 KB (best below 4 KB).
// Predicted: near copy for elements of 4 bytes and more; each element is an access of shared memory.
#include "common/divider.cuh"
#include "transpose/common/traffic.h"
#include "transpose/skinny/figures.h"
#include "transpose/skinny/skinny.cuh"

namespace gpuopt {

constexpr int kSmallThreads = 256;

struct SmallWork {
  const unsigned char *src;
  unsigned char *dst;
  int64_t bytes;        // of all matrices
  int32_t piece_bytes;  // whole matrices and whole vectors
  int32_t matrices;     // of a piece
  int32_t m, n, gaps;
  Divider per_matrix, per_row, per_col;  // elements of a piece by m * n, of a matrix by m and by n
  int64_t src_step, src_ld, dst_step, dst_ld;
  bool src_packed, dst_packed;
};

template <int kBytes>
__global__ void __launch_bounds__(kSmallThreads, 2) transpose_small_kernel(SmallWork work) {
  extern __shared__ uint4 smem[];
  unsigned char *piece = reinterpret_cast<unsigned char *>(smem);
  constexpr int kSide = 16 / kBytes;
  const int64_t start = int64_t{blockIdx.x} * work.piece_bytes;
  const int64_t left = work.bytes - start;
  const int bytes = static_cast<int>(left < work.piece_bytes ? left : work.piece_bytes), whole = bytes / 16 * 16;
  const unsigned char *from = work.src + start;
  unsigned char *to = work.dst + start;
  const auto element = [&](int index) {
    return reinterpret_cast<Word<kBytes> *>(piece + skinny_place<kBytes>(index * kBytes, work.gaps));
  };
  const int64_t first_matrix = int64_t{blockIdx.x} * work.matrices;
  wait_for_stream();
  if (work.src_packed) fill_piece<kBytes, kSmallThreads>(piece, from, whole, work.gaps);
  for (int e = (work.src_packed ? whole / kBytes : 0) + static_cast<int>(threadIdx.x); e < bytes / kBytes;
       e += kSmallThreads) {
    int64_t in_matrix, j;
    const int64_t p = first_matrix + work.per_matrix.divide(e, in_matrix);
    const int64_t i = work.per_col.divide(in_matrix, j);
    *element(e) = reinterpret_cast<const Word<kBytes> *>(work.src)[p * work.src_step + i * work.src_ld + j];
  }
  __syncthreads();

  if (!work.dst_packed) {
    for (int e = static_cast<int>(threadIdx.x); e < bytes / kBytes; e += kSmallThreads) {
      int64_t in_matrix, i;
      const int64_t p = work.per_matrix.divide(e, in_matrix), j = work.per_row.divide(in_matrix, i);
      reinterpret_cast<Word<kBytes> *>(work.dst)[(first_matrix + p) * work.dst_step + j * work.dst_ld + i] =
          *element(static_cast<int>(p * work.m * work.n + i * work.n + j));
    }
    return;
  }
  for (int b = static_cast<int>(threadIdx.x) * 16; b < bytes; b += kSmallThreads * 16) {
    int64_t in_matrix, in_row;
    int first = static_cast<int>(work.per_matrix.divide(b / kBytes, in_matrix)) * work.m * work.n;
    int j = static_cast<int>(work.per_row.divide(in_matrix, in_row)), i = static_cast<int>(in_row);
    union {
      Word<kBytes> element[kSide];
      uint4 all;
    } gathered;
#pragma unroll
    for (int k = 0; k < kSide; ++k) {
      if (b + k * kBytes < bytes) gathered.element[k] = *element(first + i * work.n + j);
      if (++i == work.m) {
        i = 0;
        if (++j == work.n) {
          j = 0;
          first += work.m * work.n;
        }
      }
    }
    if (b < whole) {
      *reinterpret_cast<uint4 *>(to + b) = gathered.all;
    } else {
#pragma unroll
      for (int k = 0; k < kSide; ++k) {
        if (b + k * kBytes < bytes) reinterpret_cast<Word<kBytes> *>(to + b)[k] = gathered.element[k];
      }
    }
  }
}

namespace {

constexpr char kName[] = "transpose_small";
constexpr int kPiecesAtOnce = 8;            // of a multiprocessor
constexpr int64_t kLargest = 16 * 1024;     // bytes of a matrix
constexpr int64_t kPieceBytes = 16 * 1024;  // most of a piece that has a choice
constexpr int64_t kMostPiece = 40 * 1024;   // without a choice: as many odd matrices as make whole vectors

int64_t matrix_bytes(const gpuopt_problem &problem) { return problem.m * problem.n * word_bytes(problem); }

int64_t piece_bytes(const gpuopt_problem &problem) {
  const int64_t matrix = matrix_bytes(problem);
  int64_t vectors = 1;  // matrices that make whole vectors together
  while (matrix * vectors % 16 != 0) vectors *= 2;
  const int64_t group = matrix * vectors;
  const int64_t blocks = int64_t{2} * problem.device->sm_count;
  int64_t groups = kPieceBytes / group;
  if (groups * blocks * vectors > problem.batch) groups = problem.batch / (blocks * vectors);
  return group * (groups > 1 ? groups : 1);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int64_t matrix = matrix_bytes(*problem);
  if (matrix > kLargest)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, matrix, kLargest, "bytes of a matrix");
  if (matrix == 0 || piece_bytes(*problem) <= kMostPiece) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, piece_bytes(*problem), kMostPiece,
                "bytes of matrices that make whole vectors together");
}

// One behind the other without a gap.
bool is_packed(const gpuopt_problem &problem, int operand) {
  const gpuopt_matrix &m = problem.operand[operand].m;
  return m.ld == m.cols && (problem.batch == 1 || m.batch_stride == problem.m * problem.n);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const int64_t piece = piece_bytes(*problem), matrix = problem->m * problem->n;
  const int bytes = word_bytes(*problem);
  SmallWork work = {};
  work.src = static_cast<const unsigned char *>(problem->operand[GPUOPT_OPERAND_SRC].m.data);
  work.dst = static_cast<unsigned char *>(problem->operand[GPUOPT_OPERAND_DST].m.data);
  work.bytes = problem->batch * matrix_bytes(*problem);
  work.piece_bytes = static_cast<int32_t>(piece);
  work.m = static_cast<int32_t>(problem->m);
  work.n = static_cast<int32_t>(problem->n);
  work.gaps = problem->n % 2 == 0;
  work.per_matrix = Divider(matrix, piece / bytes);
  work.per_row = Divider(problem->m, matrix);
  work.per_col = Divider(problem->n, matrix);
  work.matrices = static_cast<int32_t>(piece / (matrix * bytes));
  const gpuopt_matrix &src = problem->operand[GPUOPT_OPERAND_SRC].m, &dst = problem->operand[GPUOPT_OPERAND_DST].m;
  work.src_step = src.batch_stride;
  work.src_ld = src.ld;
  work.dst_step = dst.batch_stride;
  work.dst_ld = dst.ld;
  work.src_packed = is_packed(*problem, GPUOPT_OPERAND_SRC);
  work.dst_packed = is_packed(*problem, GPUOPT_OPERAND_DST);
  const dim3 blocks(static_cast<unsigned>(ceil_div(work.bytes, piece)));
  return with_bytes(*problem, [&](auto size) {
    constexpr int kBytes = decltype(size)::value;
    return launch_kernel(early_launch(*problem), launch, kName, blocks, dim3(kSmallThreads),
                         skinny_smem_bytes(piece, kBytes), transpose_small_kernel<kBytes>, work);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_bytes(*problem, [&](auto size) {
    constexpr int kBytes = decltype(size)::value;
    return load_kernel(launch, kName, transpose_small_kernel<kBytes>, skinny_smem_bytes(piece_bytes(*problem), kBytes));
  });
}

// Each element is gathered from shared memory, or goes out by itself where the result has gaps.
double predict_us(const gpuopt_problem *problem) {
  const TransposeSkinnyFigures &f = transpose_skinny_figures;
  const double shares[] = {f.small1_share, f.small2_share, f.small4_share, f.small8_share, f.small16_share};
  const double bytes = static_cast<double>(problem->batch) * static_cast<double>(matrix_bytes(*problem));
  if (bytes == 0) return f.small_us;
  const double elements = bytes / word_bytes(*problem);
  const double pieces = std::ceil(bytes / static_cast<double>(piece_bytes(*problem)));
  const double in_ns =
      is_packed(*problem, GPUOPT_OPERAND_SRC) ? bytes / 16 * f.small_vector_ns : elements * f.small_element_in_ns;
  const double out_ns =
      elements * (is_packed(*problem, GPUOPT_OPERAND_DST) ? f.small_gathered_ns : f.small_element_out_ns);
  const double us = pieces * f.small_piece_us + (in_ns + out_ns) * 1e-3;
  const Traffic traffic = traffic_of(*problem);
  const double moved = traffic.read + traffic.written + f.small_partial * traffic.partial;
  return f.small_us +
         overlapped_us(memory_us(*problem, moved, shares[word_log2(*problem)]), us / problem->device->sm_count,
                       f.small_overlap) +
         f.small_last * us / pieces * kPiecesAtOnce;
}

#define GPUOPT_RESOURCES_(kBytes)                                      \
  {                                                                    \
    kSmallThreads, skinny_smem_bytes(kPieceBytes, kBytes),             \
        reinterpret_cast<const void *>(transpose_small_kernel<kBytes>) \
  }
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      transpose_kernel(kName, "many small packed matrices: contiguous pieces of whole matrices", kViewFeatures);
  k.align[GPUOPT_OPERAND_SRC] = k.align[GPUOPT_OPERAND_DST] = 16;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
