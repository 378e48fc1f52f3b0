// The descriptor's functions of warptile kernels that pack their operands: scratch memory, and the launches of the
// steps that warptile_panels.cuh cuts a product into.
#pragma once

#include "gemm/warptile/warptile_launch.cuh"
#include "gemm/warptile/warptile_panels.cuh"

namespace gpuopt {

inline bool warptile_broadcasts(const gpuopt_problem &problem, int index) {
  return problem.operand[index].m.batch_stride == 0;
}

inline double warptile_pack_us(const WarptileSize &size, int64_t lines) {
  const GemmWarptileFigures &g = gemm_warptile_figures;
  return g.pack_us + 8 * static_cast<double>(lines) * static_cast<double>(size.k * size.batch) /
                         (g.pack_share * warptile_bandwidth(*size.device));
}

// What packing some lines (of m or of n) of an operand takes, into `to`.
inline WarptilePackOperand warptile_pack_operand(const gpuopt_problem &problem, int index, WarptileSpan lines,
                                                 float *to) {
  const gpuopt_matrix &m = problem.operand[index].m;
  const bool along_k = (m.layout == GPUOPT_ROW) == (index == GPUOPT_OPERAND_A);
  const int64_t x_step = along_k ? m.ld : 1;
  const int64_t tiles_x = ceil_div(lines.count, kWarptilePackTile), tiles_k = ceil_div(problem.k, kWarptilePackTile);
  return {static_cast<const float *>(m.data) + lines.first * x_step,
          x_step,
          along_k ? 1 : m.ld,
          m.batch_stride,
          to,
          lines.count,
          problem.k,
          warptile_packed_ld(lines.count),
          tiles_x,
          tiles_k,
          tiles_x * tiles_k * (warptile_broadcasts(problem, index) ? 1 : problem.batch)};
}

// An operand as a piece sees it: in its packed panel, or where it is.
inline WarptileOperand warptile_piece_operand(const gpuopt_problem &problem, int index, const WarptileOperand &whole,
                                              WarptileWay way, const float *packed, WarptileSpan panel,
                                              WarptileSpan piece) {
  if (way.packs) {
    const int64_t ld = warptile_packed_ld(panel.count);
    return {packed + (piece.first - panel.first), ld, warptile_broadcasts(problem, index) ? 0 : ld * problem.k, false};
  }
  return {whole.data + piece.first * (whole.along_k ? whole.ld : 1), whole.ld, whole.batch_step, whole.along_k};
}

inline Warptile warptile_piece(const gpuopt_problem &problem, const Warptile &whole, const WarptilePanels &panels,
                               const float *a, const float *b, WarptileSpan panel_m, WarptileSpan panel_n,
                               const WarptilePiece &piece) {
  Warptile w = whole;
  w.work = piece.plan.work;
  w.m = piece.m.count;
  w.n = piece.n.count;
  w.a = warptile_piece_operand(problem, GPUOPT_OPERAND_A, whole.a, panels.a, a, panel_m, piece.m);
  w.b = warptile_piece_operand(problem, GPUOPT_OPERAND_B, whole.b, panels.b, b, panel_n, piece.n);
  w.out.d += piece.m.first * w.out.d_ld + piece.n.first;
  if (w.out.c != nullptr) w.out.c += piece.m.first * w.out.c_ld + piece.n.first;
  return w;
}

template <const WarptileRung &kRung>
struct WarptilePackedLaunch {
  static const WarptileCode &code(WarptileStrip strip) {
    return strip == WarptileStrip::none   ? *kRung.code[0]
           : strip == WarptileStrip::rows ? warptile_16x128
                                          : warptile_128x16;
  }
  static WarptileFigures figures() { return kRung.code[0]->figures(); }
  // Not what this call allows: the order of sums would depend on it.
  static WarptileSize size_of(const gpuopt_problem &problem) {
    return {problem.m, problem.n, problem.k, problem.batch, problem.device, SIZE_MAX};
  }

  // Of kWarptileMostBytes, what panels may take beside slots, tickets and sums.
  static size_t panel_bytes(const gpuopt_problem &problem) {
    constexpr size_t kTickets = size_t{64} << 10;
    constexpr size_t kLeast = size_t{32} << 20;
    const WarptileFigures f = figures();
    const size_t sms = static_cast<size_t>(std::max(problem.device->sm_count, 1));
    const size_t slots =
        sms * static_cast<size_t>(f.blocks_per_sm) * 2 * static_cast<size_t>(f.m * f.n) * sizeof(float);
    const size_t others = slots + kTickets + warptile_sums_bytes(problem);
    return kWarptileMostBytes > others + kLeast ? kWarptileMostBytes - others : kLeast;
  }

  static WarptilePanels panels(const gpuopt_problem &problem, size_t bytes, WarptileWay a, WarptileWay b) {
    const WarptileSize size = size_of(problem);
    WarptilePanels panels = {a, b, 0, 0, false, 0, 0, 0, 0, 0, -gemm_warptile_figures.start_us, 0, false};
    choose_warptile_panels(size, warptile_broadcasts(problem, GPUOPT_OPERAND_A),
                           warptile_broadcasts(problem, GPUOPT_OPERAND_B), bytes, &panels);
    warptile_steps(
        size, figures(), panels,
        [&](bool packs_a, bool packs_b, WarptileSpan m, WarptileSpan n) {
          panels.pack_us += warptile_pack_us(size, (packs_a ? m.count : 0) + (packs_b ? n.count : 0));
        },
        [&](const WarptilePiece &piece, WarptileSpan, WarptileSpan) {
          panels.us += piece.plan.us;
          panels.blocks_us += piece.plan.blocks_us;
          panels.waves_us += piece.plan.waves_us;
          panels.join_us += piece.plan.join_us;
          panels.gather_us += piece.plan.gather_us;
          if (piece.strip == WarptileStrip::none && warptile_streams(piece.plan.work)) panels.streams = true;
          panels.launches_us += gemm_warptile_figures.start_us;
        });
    panels.us += panels.pack_us;
    return panels;
  }

  // Packs the operands that would go by 4 bytes, or only one of two where that is faster.
  static WarptilePanels panels(const gpuopt_problem &problem) {
    constexpr WarptileWay kPacked = {16, true};
    const WarptileWay a = {warptile_bytes_a(problem), false}, b = {warptile_bytes_b(problem), false};
    const bool packs_a = a.bytes == 4, packs_b = b.bytes == 4;
    const size_t bytes = panel_bytes(problem);
    WarptilePanels best = panels(problem, bytes, packs_a ? kPacked : a, packs_b ? kPacked : b);
    if (packs_a && packs_b) {
      for (const WarptilePanels &one : {panels(problem, bytes, kPacked, b), panels(problem, bytes, a, kPacked)}) {
        if (one.us < best.us) best = one;
      }
    }
    return best;
  }

  struct Scratch {
    float *parts, *a, *b, *sums;  // sums NULL: straight to D
    size_t bytes, zeroed;
  };
  static Scratch scratch(const gpuopt_problem &problem, const WarptilePanels &panels, void *at) {
    const WarptileSize size = size_of(problem);
    size_t slots = 0, tickets = 0;
    warptile_steps(
        size, figures(), panels, [](bool, bool, WarptileSpan, WarptileSpan) {},
        [&](const WarptilePiece &piece, WarptileSpan, WarptileSpan) {
          slots = std::max(slots, warptile_slot_bytes(piece.plan.work, code(piece.strip).figures()));
          tickets = std::max(tickets, size_t{piece.plan.work.streamed});
        });
    Scratch s = {};
    s.zeroed = tickets * sizeof(uint32_t);
    s.parts = static_cast<float *>(at);
    size_t taken = slots;
    const auto take = [&](size_t bytes) {
      float *const from = s.parts == nullptr ? nullptr : s.parts + taken / sizeof(float);
      taken += bytes;
      return from;
    };
    s.a = take(warptile_panel_bytes(size, panels.a, panels.m, warptile_broadcasts(problem, GPUOPT_OPERAND_A)));
    s.b = take(warptile_panel_bytes(size, panels.b, panels.n, warptile_broadcasts(problem, GPUOPT_OPERAND_B)));
    float *const sums = take(warptile_sums_bytes(problem));
    s.sums = is_plain_gemm(problem) ? nullptr : sums;
    s.bytes = taken;
    return s;
  }

  static double predict_us(const gpuopt_problem *problem) {
    const WarptilePanels p = panels(*problem);
    const double start_us = *kRung.start_us + p.launches_us + gemm_warptile_figures.pack_factor * p.pack_us;
    return warptile_us(*problem,
                       {start_us, *kRung.factor * p.blocks_us, p.waves_us, p.join_us, p.gather_us, p.streams});
  }
  static void workspace(const gpuopt_problem *problem, size_t *bytes, size_t *zeroed) {
    const Scratch s = scratch(*problem, panels(*problem), nullptr);
    *bytes = s.bytes;
    *zeroed = s.zeroed;
  }

  static gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const WarptilePanels p = panels(*problem);
    gpuopt_status status = load_warptile_pack(launch, kRung.name);
    warptile_steps(
        size_of(*problem), figures(), p, [](bool, bool, WarptileSpan, WarptileSpan) {},
        [&](const WarptilePiece &piece, WarptileSpan, WarptileSpan) {
          if (status != GPUOPT_OK) return;
          status = code(piece.strip).load(launch, kRung.name, p.a.bytes, p.b.bytes);
        });
    return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<float>(launch);
  }

  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const WarptilePanels p = panels(*problem);
    const Scratch s = scratch(*problem, p, launch->scratch);
    const Warptile whole = make_warptile(*problem, s.parts, s.sums, launch);
    gpuopt_status status = GPUOPT_OK;
    bool behind_pack = false;
    warptile_steps(
        size_of(*problem), figures(), p,
        [&](bool packs_a, bool packs_b, WarptileSpan m, WarptileSpan n) {
          if (status != GPUOPT_OK) return;
          behind_pack = true;
          WarptilePack pack = {};
          if (packs_a) pack.a = warptile_pack_operand(*problem, GPUOPT_OPERAND_A, m, s.a);
          if (packs_b) pack.b = warptile_pack_operand(*problem, GPUOPT_OPERAND_B, n, s.b);
          status = run_warptile_pack(launch, kRung.name, pack);
        },
        [&](const WarptilePiece &piece, WarptileSpan m, WarptileSpan n) {
          if (status != GPUOPT_OK) return;
          const Warptile w = warptile_piece(*problem, whole, p, s.a, s.b, m, n, piece);
          const bool early = behind_pack && piece.strip == WarptileStrip::none;
          status = code(piece.strip).run(launch, kRung.name, p.a.bytes, p.b.bytes, w, early);
          behind_pack = false;
        });
    return status != GPUOPT_OK || s.sums == nullptr ? status : finish_gemm<float>(*problem, launch, s.sums, 1);
  }
};

}  // namespace gpuopt
