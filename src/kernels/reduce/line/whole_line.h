// The kernel of reduce_one_launch as the host knows it.
#pragma once

#include "common/dtypes.cuh"
#include "reduce/common/output.cuh"

namespace gpuopt {

constexpr int64_t kTicketBytes = 256;  // of the zeroed memory, before the slots

// Whether the partials of an ARG are words of a key and a position (best_element.cuh), and the most elements of a line
// then. Positions stay below 0xfffffffe.
constexpr bool is_best_element(int dtype, int op) { return op == kArg && computed_dtype(dtype) == GPUOPT_F32; }
constexpr int64_t kMostElementsOfWord = 0xffffff00;

// Threads of a block: the larger reads faster, the smaller shares a small line among more blocks, and joins sooner.
constexpr int kWholeThreads = 512, kFewThreads = 256;
// Vectors of a thread under way, and blocks of kWholeThreads of a multiprocessor that they leave registers for.
constexpr bool is_sum_of_bytes(int dtype, int op) {
  return (dtype == GPUOPT_I8 || dtype == GPUOPT_U8) && op != kArg && op != kExtreme;
}
constexpr int whole_loads(int dtype, int op) { return dtype_bytes(dtype) > 1 || is_sum_of_bytes(dtype, op) ? 4 : 2; }
constexpr int whole_blocks(int dtype, int op) {
  if ((op == kArg && (dtype_bytes(dtype) == 1 || !is_best_element(dtype, op))) || op == kExtreme) return 2;
  if (dtype == GPUOPT_F32) return 4;
  const bool is_plain = (op == kSum && (dtype == GPUOPT_I32 || dtype == GPUOPT_I64)) || is_sum_of_bytes(dtype, op);
  return is_plain || dtype == GPUOPT_F16 || dtype == GPUOPT_BF16 ? 3 : 2;
}
// Whether lines may be rows of the grid.
constexpr bool has_rows(int dtype, int op) { return (op == kSum || op == kArg) && is_common_float(dtype); }
// What every block looks at, but for the slots of rows, in the first 48 bytes of the parameters: each further line of
// 64 costs a miss in the constant cache, and one at the end would be waited for.
struct WholeLine {
  const void *body;    // the line from its first 16-byte boundary
  uint64_t *zeroed;    // a ticket; slots from kTicketBytes on
  void *plain;         // PlainTotals' data; NULL: see output
  uint32_t tiles;      // of the body; a block has one at a time
  int32_t last;        // vectors of the last one
  int16_t head, ends;  // elements before the body; before and behind it
  int32_t most;        // OpState's
  bool as_x;           // PlainTotals'
  // Of rows, a ticket and a plain total each; `body` is the first row, and a block finds its own boundaries and tiles.
  int64_t step, length;  // elements from one row to the next, and of each
  uint64_t *slots;       // those of the first
};

// Where the body of a line of `length` elements is, in tiles of `tile` vectors.
inline WholeLine whole_line_of(const void *data, int64_t length, int bytes, int tile) {
  const int64_t past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) % 16);
  const int64_t before = past == 0 ? 0 : (16 - past) / bytes, head = before < length ? before : length;
  const int64_t vectors = (length - head) * bytes / 16, before_last = vectors > 0 ? (vectors - 1) / tile : 0;
  WholeLine line = {};
  line.body = static_cast<const char *>(data) + head * bytes;
  line.tiles = static_cast<uint32_t>(before_last + 1);
  line.last = static_cast<int32_t>(vectors - before_last * tile);
  line.head = static_cast<int16_t>(head);
  line.ends = static_cast<int16_t>(length - vectors * (16 / bytes));
  return line;
}

// Compiled in common/whole_line.cu.
template <int kDtype, int kOp, int kThreads = kWholeThreads, bool kRows = false>
__global__ void reduce_whole_line(const __grid_constant__ WholeLine line, const __grid_constant__ ReduceOutput output);

}  // namespace gpuopt
