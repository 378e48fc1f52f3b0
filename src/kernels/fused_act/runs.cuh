// How the vector kernels of fused_act cut out into runs: K neighbours of a row, one run a thread.
//
// A line is cut at multiples of K elements from an address that is aligned to the run's bytes, so stores are whole
// vectors wherever out's base lies; the first and last run of a line (the peeled head and tail) move element by
// element. Operands that lie otherwise are read by aligned accesses too, one more than whole vectors need, and shifted
// into place. Where every matrix is packed all of it is one line, and an odd width costs only that and the runs that
// cross into the next row, whose vector operands are read element by element. Otherwise a line is a row, and a block
// takes several short rows. Positions within a line are 32-bit, which is most of the speed; where lines begin is
// 64-bit.
#ifndef GPUOPT_KERNELS_FUSED_ACT_RUNS_CUH
#define GPUOPT_KERNELS_FUSED_ACT_RUNS_CUH

#include "common/bits.cuh"
#include "common/index.cuh"

namespace gpuopt {

constexpr int kRunThreads = 256;

// The compiler needs a few registers more for newer devices.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int kFewerBlocks = 1;
#else
constexpr int kFewerBlocks = 0;
#endif

// Division of 0 <= n < 2^31 by a constant of the launch, as index.cuh's Divider in 32 bits.
struct SmallDivider {
  int32_t d;
  uint32_t magic, shift;  // 0, 0 for 1

  SmallDivider() = default;
  explicit SmallDivider(int64_t divisor) : d(static_cast<int32_t>(divisor)), magic(0), shift(0) {
    if (divisor <= 1) return;
    int log2 = 0;
    while ((int64_t{1} << log2) < divisor) ++log2;
    magic = static_cast<uint32_t>((uint64_t{1} << (31 + log2)) / static_cast<uint64_t>(divisor) + 1);
    shift = static_cast<uint32_t>(log2 - 1);
  }
  __device__ __forceinline__ int32_t divide(int32_t n, int32_t &remainder) const {
    const int32_t q = magic == 0 ? n : static_cast<int32_t>(__umulhi(static_cast<uint32_t>(n), magic) >> shift);
    remainder = n - q * d;
    return q;
  }
};

struct Runs {
  bool flat;       // one line
  bool by_vector;  // flat: some operand needs (i, j)
  int32_t across;  // log2 of the threads along a row, where not flat
  int32_t length;  // elements of a line
  int32_t rows, cols;
  SmallDivider by_cols, by_rows, by_blocks;  // blocks along a row, where not flat
};

// A run: elements e + begin to e + end - 1 of its line; e is negative in a head.
struct Spot {
  int32_t e, begin, end;
  int32_t p, i, j;  // of its first element, in a line of all: where asked for
};

// Where the run's line begins in an operand.
__device__ __forceinline__ int64_t line_offset(const View &view, const Runs &runs, const Spot &spot) {
  return runs.flat ? 0 : spot.p * view.batch_step + spot.i * view.row_step;
}
template <class T>
__device__ __forceinline__ T *run_of(const View &view, const Runs &runs, const Spot &spot) {
  return static_cast<T *>(view.data) + line_offset(view, runs, spot) + spot.e;
}

// This thread's run; false where there is none.
template <int K>
__device__ __forceinline__ bool find_spot(const Runs &runs, const View &out, int out_bytes, Spot &spot) {
  int32_t run;
  spot = {};
  if (runs.flat) {
    run = static_cast<int32_t>(blockIdx.x * kRunThreads + threadIdx.x);
  } else {
    const uint32_t down = kRunThreads >> runs.across;
    int32_t block;
    const int32_t row_block = runs.by_blocks.divide(static_cast<int32_t>(blockIdx.x), block);
    run = (block << runs.across) + static_cast<int32_t>(threadIdx.x & ((1u << runs.across) - 1));
    spot.i = static_cast<int32_t>(static_cast<uint32_t>(row_block) * down + (threadIdx.x >> runs.across));
    if (spot.i >= runs.rows) return false;
    spot.p = static_cast<int32_t>(blockIdx.y);
  }
  const auto start = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(out.data)) +
                     static_cast<uint32_t>(line_offset(out, runs, spot)) * static_cast<uint32_t>(out_bytes);
  const uint32_t access = K * out_bytes < 16 ? static_cast<uint32_t>(K * out_bytes) : 16u;
  const int32_t e = run * K - static_cast<int32_t>((start & (access - 1)) / static_cast<uint32_t>(out_bytes));
  const int32_t left = runs.length - e;
  if (left <= 0) return false;
  spot.e = e;
  spot.begin = e < 0 ? -e : 0;
  spot.end = left < K ? left : K;
  spot.j = e;
  if (runs.flat && runs.by_vector && e > 0) {
    spot.p = runs.by_rows.divide(runs.by_cols.divide(e, spot.j), spot.i);
  }
  return true;
}

template <int K>
__device__ __forceinline__ bool is_whole(const Spot &spot) {
  return spot.end - spot.begin == K;
}
template <class T, int K>
__device__ __forceinline__ bool is_aligned(const T *address) {
  return reinterpret_cast<uintptr_t>(address) % kAccessBytes<T, K> == 0;
}

// K elements out of words that begin up to an access before them: w has an access more than whole vectors need.
template <class T, int K>
__device__ __forceinline__ Bits<T, K> shift_words(uint32_t (&w)[Bits<T, K>::kWords + kAccessBytes<T, K> / 4],
                                                  uint32_t misfit) {
  constexpr int kWords = Bits<T, K>::kWords, kStep = kAccessBytes<T, K> / 4, kAll = kWords + kStep;
#pragma unroll
  for (int s = kStep / 2; s > 0; s /= 2) {
    // By a mask: between two array elements the compiler would choose by address, in local memory.
    const uint32_t moves = (misfit & (4 * s)) != 0 ? 0xffffffffu : 0;
#pragma unroll
    for (int i = 0; i + s < kAll; ++i) w[i] ^= (w[i] ^ w[i + s]) & moves;
  }
  Bits<T, K> bits;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    if constexpr (sizeof(T) < 4)
      bits.w[i] = __funnelshift_r(w[i], w[i + 1], (misfit & 3) * 8);
    else
      bits.w[i] = w[i];
  }
  return bits;
}

// The same K elements from an address that is no multiple of an access: one aligned access more, and the wanted bytes
// shifted out of them. Each access has some wanted byte.
template <class T, int K>
__device__ __forceinline__ Bits<T, K> load_shifted(const Access<kAccessBytes<T, K>> *pieces, uint32_t misfit) {
  constexpr int kStep = kAccessBytes<T, K> / 4, kAll = Bits<T, K>::kWords + kStep;
  uint32_t w[kAll];
#pragma unroll
  for (int i = 0; i < kAll; i += kStep) {
    const Access<kAccessBytes<T, K>> piece = pieces[i / kStep];
#pragma unroll
    for (int j = 0; j < kStep; ++j) w[i + j] = piece.w[j];
  }
  return shift_words<T, K>(w, misfit);
}

template <class T, int K>
__device__ __forceinline__ Bits<T, K> load_shifted(const T *from) {
  constexpr int kBytes = kAccessBytes<T, K>;
  const auto misfit = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from)) & (kBytes - 1);
  const auto *pieces = reinterpret_cast<const Access<kBytes> *>(reinterpret_cast<const char *>(from) - misfit);
  return load_shifted<T, K>(pieces, misfit);
}

// Whether a run's elements of an operand are neighbours in memory that it can read by aligned accesses alone; then
// load_near reads them. Those that are not are the first and last runs of a line, runs that cross into the next row
// (vector operands only), and vectors of a stride. Accesses that are shifted stay within the line.
struct Near {
  int64_t offset;  // of the run's element 0
  bool near;
};
template <int K, int kElementBytes>
__device__ __forceinline__ Near find_near(const View &view, const Runs &runs, const Spot &spot) {
  constexpr int kBytes = K * kElementBytes < 16 ? K * kElementBytes : 16, kBeyond = kBytes / kElementBytes;
  const bool one_line = runs.flat && view.row_step != 0 && view.col_step != 0;  // rows follow each other
  Near found = {spot.e, false};
  int32_t at = spot.e, line = runs.length;
  if (!one_line) {
    found.offset = spot.p * view.batch_step + spot.i * view.row_step + static_cast<int64_t>(spot.j) * view.col_step;
    at = spot.j;
    line = runs.cols;
  }
  const auto start = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(view.data)) +
                     static_cast<uint32_t>(found.offset) * static_cast<uint32_t>(kElementBytes);
  const auto misfit = static_cast<int32_t>((start & (kBytes - 1)) / kElementBytes);
  found.near =
      view.col_step == 1 && is_whole<K>(spot) && at >= misfit && line - at >= K + (misfit == 0 ? 0 : kBeyond - misfit);
  return found;
}
// Matrices are shifted out of whole accesses; vectors, which lie in the first-level cache, are cheaper in small ones.
template <class T, int K>
__device__ __forceinline__ Bits<T, K> load_near(const T *from, bool is_matrix) {
  if (is_aligned<T, K>(from)) return load_bits<T, K>(from);
  if (is_matrix) return load_shifted<T, K>(from);
  Bits<T, K> bits = {};
#pragma unroll
  for (int e = 0; e < K; ++e) set_element(bits, e, from[e]);
  return bits;
}

// Asks the second-level cache for what a later block will load from here.
__device__ __forceinline__ void prefetch(const void *address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

// The run's elements of an operand of any form, 0 (or any) where it has none.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> load_run_bits(const View &view, const Runs &runs, const Spot &spot) {
  const Near found = find_near<K, sizeof(T)>(view, runs, spot);
  const T *here = static_cast<const T *>(view.data) + found.offset;
  if (found.near) return load_near<T, K>(here, view.row_step != 0);
  Bits<T, K> bits = {};
  if (runs.flat && runs.cols < K) {  // a run may be several rows
    int32_t j = spot.j, i = spot.i;
#pragma unroll
    for (int e = 0; e < K; ++e) {
      if (e >= spot.begin && e < spot.end) set_element(bits, e, *here);
      here += view.col_step;
      if (++j == runs.cols) {
        j = 0;
        here += view.row_step - runs.cols * view.col_step;
        if (++i == runs.rows) {
          i = 0;
          here += view.batch_step - runs.rows * view.row_step;
        }
      }
    }
    return bits;
  }
  // The run's own row, and the next from element `left` on.
  const int32_t left = runs.flat ? runs.cols - spot.j : K;
  const T *there = here;
  if (left < K) {
    const bool last = spot.i + 1 == runs.rows;
    there = static_cast<const T *>(view.data) +
            (view.offset(spot.p + (last ? 1 : 0), last ? 0 : spot.i + 1, 0) - left * view.col_step);
  }
  if (view.col_step == 0) {
    const T v = *here, w = spot.end > left ? *there : v;
#pragma unroll
    for (int e = 0; e < K; ++e) set_element(bits, e, e < left ? v : w);
    return bits;
  }
#pragma unroll
  for (int e = 0; e < K; ++e) {
    const T *from = e < left ? here : there;
    if (e >= spot.begin && e < spot.end) set_element(bits, e, from[e * view.col_step]);
  }
  return bits;
}
template <int K, class T>
__device__ __forceinline__ void store_run_bits(const View &view, const Runs &runs, const Spot &spot,
                                               const Bits<T, K> &bits) {
  T *to = run_of<T>(view, runs, spot);
  if (is_whole<K>(spot) && is_aligned<T, K>(to)) return store_bits(to, bits);
#pragma unroll
  for (int e = 0; e < K; ++e) {
    if (e >= spot.begin && e < spot.end) to[e] = element_of(bits, e);
  }
}

// What the kernels of known types do instead, with fewer instructions: the neighbours from `from` on, as vectors where
// whole and aligned; else one by one, 0 where the run has none.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> load_elements(const T *from, const Spot &spot) {
  if (is_whole<K>(spot) && is_aligned<T, K>(from)) return load_bits<T, K>(from);
  Bits<T, K> bits = {};
  if (is_whole<K>(spot)) {
#pragma unroll
    for (int e = 0; e < K; ++e) set_element(bits, e, from[e]);
  } else {
#pragma unroll
    for (int e = 0; e < K; ++e) {
      if (e >= spot.begin && e < spot.end) set_element(bits, e, from[e]);
    }
  }
  return bits;
}
// Those of a matrix, shifted where they are not aligned.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> load_matrix(const View &view, const Runs &runs, const Spot &spot) {
  const T *from = run_of<T>(view, runs, spot);
  constexpr auto kAccess = static_cast<int32_t>(kAccessBytes<T, K> / sizeof(T));
  const bool inside = spot.e >= kAccess && runs.length - spot.e >= K + kAccess;
  if (is_whole<K>(spot) && inside && !is_aligned<T, K>(from)) return load_shifted<T, K>(from);
  return load_elements<K>(from, spot);
}

// K 16-bit elements from anywhere, in words: one element in front of them or two behind them are read as well.
template <int K, class T>
__device__ __forceinline__ Bits<T, K> load_by_words(const T *from) {
  const auto address = reinterpret_cast<uintptr_t>(from);
  const auto *words = reinterpret_cast<const uint32_t *>(address - address % 4);
  uint32_t raw[K / 2 + 1];
#pragma unroll
  for (int i = 0; i <= K / 2; ++i) raw[i] = words[i];
  Bits<T, K> bits;
#pragma unroll
  for (int i = 0; i < K / 2; ++i)
    bits.w[i] = __funnelshift_r(raw[i], raw[i + 1], static_cast<uint32_t>(address % 4) * 8);
  return bits;
}

// A vector along a row, whose elements are neighbours. A run that crosses reads its last elements for the row after its
// own. kByWords: 16-bit elements that are not aligned two at a time, which takes a few registers more.
template <int K, class T, bool kByWords>
__device__ __forceinline__ Bits<T, K> load_vector(const View &view, const Runs &runs, const Spot &spot) {
  const T *data = static_cast<const T *>(view.data);
  const T *here = data + (spot.p * view.batch_step + spot.j);
  const int32_t left = runs.cols - spot.j;
  if constexpr (kByWords) {
    static_assert(sizeof(T) == 2, "two elements a word");
    if (is_whole<K>(spot) && spot.j >= 1 && left >= K + 2 && !is_aligned<T, K>(here)) return load_by_words<K>(here);
  }
  if (left >= K) return load_elements<K, T>(here, spot);
  const T *there = data + ((spot.p + (spot.i + 1 == runs.rows ? 1 : 0)) * view.batch_step - left);
  Bits<T, K> bits = {};
#pragma unroll
  for (int e = 0; e < K; ++e) {
    if (e >= spot.begin && e < spot.end) set_element(bits, e, (e < left ? here : there)[e]);
  }
  return bits;
}

// The cut of a problem into runs of k elements; matrices: every matrix that is read or written;
// crosses_many: rows may be shorter than a run and still lie in one line. Returns the grid.
inline dim3 make_runs(const gpuopt_problem &problem, int k, const View *matrices, int matrix_count, bool has_vectors,
                      bool crosses_many, Runs &runs) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096;
  const int64_t m = problem.m, n = problem.n, batch = problem.batch;
  runs = {};
  runs.flat = m * n <= kMost / batch && (crosses_many || n >= k);
  for (int a = 0; a < matrix_count; ++a) {
    const View &v = matrices[a];
    runs.flat = runs.flat && (m == 1 || v.row_step == n) && (batch == 1 || v.batch_step == m * n);
  }
  runs.by_vector = has_vectors;
  runs.rows = static_cast<int32_t>(m);
  runs.cols = static_cast<int32_t>(n);
  runs.length = static_cast<int32_t>(runs.flat ? m * n * batch : n);
  runs.by_cols = SmallDivider(n);
  runs.by_rows = SmallDivider(m);
  const int64_t count = ceil_div(int64_t{runs.length} + k - 1, k);  // as many as a line with a head may have
  if (runs.flat) return dim3(static_cast<unsigned>(ceil_div(count, kRunThreads)));
  while ((1 << runs.across) < kRunThreads && (1 << runs.across) < count) ++runs.across;
  const int64_t blocks = ceil_div(count, int64_t{1} << runs.across);
  runs.by_blocks = SmallDivider(blocks);
  return dim3(static_cast<unsigned>(ceil_div(m, kRunThreads >> runs.across) * blocks), static_cast<unsigned>(batch));
}

// What that cut needs: rows of less than 2^31 elements, and a grid.
inline int runs_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = int64_t{1} << 30;
  const auto limit = [reject](int64_t have, int64_t most, const char *what) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, have, most, what};
    return 0;
  };
  if (problem->n > kMost) return limit(problem->n, kMost, "columns");
  if (problem->m > kMost) return limit(problem->m, kMost, "rows");
  if (problem->batch > 65535) return limit(problem->batch, 65535, "batch");
  const int64_t row_blocks = problem->n / (2 * kRunThreads) + 2;  // at least two elements a thread
  if (problem->m > kMost / row_blocks * 2) return limit(problem->m, kMost / row_blocks * 2, "rows of this length");
  return 1;
}

}  // namespace gpuopt

#endif
