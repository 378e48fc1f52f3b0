#include "gpuopt_call/place.h"

#include <algorithm>

#include "gpuopt_call/work.h"

namespace gpuopt_call {
namespace {

struct Piece {
  gpuopt_matrix *matrix;
  bool written;
  uintptr_t begin, end;  // of its bytes; without elements end is begin
  size_t group;
};

bool share(const Piece &a, const Piece &b) {
  if (a.begin == 0 || b.begin == 0) return false;
  return a.begin == b.begin || (a.begin < b.end && b.begin < a.end);
}

// group: the first of all pieces that hang together.
void join(std::vector<Piece> *all) {
  for (size_t i = 0; i < all->size(); ++i) (*all)[i].group = i;
  for (size_t i = 1; i < all->size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const size_t a = (*all)[i].group, b = (*all)[j].group;
      if (a == b || !share((*all)[i], (*all)[j])) continue;
      for (Piece &p : *all)
        if (p.group == a || p.group == b) p.group = std::min(a, b);
    }
}

void place_scalars(Call *call, const std::function<void *(const Block &)> &memory) {
  for (const Call::Operand &o : call->operands()) {
    gpuopt_matrix &m = *o.matrix;
    if (m.scale == nullptr) continue;
    Block scales;
    scales.read = true;
    scales.scalar = m.scales.block == GPUOPT_SCALE_ONE;
    scales.dtype = GPUOPT_F32;
    scales.bytes = scale_bytes(m, call->batch());
    m.scale = static_cast<const float *>(memory(scales));
  }
  const int32_t compute = call->op() == GPUOPT_OP_GEMM ? call->gemm.compute : call->gemm_grouped.compute;
  const gpuopt_dtype type = call->op() == GPUOPT_OP_GEMM ? call->gemm.a.dtype : call->gemm_grouped.a.dtype;
  const bool wide = compute == GPUOPT_COMPUTE_F64 || compute == GPUOPT_COMPUTE_I32 || type == GPUOPT_F64 ||
                    type == GPUOPT_I8;  // what DEFAULT means for these
  Block factors;
  factors.read = factors.scalar = true;
  factors.dtype = wide ? GPUOPT_F64 : GPUOPT_F32;
  factors.bytes = gpuopt_dtype_size(factors.dtype);
  for (const void **factor : call->factor_pointers())
    if (*factor != nullptr) *factor = memory(factors);
}

}  // namespace

void place(Call *call, const std::function<void *(const Block &)> &memory) {
  std::vector<Piece> pieces;
  for (const Call::Operand &o : call->operands()) {
    const auto begin = reinterpret_cast<uintptr_t>(o.matrix->data);
    const auto bytes = static_cast<uintptr_t>(std::max<int64_t>(span_bytes(*o.matrix, call->batch()), 0));
    pieces.push_back({o.matrix, o.written, begin, begin + bytes, 0});
  }
  join(&pieces);
  for (size_t first = 0; first < pieces.size(); ++first) {
    if (pieces[first].group != first) continue;
    uintptr_t begin = pieces[first].begin, end = pieces[first].end;
    Block block;
    block.dtype = pieces[first].matrix->dtype;
    for (const Piece &p : pieces) {
      if (p.group != first) continue;
      begin = std::min(begin, p.begin);
      end = std::max(end, p.end);
      (p.written ? block.written : block.read) = true;
    }
    block.bytes = static_cast<int64_t>(end - begin);
    block.offset = static_cast<int64_t>(begin % 256);
    char *const data = static_cast<char *>(memory(block));
    for (Piece &p : pieces)
      if (p.group == first) p.matrix->data = data + (p.begin - begin);
  }
  place_scalars(call, memory);
}

void *nowhere(uintptr_t index, int64_t align) {
  return reinterpret_cast<void *>(((index + 1) << 40) + static_cast<uintptr_t>(align < 256 ? align : 0));
}

}  // namespace gpuopt_call
