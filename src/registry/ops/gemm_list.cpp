// gpuopt_gemm_grouped of a list: products of which each has extents and places of its own.
#include <algorithm>
#include <cinttypes>
#include <vector>

#include "../../common/group_list.h"
#include "../error.h"
#include "ops.h"

namespace gpuopt {
namespace {

constexpr int kOperands = 4;
constexpr const char *kNames[kOperands] = {"a", "b", "c", "d"};

const gpuopt_matrix &template_of(const gpuopt_gemm_grouped_args &g, int operand) {
  const gpuopt_matrix *const all[kOperands] = {&g.a, &g.b, &g.c, &g.d};
  return *all[operand];
}

// What an operand is of all products: no more than a type, a layout and the greatest extents.
gpuopt_status take_template(const BuildOptions &options, const gpuopt_gemm_grouped_args &g, int operand,
                            gpuopt_problem *p) {
  const char *const fn = options.function, *const name = kNames[operand];
  const gpuopt_matrix &m = template_of(g, operand);
  if (m.data != nullptr || m.ld != 0)
    return fail(GPUOPT_INVALID_ARGUMENT,
                "%s: %s.data=%p and %s.ld=%" PRId64 " with a list, whose products have their own: these are NULL and 0",
                fn, name, m.data, name, m.ld);
  static constexpr gpuopt_explain_options kAssumed = GPUOPT_EXPLAIN_OPTIONS_INIT;  // that it needs no data
  BuildOptions assumed = options;
  if (assumed.explain == nullptr) assumed.explain = &kAssumed;
  gpuopt_operand *const o = &p->operand[operand];
  GPUOPT_TRY(take_matrix(assumed, name, m, 1, operand == GPUOPT_OPERAND_D ? Role::output : Role::input, operand, o));
  const int32_t declared = g.list_align[operand], size = static_cast<int32_t>(gpuopt_dtype_size(m.dtype));
  if (declared < 0 || declared > 256 || (declared & (declared - 1)) != 0)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: list_align[%d]=%d is not a power of two up to 256, nor 0 for an element",
                fn, operand, declared);
  if (g.host_list != nullptr && declared != 0)
    return fail(GPUOPT_INVALID_ARGUMENT,
                "%s: list_align[%d]=%d with host_list, whose products show how they are aligned: it must be 0", fn,
                operand, declared);
  const bool stated = options.explain != nullptr && options.explain->align[operand] > 0;
  if (!stated) o->align = g.host_list != nullptr ? 256 : std::max(declared, size);
  o->ld_align = o->align;
  return GPUOPT_OK;
}

// One matrix of one product.
gpuopt_matrix matrix_of(const gpuopt_gemm_grouped_args &g, const gpuopt_gemm_group &x, int operand) {
  gpuopt_matrix m = template_of(g, operand);
  const void *const data[kOperands] = {x.a, x.b, x.c, x.d};
  const int64_t ld[kOperands] = {x.lda, x.ldb, x.ldc, x.ldd};
  m.data = const_cast<void *>(data[operand]);
  m.rows = operand == GPUOPT_OPERAND_B ? x.k : x.m;
  m.cols = operand == GPUOPT_OPERAND_A ? x.k : x.n;
  m.ld = ld[operand];
  return m;
}

std::string name_of(int64_t product, int operand) {
  return "host_list[" + std::to_string(product) + "]." + kNames[operand];
}

gpuopt_status check_extents(const char *fn, const gpuopt_gemm_grouped_args &g, int64_t i) {
  const gpuopt_gemm_group &x = g.host_list[i];
  const struct {
    const char *name, *most_name;
    int64_t value, most;
  } extents[] = {{"m", "d.rows", x.m, g.d.rows}, {"n", "d.cols", x.n, g.d.cols}, {"k", "a.cols", x.k, g.a.cols}};
  for (const auto &e : extents) {
    if (e.value < 0)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: host_list[%" PRId64 "].%s=%" PRId64 " is negative", fn, i, e.name,
                  e.value);
    if (e.value > e.most)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: host_list[%" PRId64 "].%s=%" PRId64 " is more than %s=%" PRId64, fn, i,
                  e.name, e.value, e.most_name, e.most);
  }
  if (x.reserved != 0)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: host_list[%" PRId64 "].reserved=%" PRId64 " is not zero", fn, i,
                x.reserved);
  return GPUOPT_OK;
}

// The bytes from the first to the last of a matrix of one product, or of a stage's operand.
struct Piece {
  uint64_t begin, end;
  int64_t product;  // -1: of a stage
  int32_t index;    // GPUOPT_OPERAND_*
  bool written;
};

// What is written against everything else.
class OverlapCheck {
 public:
  OverlapCheck(const BuildOptions &options, const gpuopt_gemm_grouped_args &args, const gpuopt_problem &problem)
      : options_(options), args_(args), problem_(problem) {}

  void add(const gpuopt_operand &o, int64_t product, int32_t index, int64_t batch, bool written) {
    Piece piece = {0, 0, product, index, written};
    if (byte_range(o, batch, &piece.begin, &piece.end)) all_.push_back(piece);
  }

  // Pairs whose bytes interlace count as apart beyond some thousands, as those of batches do.
  gpuopt_status check() {
    std::vector<const Piece *> written;
    for (const Piece &piece : all_)
      if (piece.written) written.push_back(&piece);
    std::sort(written.begin(), written.end(), [](const Piece *x, const Piece *y) { return x->begin < y->begin; });
    std::vector<uint64_t> farthest;  // the end of those up to here
    for (const Piece *w : written) farthest.push_back(std::max(farthest.empty() ? 0 : farthest.back(), w->end));
    int64_t pairs = 0;
    for (const Piece &x : all_) {
      const auto first_behind = std::lower_bound(written.begin(), written.end(), x.end,
                                                 [](const Piece *w, uint64_t end) { return w->begin < end; });
      auto at = static_cast<size_t>(first_behind - written.begin());
      for (; at > 0 && farthest[at - 1] > x.begin && pairs < kMostPairs; --at) {
        const Piece &w = *written[at - 1];
        if (&w == &x || w.end <= x.begin) continue;
        const gpuopt_operand a = operand_of(w), b = operand_of(x);
        if (reads_what_it_writes(w, x) && same_elements(a, b)) continue;
        ++pairs;
        GPUOPT_TRY(check_overlap(options_, name_of(w).c_str(), a, name_of(x).c_str(), b, batch_of(w, x), false));
      }
    }
    return GPUOPT_OK;
  }

 private:
  static constexpr int64_t kMostPairs = 4096;

  const gpuopt_operand &of_stage(const Piece &piece) const {
    const int32_t i = piece.index - GPUOPT_OPERAND_STAGE;
    return i < GPUOPT_MAX_STAGES ? problem_.stage[i].a : problem_.stage[i - GPUOPT_MAX_STAGES].b;
  }
  gpuopt_operand operand_of(const Piece &piece) const {
    if (piece.product < 0) return of_stage(piece);
    gpuopt_operand o = {};
    o.m = matrix_of(args_, args_.host_list[piece.product], piece.index);
    o.m.batch_stride = 0;
    if (o.m.ld == 0) o.m.ld = contiguous_extent(o.m);
    o.user_operand = GPUOPT_OPERAND_NONE;  // its shape is its own
    return o;
  }
  std::string name_of(const Piece &piece) const {
    return piece.product < 0 ? operand_name(GPUOPT_OP_GEMM_GROUPED, piece.index)
                             : gpuopt::name_of(piece.product, piece.index);
  }
  int64_t batch_of(const Piece &w, const Piece &x) const { return w.product < 0 || x.product < 0 ? problem_.batch : 1; }
  // A product's c may be its d.
  bool reads_what_it_writes(const Piece &w, const Piece &x) const {
    return w.index == GPUOPT_OPERAND_D && x.index == GPUOPT_OPERAND_C && w.product == x.product &&
           args_.c.dtype == args_.d.dtype;
  }

  const BuildOptions &options_;
  const gpuopt_gemm_grouped_args &args_;
  const gpuopt_problem &problem_;
  std::vector<Piece> all_;
};

// The products of host memory: each is what it may be, none writes what another reads. least: what all are aligned to.
gpuopt_status take_products(const BuildOptions &options, const gpuopt_gemm_grouped_args &g, bool reads_c,
                            gpuopt_problem *p, bool *large) {
  const char *const fn = options.function;
  if (reinterpret_cast<uintptr_t>(g.host_list) % sizeof(int64_t) != 0)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: host_list=%p is not aligned to one 64-bit integer", fn,
                static_cast<const void *>(g.host_list));
  OverlapCheck overlaps(options, g, *p);
  for (int64_t i = 0; i < g.groups; ++i) {
    GPUOPT_TRY(check_extents(fn, g, i));
    const gpuopt_gemm_group &x = g.host_list[i];
    if (x.m == 0 || x.n == 0) continue;
    for (int operand = 0; operand < kOperands; ++operand) {
      if (operand == GPUOPT_OPERAND_C && !reads_c) continue;
      const gpuopt_matrix m = matrix_of(g, x, operand);
      if (m.rows == 0 || m.cols == 0) continue;  // an A and a B without depth may be anything
      const Role role = operand == GPUOPT_OPERAND_D ? Role::output : Role::input;
      gpuopt_operand o = {};
      // Its name is put together where it is needed.
      if (take_matrix(options, kNames[operand], m, 1, role, operand, &o) != GPUOPT_OK)
        return take_matrix(options, name_of(i, operand).c_str(), m, 1, role, operand, &o);
      gpuopt_operand *const all = &p->operand[operand];
      if (all->m.data == nullptr) all->m.data = o.m.data;
      if (options.explain == nullptr || options.explain->align[operand] <= 0)
        all->align = all->ld_align = std::min({all->align, o.align, o.ld_align});
      *large = *large || line_count(o.m) > (INT64_C(1) << 31) / o.m.ld;
      overlaps.add(o, i, operand, 1, role == Role::output);
      if (role == Role::input) continue;
      o.user_operand = GPUOPT_OPERAND_NONE;  // its shape is its own
      if (check_scalar_overlap(options, *p, kNames[operand], o) != GPUOPT_OK)
        return check_scalar_overlap(options, *p, name_of(i, operand).c_str(), o);
    }
  }
  for (int32_t i = 0; i < p->stage_count; ++i) {
    const gpuopt_problem_stage &s = p->stage[i];
    for (const gpuopt_operand *o : {&s.a, &s.b})
      overlaps.add(*o, -1, o->user_operand, p->batch, s.kind == GPUOPT_STAGE_STORE);
  }
  return overlaps.check();
}

}  // namespace

gpuopt_status build_gemm_list(const gpuopt_gemm_grouped_args &g, bool reads_c, const BuildOptions &options,
                              gpuopt_problem *p) {
  const char *const fn = options.function;
  if (g.groups > INT64_MAX / static_cast<int64_t>(2 * sizeof(gpuopt_gemm_group)))
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: groups=%" PRId64 " products are more than memory holds", fn, g.groups);
  p->features = GPUOPT_FEATURE_GROUP_LIST | (g.host_list != nullptr ? GPUOPT_FEATURE_HOST_LIST : 0);
  for (int operand = 0; operand < kOperands; ++operand)
    if (operand != GPUOPT_OPERAND_C || (reads_c && !is_zero_matrix(g.c)))
      GPUOPT_TRY(take_template(options, g, operand, p));
  GPUOPT_TRY(check_gemm_grouped_shapes(fn, g, reads_c));
  GPUOPT_TRY(resolve_gemm_types(fn, {g.a.dtype, g.b.dtype, g.c.dtype, g.d.dtype, g.compute}, reads_c, p));
  GPUOPT_TRY(take_factor_pointers(options, g.alpha_ptr, g.beta_ptr, p));
  p->m = g.d.rows;
  p->n = g.d.cols;
  p->k = g.a.cols;
  GPUOPT_TRY(take_stages(options, g.stages, g.stage_count, p->m, p->n, p));
  gpuopt_operand *const list = &p->extra[GPUOPT_OPERAND_LIST - 4];
  bool large = false;
  if (g.list != nullptr) {
    const gpuopt_matrix words = gpuopt_mat(g.list, 1, g.groups * kGroupWords, GPUOPT_I64);
    GPUOPT_TRY(take_matrix(options, "list", words, 1, Role::input, GPUOPT_OPERAND_LIST, list));
  } else {
    GPUOPT_TRY(take_products(options, g, reads_c, p, &large));
    p->host_list = g.host_list;
  }
  GPUOPT_TRY(check_stores(options, *p, {{"list", list}}));
  if (p->operand[GPUOPT_OPERAND_D].m.layout == GPUOPT_COL) {  // D^T = B^T A^T
    p->swapped = 1;
    std::swap(p->operand[GPUOPT_OPERAND_A], p->operand[GPUOPT_OPERAND_B]);
    for (gpuopt_operand &o : p->operand) transpose_operand(&o);
    transpose_stages(p);
    std::swap(p->m, p->n);
  }
  p->features |= large ? GPUOPT_FEATURE_LARGE : 0;
  return GPUOPT_OK;
}

}  // namespace gpuopt
