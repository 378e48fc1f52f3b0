// How blocks of the wgmma kernels share out tiles (gemm/wgmma/wgmma_schedule.h), without a GPU.
#if GPUOPT_TEST_HAVE_CUDA  // the build has the kernels' sources

#include "without_nvcc.h"

#include "gemm/wgmma/wgmma_schedule.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace gpuopt;

namespace {

// Every unit once, and behind the first that a block does not have none.
void check_units(const WgmmaGemm &work) {
  std::vector<int> taken(static_cast<size_t>(work.units), 0);
  for (uint32_t mine = 0; mine < work.many; ++mine) {
    bool ended = false;
    for (uint32_t round = 0; round < static_cast<uint32_t>(work.units) + 2; ++round) {
      const uint32_t unit = wgmma_unit_of(work, mine, round);
      if (unit >= static_cast<uint32_t>(work.units)) {
        ended = true;
        if (round > work.idle_end + 64) break;
        continue;
      }
      REQUIRE_FALSE(ended);
      ++taken[unit];
    }
  }
  for (const int count : taken) REQUIRE(count == 1);
}

}  // namespace

TEST_CASE("wgmma: blocks take every tile once, in order") {
  std::mt19937 random(71);
  const auto draw = [&](int64_t most) { return std::uniform_int_distribution<int64_t>(1, most)(random); };
  for (int i = 0; i < 400; ++i) {
    const int tile_n[] = {64, 128, 192, 256};
    const int64_t m = draw(3000), n = draw(3000), batch = i % 3 == 0 ? draw(5) : 1;
    const bool paired = i % 2 == 0 && m > 128;
    const WgmmaGemm work = wgmma_work(128, tile_n[i % 4],
                                      i % 7 == 0  ? WgmmaLittle::none
                                      : i % 7 < 3 ? WgmmaLittle::rows
                                                  : WgmmaLittle::both,
                                      m, n, 64, batch, paired, 2 + draw(130));
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(batch);
    CAPTURE(work.many);
    check_units(work);
  }
}

TEST_CASE("wgmma: blocks that the last round leaves idle take edges") {
  // 33 x 17 tiles, 32 x 16 of them whole: 16 of 132 blocks have only three, and take two edges each, the lower ones first.
  const WgmmaGemm work = wgmma_work(128, 256, WgmmaLittle::both, 4097, 4099, 4101, 1, false, 132);
  CHECK(work.whole == 512);
  CHECK(work.units == 561);
  CHECK(work.rest == 116);
  CHECK(work.idle_end - work.rounds == 2);
  CHECK(wgmma_unit_of(work, 116, 3) == 512);
  CHECK(wgmma_unit_of(work, 116, 4) == 528);
  CHECK(wgmma_unit_of(work, 0, 4) == 544);
  CHECK(wgmma_unit_of(work, 17, 4) >= 561);
  // Whole tiles alone: as many rounds as it takes, and none more.
  const WgmmaRounds even = wgmma_rounds(264, 0, 0, 132, wgmma_edge_shares(128, 256));
  CHECK(even.all == 2);
  // Ever more edges take ever longer.
  double before = 0;
  for (int64_t edges = 0; edges < 2000; edges += 13) {
    const double all = wgmma_rounds(400, edges, edges / 2, 132, wgmma_edge_shares(128, 256)).all;
    CHECK(all >= before);
    before = all;
  }
}

TEST_CASE("wgmma: tiles are narrower where that fills the last round") {
  // 12 rows of tiles: of 144 columns there are eleven to a row, so all of 132 blocks have one; of 160, 120 have.
  CHECK(wgmma_width(128, wgmma_widths(192, true, true), WgmmaLittle::both, 1536, 1536, 1, 132) == 144);
  CHECK(wgmma_width(128, wgmma_widths(192, true, false), WgmmaLittle::both, 1536, 1536, 1, 132) == 192);
  CHECK(wgmma_width(128, wgmma_widths(256, true, false), WgmmaLittle::both, 6144, 3584, 1, 132) == 224);
  CHECK(wgmma_width(128, wgmma_widths(64, false, true), WgmmaLittle::both, 1536, 1536, 1, 132) == 64);
  std::mt19937 random(72);
  const auto draw = [&](int64_t most) { return std::uniform_int_distribution<int64_t>(1, most)(random); };
  for (int i = 0; i < 400; ++i) {
    const int64_t m = draw(9000), n = draw(9000), batch = i % 3 == 0 ? draw(5) : 1;
    const WgmmaWidths widths = wgmma_widths(i % 2 == 0 ? 256 : 192, true, i % 4 < 2);
    const int width = wgmma_width(128, widths, WgmmaLittle::both, m, n, batch, 132);
    const auto time = [&](int of) {
      return wgmma_rounds(128, of, WgmmaLittle::both, m, n, batch, false, 132).all *
             (wgmma_timed_columns(widths, of) + kWgmmaOtherColumns);
    };
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(batch);
    REQUIRE(width <= widths.most);
    REQUIRE(width >= widths.least);
    REQUIRE((widths.most - width) % widths.step == 0);
    CHECK(time(width) <= time(widths.most));
    check_units(wgmma_work(128, width, WgmmaLittle::both, m, n, 64, batch, false, 132));
  }
}

#endif
