// How a product on packed operands is cut, on the host: into panels, so that what is packed at a time fits into scratch
// memory, and those where little of the last tiles exists, into a main piece and strips.
//
// Panels: of the rows where A is packed and of the columns where B is, one after the other in the same place. With
// both, panels of one are kept while all of the other go by, to and fro, so that at each turn one stays where it is.
// Strips: 4097 rows are 33 tiles of 128, and the last does the work of 128 rows for one. Up to 16 rows or columns
// behind whole tiles are a product of their own with tiles of 16, where the model finds that faster.
#pragma once

#include "gemm/warptile/warptile_pack.cuh"
#include "gemm/warptile/warptile_shapes.cuh"

namespace gpuopt {

struct WarptileSpan {
  int64_t first, count;  // rows or columns of D
};

enum class WarptileStrip { none, rows, columns };

// One launch of a product.
struct WarptilePiece {
  WarptileSpan m, n;
  WarptileStrip strip;  // none: the main piece, with the kernel's own tiles
  WarptilePlan plan;
};

struct WarptilePanels {
  WarptileWay a, b;
  int64_t m, n;       // most rows and columns of a panel
  bool columns_kept;  // of two packed operands B's panels are the ones that are kept
  double us;
  // Of it, over all panels: multiplying, filling and emptying of waves, joining of parts, packing, launches but for one; beside it
  // what WarptilePlan tells of adding parts up.
  double blocks_us, waves_us, join_us, pack_us, launches_us, gather_us;
  bool streams;  // tiles of a main piece are dealt out by stream-K
};

constexpr int64_t kWarptileStrip = 16;
// Scratch memory of a call, as long as 16 panels are enough for that: what a handle allows if it is told nothing. Not
// what this one allows: the order of sums would depend on it.
constexpr size_t kWarptileMostBytes = size_t{256} << 20;

// The product's widths of copies, after packing.
inline WarptileWay warptile_unpacked(WarptileWay way) { return {way.bytes, false}; }

inline WarptilePlan warptile_piece_plan(const WarptileSize &whole, int64_t m, int64_t n, const WarptileFigures &f,
                                        WarptileWay a, WarptileWay b) {
  return warptile_plan({m, n, whole.k, whole.batch, whole.device, whole.most_bytes}, f, warptile_unpacked(a),
                       warptile_unpacked(b));
}

struct WarptilePieces {
  WarptilePiece piece[3];
  int count;
  double us;
};

// The fastest way, by the model, to cut what a panel of A and one of B give.
inline WarptilePieces warptile_pieces(const WarptileSize &whole, const WarptileFigures &f, WarptileWay a, WarptileWay b,
                                      WarptileSpan m, WarptileSpan n) {
  const int64_t rest_m = m.count % f.m, rest_n = n.count % f.n;
  const bool may_m = rest_m > 0 && rest_m <= kWarptileStrip && m.count > f.m;
  const bool may_n = rest_n > 0 && rest_n <= kWarptileStrip && n.count > f.n;
  WarptilePieces best = {};
  for (int cut = 0; cut < 4; ++cut) {
    const bool cuts_m = (cut & 1) != 0, cuts_n = (cut & 2) != 0;
    if ((cuts_m && !may_m) || (cuts_n && !may_n)) continue;
    const WarptileSpan main_m = {m.first, m.count - (cuts_m ? rest_m : 0)};
    const WarptileSpan main_n = {n.first, n.count - (cuts_n ? rest_n : 0)};
    WarptilePieces pieces = {};
    const auto add = [&](WarptileSpan rows, WarptileSpan columns, WarptileStrip strip, const WarptileFigures &figures) {
      const WarptilePlan plan = warptile_piece_plan(whole, rows.count, columns.count, figures, a, b);
      pieces.piece[pieces.count++] = {rows, columns, strip, plan};
      pieces.us += plan.us;
    };
    add(main_m, main_n, WarptileStrip::none, f);
    if (cuts_m) {
      add({m.first + main_m.count, rest_m}, n, WarptileStrip::rows, warptile_figures_16x128());
    }
    if (cuts_n) {
      add(main_m, {n.first + main_n.count, rest_n}, WarptileStrip::columns, warptile_figures_128x16());
    }
    if (best.count == 0 || pieces.us < best.us) best = pieces;
  }
  return best;
}

// Calls pack(packs A, packs B, rows, columns) where a panel of A, of B or of both has to be packed, and run(piece,
// rows, columns) for each product, in the order of execution; rows and columns are those of the panels.
template <class Pack, class Run>
void warptile_steps(const WarptileSize &size, const WarptileFigures &f, const WarptilePanels &panels, Pack &&pack,
                    Run &&run) {
  const int64_t count_m = std::max<int64_t>(1, ceil_div(size.m, panels.m));
  const int64_t count_n = std::max<int64_t>(1, ceil_div(size.n, panels.n));
  const int64_t outer = panels.columns_kept ? count_n : count_m, inner = panels.columns_kept ? count_m : count_n;
  int64_t held_m = -1, held_n = -1;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t step = 0; step < inner; ++step) {
      const int64_t i = o % 2 == 0 ? step : inner - 1 - step;  // to and fro
      const int64_t at_m = panels.columns_kept ? i : o, at_n = panels.columns_kept ? o : i;
      const WarptileSpan m = {at_m * panels.m, std::min(panels.m, size.m - at_m * panels.m)};
      const WarptileSpan n = {at_n * panels.n, std::min(panels.n, size.n - at_n * panels.n)};
      const bool packs_a = panels.a.packs && at_m != held_m, packs_b = panels.b.packs && at_n != held_n;
      held_m = at_m;
      held_n = at_n;
      if (packs_a || packs_b) pack(packs_a, packs_b, m, n);
      const WarptilePieces pieces = warptile_pieces(size, f, panels.a, panels.b, m, n);
      for (int p = 0; p < pieces.count; ++p) run(pieces.piece[p], m, n);
    }
  }
}

inline size_t warptile_panel_bytes(const WarptileSize &size, WarptileWay way, int64_t extent, bool broadcast) {
  if (!way.packs) return 0;
  return static_cast<size_t>(warptile_packed_ld(extent) * size.k * (broadcast ? 1 : size.batch)) * sizeof(float);
}

// Extents of the panels: those that pack the least, of those that fit into `bytes`. broadcast: one matrix for the
// batch.
inline void choose_warptile_panels(const WarptileSize &size, bool broadcast_a, bool broadcast_b, size_t bytes,
                                   WarptilePanels *panels) {
  constexpr int64_t kMostPanels = 16, kQuantum = 256;
  const auto extent = [&](int64_t whole, int64_t count) {
    return count == 1 ? whole : ceil_div(ceil_div(whole, count), kQuantum) * kQuantum;
  };
  const double words_a = panels->a.packs ? static_cast<double>(size.m) * static_cast<double>(size.k) : 0;
  const double words_b = panels->b.packs ? static_cast<double>(size.n) * static_cast<double>(size.k) : 0;
  const auto takes = [&](int64_t m, int64_t n) {
    return warptile_panel_bytes(size, panels->a, m, broadcast_a) +
           warptile_panel_bytes(size, panels->b, n, broadcast_b);
  };
  panels->m = size.m;
  panels->n = size.n;
  panels->columns_kept = true;
  if (takes(size.m, size.n) <= bytes) return;
  const int64_t most_m = panels->a.packs ? kMostPanels : 1, most_n = panels->b.packs ? kMostPanels : 1;
  panels->m = extent(size.m, most_m);
  panels->n = extent(size.n, most_n);
  double least = HUGE_VAL;
  for (int64_t count_m = 1; count_m <= most_m; ++count_m) {
    for (int64_t count_n = 1; count_n <= most_n; ++count_n) {
      const int64_t m = extent(size.m, count_m), n = extent(size.n, count_n);
      if (takes(m, n) > bytes) continue;
      const double panels_m = static_cast<double>(ceil_div(size.m, m)),
                   panels_n = static_cast<double>(ceil_div(size.n, n));
      const double again_a = (panels_n * (panels_m - 1) + 1) / panels_m;  // times that A is packed, B's panels kept
      const double again_b = (panels_m * (panels_n - 1) + 1) / panels_n;
      for (const bool columns_kept : {true, false}) {
        const double words = columns_kept ? again_a * words_a + words_b : words_a + again_b * words_b;
        const double cost = words + gemm_warptile_figures.panel_words * panels_m * panels_n;
        if (cost >= least) continue;
        least = cost;
        panels->m = m;
        panels->n = n;
        panels->columns_kept = columns_kept;
      }
    }
  }
}

}  // namespace gpuopt
