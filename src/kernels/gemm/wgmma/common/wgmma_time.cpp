#include <cuda_runtime.h>

#include "gemm/wgmma/wgmma_time.h"

#include <algorithm>
#include <cmath>

#include "gemm/common/f32_split.h"
#include "gemm/common/gemm_demand.h"
#include "gemm/common/gemm_order.h"
#include "gemm/wgmma/figures.h"
#include "gemm/wgmma/wgmma_chain.h"
#include "gemm/wgmma/wgmma_pack.h"
#include "gemm/wgmma/wgmma_schedule.h"

namespace gpuopt {
double wgmma_pack_us(const gpuopt_problem &problem, const PackedCut &cut) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  return packed_us(problem, cut,
                   {f.pack_start_us,
                    f.pack_share,
                    2,
                    {{wgmma_pack_lines(true), wgmma_pack_bytes(true), f.pack_turned_block_clocks},
                     {wgmma_pack_lines(false), wgmma_pack_bytes(false), f.pack_block_clocks}}});
}

#define GPUOPT_WGMMA_START_(tile) \
  WgmmaSpeed wgmma_##tile##_speed() { return {&gemm_wgmma_figures.tile##_start_us}; }
GPUOPT_WGMMA_START_(shared_128x256)
GPUOPT_WGMMA_START_(shared_128x192)
GPUOPT_WGMMA_START_(shared_128x64)
GPUOPT_WGMMA_START_(pingpong_128x192)
GPUOPT_WGMMA_START_(pingpong_128x128)
GPUOPT_WGMMA_START_(split_128x128)
GPUOPT_WGMMA_START_(split_128x192)
#undef GPUOPT_WGMMA_START_
#define GPUOPT_WGMMA_PROMOTING_(tile)                                       \
  WgmmaSpeed wgmma_##tile##_speed() {                                       \
    const GemmWgmmaFigures &f = gemm_wgmma_figures;                         \
    return {&f.tile##_start_us, &f.tile##_factor, &f.tile##_scaled_factor}; \
  }
GPUOPT_WGMMA_PROMOTING_(promoting_128x128)
GPUOPT_WGMMA_PROMOTING_(promoting_256x128)
GPUOPT_WGMMA_PROMOTING_(promoting_192x128)
#undef GPUOPT_WGMMA_PROMOTING_

namespace {

bool reads_c(const gpuopt_problem &problem) { return (problem.features & GPUOPT_FEATURE_BETA) != 0; }

// What the accelerator reads or writes by rows.
bool lies_on_16(const gpuopt_operand &x) {
  return x.m.layout == GPUOPT_ROW && least_alignment(x) >= 16 &&
         std::max(x.m.ld, x.m.batch_stride) <= kWgmmaMostPitch / gpuopt_dtype_size(x.m.dtype);
}
bool is_stored_as(int32_t dtype) { return dtype == GPUOPT_F32 || dtype == GPUOPT_F16 || dtype == GPUOPT_BF16; }
bool d_by_panels(const gpuopt_problem &problem) {
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  return problem.n * gpuopt_dtype_size(d.m.dtype) % 16 == 0 && lies_on_16(d);
}
// What the store adds to sums itself.
bool is_like_d(const gpuopt_problem &problem, const gpuopt_matrix &x) {
  const gpuopt_matrix &d = problem.operand[GPUOPT_OPERAND_D].m;
  return is_stored_as(d.dtype) && d.scale == nullptr && x.dtype == d.dtype && x.layout == d.layout &&
         x.scale == nullptr;
}
bool is_sum(const gpuopt_problem_stage &stage) {
  return (stage.kind == GPUOPT_STAGE_ADD || stage.kind == GPUOPT_STAGE_SUB) && stage.form == GPUOPT_MATRIX &&
         stage.value[0] != 0;
}

}  // namespace

const gpuopt_operand *wgmma_folded(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  const bool folds = wgmma_scales_of(problem) == WgmmaScaled::no ? facts.folds : facts.scaled_folds;
  if (!folds || !d_by_panels(problem)) return nullptr;
  const gpuopt_operand *x = nullptr;
  if (problem.stage_count == 0 && reads_c(problem))
    x = &problem.operand[GPUOPT_OPERAND_C];
  else if (problem.stage_count == 1 && !reads_c(problem) && !is_batch_invariant(problem) && is_sum(problem.stage[0]))
    x = &problem.stage[0].a;
  return x != nullptr && is_like_d(problem, x->m) && lies_on_16(*x) ? x : nullptr;
}

// What comes by panels is no chain: without one the store is shorter.
bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts, WgmmaChain *chain) {
  return facts.chains && wgmma_scales_of(problem) == WgmmaScaled::no && !is_batch_invariant(problem) &&
         (problem.stage_count != 0 || reads_c(problem)) && wgmma_folded(problem, facts) == nullptr &&
         wgmma_chain_of(problem, chain) && (facts.matrices || chain->matrix_dtype == 0);
}

namespace {

bool wgmma_chains(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  WgmmaChain chain;
  return wgmma_chains(problem, facts, &chain);
}

}  // namespace

bool wgmma_stores_directly(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  const gpuopt_matrix &d = problem.operand[GPUOPT_OPERAND_D].m;
  if (wgmma_folded(problem, facts) != nullptr) return true;
  if ((problem.stage_count != 0 && !wgmma_chains(problem, facts)) || d.scale != nullptr) return false;
  if (facts.exact) return !reads_c(problem);
  if (!is_stored_as(d.dtype)) return false;
  const bool adds_c = facts.chains ? facts.matrices : !facts.plain_ends;  // else sums leave no registers for it
  return !reads_c(problem) || (adds_c && is_like_d(problem, problem.operand[GPUOPT_OPERAND_C].m));
}
bool wgmma_goes_by_panels(const gpuopt_problem &problem, const WgmmaFacts &facts) {
  if (!wgmma_stores_directly(problem, facts)) return problem.n % 4 == 0;
  return d_by_panels(problem) && !(facts.exact && problem.operand[GPUOPT_OPERAND_D].m.dtype == GPUOPT_I8) &&
         (!reads_c(problem) || wgmma_chains(problem, facts) || wgmma_folded(problem, facts) != nullptr);
}

namespace {

// One side of a product in a tile's units: what exists of one at most, and the lines that are copied for it on average, of whole ones
// where there are any: those of which little exists have a share of their time (wgmma_work.h). Of these lines some are missing.
struct Side {
  double exists, lines, missing;
};
Side side_of(int64_t extent, int64_t unit, int64_t little, int64_t box) {
  const int64_t units = std::max<int64_t>(ceil_div(extent, unit), 1), whole = wgmma_whole_units(extent, unit, little);
  const auto last = static_cast<int32_t>(extent - (units - 1) * unit);
  const int64_t copied = wgmma_boxed(last, static_cast<int32_t>(unit), static_cast<int32_t>(box));
  const bool all = whole == units || whole == 0;
  const auto share = static_cast<double>(units);
  return {static_cast<double>(std::min(extent, unit)),
          all ? static_cast<double>((units - 1) * unit + copied) / share : static_cast<double>(unit),
          all ? static_cast<double>(copied - last) / share : 0};
}

// A tile's clocks on its multiprocessor: of a stage, and of its end, by how many of its results exist and how they leave.
class TileClocks {
 public:
  // timed: columns in whose time it multiplies.
  TileClocks(const gpuopt_problem &problem, const WgmmaFacts &tile, int width, int timed, const WgmmaSpeed &speed,
             double busy)
      : tile_(tile), stages_(static_cast<double>(ceil_div(problem.k, tile.depth))) {
    const GemmWgmmaFigures &f = gemm_wgmma_figures;
    // 64 x 64 results take the tensor cores 128 clocks a stage, at their rate; parts of fp32, three products of half of one, more.
    const WgmmaScaled scaled = wgmma_scales_of(problem);
    const double *const factor = scaled == WgmmaScaled::no           ? speed.factor
                                 : scaled == WgmmaScaled::by_columns ? &f.promoting_128x128_columns_factor
                                                                     : speed.scaled_factor;
    multiply_ = tile.m * timed / 32.0 * (tile.splits ? 1.5 : factor != nullptr ? *factor : 1);
    bytes_per_clock_ = std::min(f.bytes_per_clock / busy, f.alone_bytes_per_clock);
    missing_ = busy * f.missing_line_clocks;
    const GemmDemand x = gemm_demand(problem);
    direct_ = wgmma_stores_directly(problem, tile);
    by_panels_ = wgmma_goes_by_panels(problem, tile);
    is_short_ = direct_ && gpuopt_dtype_size(problem.operand[GPUOPT_OPERAND_D].m.dtype) == 2;
    const int64_t across = ceil_div(problem.n, width), last = problem.n - (across - 1) * width;
    ragged_ = static_cast<double>((across - 1) * (width % kPanelColumns) + last % kPanelColumns) /
              static_cast<double>(across);
    WgmmaChain chain;
    if (wgmma_folded(problem, tile) != nullptr) {
      element_ = f.fold_clocks;
      code_us_ = f.fold_us;
    } else if (wgmma_chains(problem, tile, &chain)) {
      vectors_ = !tile.matrices;
      element_ = f.chain_clocks + f.chain_function_clocks * gemm_functions(problem) +
                 (chain.matrix_dtype != 0 ? f.chain_matrix_clocks : 0);
      if (tile.depth == 128) element_ *= f.fp8_chain_share;
    } else if (direct_ && x.c_bytes > 0) {
      c_ = f.c_byte_clocks * x.c_bytes / std::max(x.elements, 1.0);
    }
    const bool is_sum = problem.operand[GPUOPT_OPERAND_D].m.dtype == GPUOPT_I32 && problem.alpha == 1;
    if (direct_ && tile.exact && !is_sum) element_ = f.exact_clocks;
    if (!by_panels_) code_us_ += f.lines_code_us * tile.m * width / tile.sharers / 128;
    const bool is_fp8 = tile.depth == 128 && !tile.exact;
    if (is_fp8 && direct_ && !by_panels_) code_us_ += f.fp8_lines_us;
  }

  // Of all its stages, of which so many lines are copied. For those that are missing, which all multiprocessors fill with zeros, one
  // place in memory is asked.
  double main(double lines, double missing) const {
    return stages_ * std::max(multiply_, lines * 128 / bytes_per_clock_ + missing * missing_);
  }
  // Of so many lines and columns. By panels what exists counts; else lines of D leave one by one, those of a warpgroup shared out
  // among its warps, and 32 columns at once, or 16 bits by vectors of a warp's own lines, but one by one where a panel is not whole.
  double end(double lines, double columns) const {
    const GemmWgmmaFigures &f = gemm_wgmma_figures;
    const double elements = lines * columns / tile_.sharers;  // of a warpgroup
    if (by_panels_) return f.end_clocks + elements * (result_bytes() * f.panel_byte_clocks + element_);
    const double mine = std::min<double>(lines, tile_.m / tile_.sharers), block = std::fmod(mine, 64);
    const double stored =
        is_short_ && c_ == 0 && vectors_
            ? (mine - block + std::min(block, 16.0) * 4) * (std::max(columns - ragged_, 0.0) * f.short_line_clocks +
                                                            std::min(ragged_, columns) * f.ragged_line_clocks)
            : (mine - block + std::ceil(block / 16) * 16) * std::ceil(columns / 32) * 32 * (f.line_clocks + c_);
    return f.end_clocks + f.lines_clocks + stored + elements * element_;
  }
  // What all multiprocessors write at once when they have no more tiles.
  double last(double elements) const {
    return by_panels_ ? gemm_wgmma_figures.last_byte_clocks * elements * result_bytes() : 0;
  }
  // So many tiles one after the other; warpgroups in turn multiply while the other one's tile ends, which may take longer.
  double of_rounds(double rounds, double main, double end) const {
    if (!tile_.ping_pong) return rounds * (main + end);
    if (end <= main || rounds <= 1) return rounds * main + end;
    const auto whole = [&](double tiles) {
      const double pairs = std::floor(tiles / 2);
      return pairs * (main + end) + (tiles > 2 * pairs ? main + end : main);
    };
    const double before = std::floor(rounds);
    return whole(before) + (rounds - before) * (whole(before + 1) - whole(before));
  }
  double multiplying(double rounds) const { return rounds * stages_ * multiply_; }
  bool direct() const { return direct_; }
  bool by_panels() const { return by_panels_; }
  // What a call that multiplies nothing takes more by how results leave: code that comes from memory.
  double code_us() const { return code_us_; }

 private:
  double result_bytes() const { return is_short_ ? 2 : 4; }

  const WgmmaFacts &tile_;
  static constexpr int64_t kPanelColumns = 64;  // of 16 bits

  double stages_, multiply_, bytes_per_clock_, missing_, element_ = 0, c_ = 0, code_us_ = 0;
  double ragged_;                                        // columns of a tile that make no whole panel, on average
  bool direct_, by_panels_, is_short_, vectors_ = true;  // vectors_: lines of 16 bits leave by vectors
};

// What a call that multiplies nothing takes: a kernel's code, which differs with the type of its operands, comes from memory.
double start_us(const WgmmaFacts &tile, const WgmmaSpeed &speed, int32_t dtype) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  if (tile.splits || speed.factor != nullptr) return *speed.start_us;
  if (tile.exact) return *speed.start_us * f.exact_start_factor;
  if (gpuopt_dtype_size(dtype) == 1) return *speed.start_us * f.fp8_start_factor;
  return *speed.start_us * (dtype == GPUOPT_F32 ? f.tf32_start_factor : 1);
}

}  // namespace

WgmmaWidth wgmma_width_of(const WgmmaFacts &tile, bool b_along_k, int64_t m, int64_t n, int64_t batch, int64_t blocks) {
  const WgmmaWidths widths = wgmma_widths(tile.n, tile.narrows, b_along_k);
  const int columns = wgmma_width(tile.m, widths, tile.little, m, n, batch, blocks);
  return {columns, wgmma_timed_columns(widths, columns), tile.narrows ? columns / 2 : wgmma_box(tile.n, tile.n)};
}

double wgmma_copied(const gpuopt_problem &problem, int index, const PackedWay &way) {
  const gpuopt_operand &x = problem.operand[index];
  return way.packs || least_alignment(x) >= 64 ? 1 : gemm_wgmma_figures.astride_factor;
}

double wgmma_us(const gpuopt_problem &problem, const WgmmaFacts &tile, const WgmmaSpeed &speed, const PackedCut &cut) {
  const GemmWgmmaFigures &f = gemm_wgmma_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double clock = device.clock_mhz > 0 ? device.clock_mhz : 1500, sms = std::max(device.sm_count, 1);
  const auto blocks = static_cast<int64_t>(sms);
  const auto [width, timed, box_n] = wgmma_width_of(tile, cut.b.along_k, problem.m, problem.n, problem.batch, blocks);
  const double rounds =
      wgmma_rounds(tile.m, width, tile.little, problem.m, problem.n, problem.batch, false, blocks).all;
  const Side rows = side_of(problem.m, tile.m, wgmma_little_rows(tile.little, tile.m), wgmma_box(tile.n, tile.m)),
             cols = side_of(problem.n, width, wgmma_little_columns(tile.little), box_n);
  const double tiles = static_cast<double>(ceil_div(problem.m, tile.m) * ceil_div(problem.n, width) * problem.batch);
  const double busy = std::min(tiles, sms) / sms;
  const TileClocks clocks(problem, tile, width, timed, speed, busy);
  const double elements = rows.exists * cols.exists, end = clocks.end(rows.exists, cols.exists);
  const double lines = rows.lines * wgmma_copied(problem, GPUOPT_OPERAND_A, cut.a) +
                       cols.lines * wgmma_copied(problem, GPUOPT_OPERAND_B, cut.b);
  const double missing = (cut.a.along_k ? rows.missing : 0) + (cut.b.along_k ? cols.missing : 0);
  const double multiply = clocks.of_rounds(rounds, clocks.main(lines, missing), end);
  const double at_peak_us = (multiply + clocks.last(elements) * busy) / clock;
  // Power is short where tensor cores multiply all the time.
  const double multiplying = std::min(clocks.multiplying(rounds) / std::max(multiply, 1.0), 1.0);
  const double multiply_us = at_peak_us + multiplying * (powered_us(at_peak_us) - at_peak_us);

  const GemmDemand x = gemm_demand(problem);
  const double gbs = (device.memory_gbs > 0 ? device.memory_gbs : 1000) * 1e3;
  const gpuopt_operand &d = problem.operand[GPUOPT_OPERAND_D];
  const bool astride = clocks.direct() ? least_alignment(d) < 64 : problem.n % 16 != 0;
  const double written =
      f.write_factor * (astride ? f.astride_write_factor : 1) * (clocks.direct() ? x.d_bytes : 4 * x.elements);
  const double read = x.a_bytes + x.b_bytes + (clocks.direct() ? x.c_bytes + x.stage_bytes : 0);
  // Panels leave by themselves while the next tile multiplies: nothing waits for them, but memory's time is theirs, too.
  const double read_us = read / (f.memory_share * gbs), moved_us = (read + written) / (f.memory_share * gbs);
  const double product_us = clocks.by_panels() ? overlapped_us(overlapped_us(multiply_us, read_us, 0, f.sharpness),
                                                               moved_us, 0, f.panel_sharpness)
                                               : overlapped_us(multiply_us, moved_us, 0, f.sharpness);
  return start_us(tile, speed, problem.operand[GPUOPT_OPERAND_A].m.dtype) + clocks.code_us() + product_us +
         (tile.splits ? f32_split_us(problem, cut) : wgmma_pack_us(problem, cut)) +
         (clocks.direct() ? 0 : finish_gemm_us(problem, 1, 4));
}

}  // namespace gpuopt
