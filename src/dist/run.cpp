// One call: products of the core, blocks of a mover, sums and copies, in the order in which predict() (model.cpp) counts them.
//
// Two ranks that all-reduce in one piece give each other all rows once, in place of half of them twice.
//
// Window, all_gather_gemm: A of all ranks, each row once. Window, reductions: partial products of this rank's rows, rank after
// rank, then, of all_reduce, D of all ranks. Scratch: partial products of all rows. A chunk's block is [matrix of the batch][row]
// [column] wherever it lies, and begins where its first row says, so that with one matrix chunks make one matrix together.
#include <algorithm>

#include "comm.h"
#include "error.h"
#include "handle.h"

namespace gpuopt::dist {
namespace {

size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

size_t partials_stride(const Problem &p) {
  return aligned(static_cast<size_t>(p.reduces_all() && p.size == 2 ? p.m : p.rows(0).count) * p.partial_row_bytes());
}
size_t d_region(const Problem &p) { return partials_stride(p) * static_cast<size_t>(p.size); }
size_t partials_end(const Problem &p) { return aligned(static_cast<size_t>(p.m) * p.partial_row_bytes()); }
size_t running_sum_bytes(const Problem &p) {
  return static_cast<size_t>((p.reduces_all() && p.size == 2 ? p.m : p.rows(0).count) * p.n * p.args.batch) * 8;
}

class Call {
 public:
  Call(gpuopt_comm *comm, const Problem &p, const Choice &choice)
      : p_(p),
        plan_(plans()[static_cast<size_t>(choice.plan)]),
        chunks_(choice.chunks),
        mover_(comm->mover(plan_)),
        memory_(*comm->memory),
        handle_(comm->handle) {}

  gpuopt_status run() {
    // An exception, too, leaves the handle with the stream of its own.
    struct Restored {
      Memory &memory;
      ~Restored() { memory.restore(); }
    };
    gpuopt_status s = memory_.fork();
    const Restored restored{memory_};
    if (s == GPUOPT_OK) s = p_.gathers() ? gather() : reduce();
    if (s == GPUOPT_OK) s = memory_.join();
    if (s == GPUOPT_OK) s = memory_.enter(0);
    if (s == GPUOPT_OK) s = mover_->finish(memory_.lane(0));
    return s;
  }

 private:
  // ---- parts of the core's calls -------------------------------------------------------------------------------------
  // D's rows [row, row + count) out of this A.
  gpuopt_status product(const gpuopt_matrix &a, Rows rows) {
    gpuopt_gemm_args g = p_.args;
    g.a = a;
    g.a.scale = p_.args.a.scale;
    g.d = row_view(p_.args.d, rows.begin, rows.count);
    if (g.beta != 0 || g.beta_ptr) g.c = row_view(p_.args.c, rows.begin, rows.count);
    const std::vector<gpuopt_stage> stages = stage_rows(p_, rows.begin, rows.count);
    g.stages = stages.data();
    return gpuopt_gemm(handle_, &g);
  }
  // A partial product of these rows into a block.
  gpuopt_status partial(Rows rows, void *block) {
    if (rows.count == 0) return GPUOPT_OK;
    gpuopt_gemm_args g = p_.args;
    g.a = row_view(p_.args.a, rows.begin, rows.count);
    g.c = gpuopt_matrix(GPUOPT_MATRIX_INIT);
    g.d = packed_block(block, rows.count, p_.n, p_.partial);
    g.beta = 0;
    g.stages = nullptr;
    g.stage_count = 0;
    return gpuopt_gemm(handle_, &g);
  }
  // This rank's rows of D: their product and what came in as C.
  gpuopt_status product_and_sum(Rows rows, void *came_in) {
    gpuopt_gemm_args g = p_.args;
    g.a = row_view(p_.args.a, rows.begin, rows.count);
    g.c = packed_block(came_in, rows.count, p_.n, p_.partial);
    g.beta = 1;
    g.d = row_view(p_.args.d, p_.d_row(rows.begin), rows.count);
    const std::vector<gpuopt_stage> stages = stage_rows(p_, p_.d_row(rows.begin), rows.count);
    g.stages = stages.data();
    return gpuopt_gemm(handle_, &g);
  }
  // D's rows: the partial products in the order of the ranks, beta * C, the stages; eight at a time.
  gpuopt_status sum(Rows rows) {
    if (rows.count == 0) return GPUOPT_OK;
    const int64_t d_row = p_.d_row(rows.begin);
    std::vector<gpuopt_stage> todo;
    for (int32_t r = 1; r < p_.size; ++r)
      todo.push_back(gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, partial_of(r, rows)));
    if (p_.args.beta != 0) {
      todo.push_back(gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, row_view(p_.args.c, d_row, rows.count)));
      todo.back().value[0] = p_.args.beta;
    }
    for (const gpuopt_stage &s : stage_rows(p_, d_row, rows.count)) todo.push_back(s);
    gpuopt_matrix x = partial_of(0, rows);
    // A sum that goes on is kept in the type in which it is computed, where nothing is rounded.
    const bool wide = p_.partial == GPUOPT_F64 || p_.partial == GPUOPT_I32;
    const int64_t first = whole_ ? 0 : p_.rows(p_.rank).begin;
    char *const kept =
        memory_.scratch + partials_end(p_) + static_cast<size_t>((rows.begin - first) * p_.n * p_.args.batch) * 8;
    for (size_t at = 0;;) {
      const size_t count = std::min<size_t>(todo.size() - at, GPUOPT_MAX_STAGES);
      const bool is_last = at + count == todo.size();
      gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
      f.x = x;
      f.out = is_last ? row_view(p_.args.d, d_row, rows.count)
                      : packed_block(kept, rows.count, p_.n, wide ? GPUOPT_F64 : GPUOPT_F32);
      f.batch = p_.args.batch;
      f.stages = todo.data() + at;
      f.stage_count = static_cast<int32_t>(count);
      const gpuopt_status s = gpuopt_fused_act(handle_, &f);
      if (s != GPUOPT_OK || is_last) return s;
      at += count;
      x = f.out;
    }
  }
  // Between a block and rows of a matrix.
  gpuopt_status copy(const gpuopt_matrix &from, const gpuopt_matrix &to, int64_t batch) {
    if (from.rows == 0 || from.cols == 0) return GPUOPT_OK;
    const auto is_packed = [&](const gpuopt_matrix &m) {
      return m.layout == GPUOPT_ROW && (m.ld == 0 || m.ld == m.cols || m.rows == 1) &&
             (batch == 1 || m.batch_stride == GPUOPT_PACKED || m.batch_stride == m.rows * m.cols);
    };
    if (is_packed(from) && is_packed(to))
      return gpuopt_copy(handle_, to.data, from.data,
                         static_cast<size_t>(from.rows * from.cols * batch * gpuopt_dtype_size(from.dtype)));
    gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
    t.src = gpuopt_t(from);
    t.dst = to;
    t.batch = batch;
    return gpuopt_transpose(handle_, &t);
  }

  // ---- where blocks lie ----------------------------------------------------------------------------------------------
  size_t a_offset(Rows rows) const { return static_cast<size_t>(rows.begin) * p_.a_row_bytes(); }
  gpuopt_matrix a_block(Rows rows) const {
    gpuopt_matrix a = packed_block(memory_.window + a_offset(rows), rows.count, p_.k, p_.args.a.dtype);
    if (p_.a_batch != p_.args.batch) a.batch_stride = 0;
    return a;
  }
  // Of a rank's rows, in the window of the rank that they belong to, from rank `from`.
  size_t partial_offset(int32_t owner, int32_t from, Rows rows) const {
    const int64_t first = whole_ ? 0 : p_.rows(owner).begin;
    return partials_stride(p_) * static_cast<size_t>(from) +
           static_cast<size_t>(rows.begin - first) * p_.partial_row_bytes();
  }
  char *scratch_rows(Rows rows) const {
    return memory_.scratch + static_cast<size_t>(rows.begin) * p_.partial_row_bytes();
  }
  gpuopt_matrix partial_of(int32_t r, Rows rows) const {
    char *const at = r == p_.rank ? scratch_rows(rows) : memory_.window + partial_offset(p_.rank, r, rows);
    return packed_block(at, rows.count, p_.n, p_.partial);
  }
  Block partial_to(int32_t peer, int32_t j) const {
    const Rows rows = p_.chunk(peer, j, chunks_);
    return {peer, j, partial_offset(peer, p_.rank, rows), static_cast<size_t>(rows.count) * p_.partial_row_bytes()};
  }
  Block partial_from(int32_t peer, int32_t j) const {
    const Rows rows = p_.chunk(p_.rank, j, chunks_);
    return {peer, j, partial_offset(p_.rank, peer, rows), static_cast<size_t>(rows.count) * p_.partial_row_bytes()};
  }
  int32_t ahead(int32_t distance) const { return (p_.rank + distance) % p_.size; }
  int32_t behind(int32_t distance) const { return (p_.rank - distance + p_.size) % p_.size; }
  gpuopt_status enter(int lane) {
    lane_ = lane;
    return memory_.enter(lane);
  }
  Stream stream() { return memory_.lane(lane_); }

  // ---- the operations ------------------------------------------------------------------------------------------------
  gpuopt_status gather() {
    // Own rows leave from where they are, if they lie there as a block does.
    const gpuopt_matrix &a = p_.args.a;
    const Rows own = p_.rows(p_.rank);
    const bool lies_packed = a.layout == GPUOPT_ROW && a.ld == p_.k &&
                             (p_.a_batch == 1 || (chunks_ == 1 && a.batch_stride == a.rows * a.ld));
    gpuopt_status s = GPUOPT_OK;
    for (int32_t j = 0; j < chunks_; ++j) {
      const Rows rows = p_.chunk(p_.rank, j, chunks_);
      if (!lies_packed) s = copy(row_view(a, rows.begin - own.begin, rows.count), a_block(rows), p_.a_batch);
      if (s != GPUOPT_OK) return s;
      const void *from =
          lies_packed ? row_view(a, rows.begin - own.begin, rows.count).data : memory_.window + a_offset(rows);
      for (int32_t d = 1; d < p_.size; ++d) {
        const Block out = {ahead(d), j, a_offset(rows), static_cast<size_t>(rows.count) * p_.a_row_bytes()};
        if ((s = mover_->start(out, from, a_from(behind(d), j), stream())) != GPUOPT_OK) return s;
      }
    }
    if (!plan_.overlaps) {
      // One product takes the own rows from where the others come.
      if (lies_packed && p_.a_batch == 1) s = copy(a, a_block(own), 1);
      if (s != GPUOPT_OK) return s;
      for (int32_t d = 1; d < p_.size; ++d)
        if ((s = mover_->await(a_from(behind(d), 0), stream())) != GPUOPT_OK) return s;
      if (p_.a_batch == 1) return product(a_block({0, p_.m}), {0, p_.m});
      for (int32_t r = 0; r < p_.size && s == GPUOPT_OK; ++r)
        if (p_.rows(r).count > 0) s = product(r == p_.rank ? a : a_block(p_.rows(r)), p_.rows(r));
      return s;
    }
    int turn = 0;
    if (own.count > 0 && (s = product(a, own)) != GPUOPT_OK) return s;
    for (int32_t j = 0; j < chunks_; ++j) {
      for (int32_t d = 1; d < p_.size; ++d) {
        const Rows rows = p_.chunk(behind(d), j, chunks_);
        if (rows.count == 0) continue;
        if ((s = enter(++turn % 2)) != GPUOPT_OK) return s;
        if ((s = mover_->await(a_from(behind(d), j), stream())) != GPUOPT_OK) return s;
        if ((s = product(a_block(rows), rows)) != GPUOPT_OK) return s;
      }
    }
    return s;
  }
  Block a_from(int32_t peer, int32_t j) const {
    const Rows rows = p_.chunk(peer, j, chunks_);
    return {peer, j, a_offset(rows), static_cast<size_t>(rows.count) * p_.a_row_bytes()};
  }

  gpuopt_status reduce() {
    gpuopt_status s = GPUOPT_OK;
    if (whole_) {
      const Rows all = {0, p_.m};
      const int32_t other = 1 - p_.rank;
      const size_t bytes = static_cast<size_t>(p_.m) * p_.partial_row_bytes();
      const Block out = {other, 0, partial_offset(other, p_.rank, all), bytes};
      const Block in = {other, 0, partial_offset(p_.rank, other, all), bytes};
      if ((s = partial(all, memory_.scratch)) != GPUOPT_OK) return s;
      if ((s = mover_->start(out, memory_.scratch, in, stream())) != GPUOPT_OK) return s;
      return (s = mover_->await(in, stream())) != GPUOPT_OK ? s : sum(all);
    }
    int turn = -1;
    if (!plan_.overlaps && p_.args.batch == 1) {
      if ((s = partial({0, p_.m}, memory_.scratch)) != GPUOPT_OK) return s;
    }
    // What others wait for comes first.
    for (int32_t j = 0; j < chunks_; ++j) {
      for (int32_t d = 1; d < p_.size; ++d) {
        const Rows rows = p_.chunk(ahead(d), j, chunks_);
        if (plan_.overlaps && (s = enter(++turn % 2)) != GPUOPT_OK) return s;
        if (plan_.overlaps || p_.args.batch > 1) s = partial(rows, scratch_rows(rows));
        if (s != GPUOPT_OK) return s;
        if ((s = mover_->start(partial_to(ahead(d), j), scratch_rows(rows), partial_from(behind(d), j), stream())) !=
            GPUOPT_OK)
          return s;
      }
    }
    const bool adds = adds_in_product(p_, plan_);
    for (int32_t j = 0; j < chunks_; ++j) {
      const Rows rows = p_.chunk(p_.rank, j, chunks_);
      if (plan_.overlaps && (s = enter(++turn % 2)) != GPUOPT_OK) return s;
      if (!adds && (plan_.overlaps || p_.args.batch > 1)) s = partial(rows, scratch_rows(rows));
      for (int32_t d = 1; d < p_.size && s == GPUOPT_OK; ++d) s = mover_->await(partial_from(behind(d), j), stream());
      if (s != GPUOPT_OK) return s;
      if (adds && rows.count > 0)
        s = product_and_sum(rows, memory_.window + partial_offset(p_.rank, behind(1), rows));
      else
        s = sum(rows);
      if (s == GPUOPT_OK && p_.reduces_all()) s = send_d(j);
      if (s != GPUOPT_OK) return s;
    }
    return p_.reduces_all() ? receive_d() : s;
  }

  // ---- the second half of all_reduce: rows of D to everybody ---------------------------------------------------------
  size_t d_offset(Rows rows) const { return d_region(p_) + static_cast<size_t>(rows.begin) * p_.d_row_bytes(); }
  gpuopt_matrix d_block(Rows rows) const {
    return packed_block(memory_.window + d_offset(rows), rows.count, p_.n, p_.args.d.dtype);
  }
  Block d_block_of(int32_t owner, int32_t peer, int32_t j) const {
    const Rows rows = p_.chunk(owner, j, chunks_);
    return {peer, kMostChunks + j, d_offset(rows), static_cast<size_t>(rows.count) * p_.d_row_bytes()};
  }
  gpuopt_status send_d(int32_t j) {
    const Rows rows = p_.chunk(p_.rank, j, chunks_);
    const gpuopt_matrix d = row_view(p_.args.d, rows.begin, rows.count);
    const bool lies_packed = d.layout == GPUOPT_ROW && d.ld == p_.n && p_.args.batch == 1;
    gpuopt_status s = lies_packed ? GPUOPT_OK : copy(d, d_block(rows), p_.args.batch);
    const void *from = lies_packed ? d.data : memory_.window + d_offset(rows);
    for (int32_t q = 1; q < p_.size && s == GPUOPT_OK; ++q)
      s = mover_->start(d_block_of(p_.rank, ahead(q), j), from, d_block_of(behind(q), behind(q), j), stream());
    return s;
  }
  // On a lane of its own, so that copies run beside products.
  gpuopt_status receive_d() {
    gpuopt_status s = plan_.overlaps ? enter(2) : GPUOPT_OK;
    for (int32_t j = 0; j < chunks_; ++j) {
      for (int32_t d = 1; d < p_.size && s == GPUOPT_OK; ++d) {
        const Rows rows = p_.chunk(behind(d), j, chunks_);
        s = mover_->await(d_block_of(behind(d), behind(d), j), stream());
        if (s == GPUOPT_OK) s = copy(d_block(rows), row_view(p_.args.d, rows.begin, rows.count), p_.args.batch);
      }
    }
    return s;
  }

  const Problem &p_;
  const Plan &plan_;
  const int32_t chunks_;
  Mover *mover_;
  Memory &memory_;
  gpuopt_handle *handle_;
  int lane_ = 0;
  const bool whole_ = exchanges_whole(p_, plan_);
};

}  // namespace

size_t window_bytes(const Problem &p) {
  if (p.gathers()) return aligned(static_cast<size_t>(p.m) * p.a_row_bytes());
  return d_region(p) + (p.reduces_all() ? aligned(static_cast<size_t>(p.m) * p.d_row_bytes()) : 0);
}

size_t scratch_bytes(const Problem &p) {
  if (p.gathers()) return 0;
  // A sum of more ranks than fit one pass is kept between passes.
  return partials_end(p) + (p.size + p.args.stage_count + 1 > GPUOPT_MAX_STAGES ? running_sum_bytes(p) : 0);
}

gpuopt_status run(gpuopt_comm *comm, const Problem &p, const Choice &choice) { return Call(comm, p, choice).run(); }

}  // namespace gpuopt::dist
