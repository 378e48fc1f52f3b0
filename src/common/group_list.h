// What a product of a list (gpuopt_gemm_group in gpuopt.h) is in a problem's normal form.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

constexpr int64_t kGroupWords = sizeof(gpuopt_gemm_group) / sizeof(int64_t);

struct GroupProduct {
  const void *a, *b, *c;
  void *d;
  int64_t m, n, k;
  int64_t lda, ldb, ldc, ldd;
};

// What all products of a problem have alike.
struct GroupBounds {
  int64_t m, n, k;                               // that none exceeds
  bool swapped, a_rows, b_rows, c_rows, d_rows;  // rows: lines of the matrix are its rows

  explicit GroupBounds(const gpuopt_problem &p)
      : m(p.m),
        n(p.n),
        k(p.k),
        swapped(p.swapped != 0),
        a_rows(p.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_ROW),
        b_rows(p.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_ROW),
        c_rows(p.operand[GPUOPT_OPERAND_C].m.layout == GPUOPT_ROW),
        d_rows(p.operand[GPUOPT_OPERAND_D].m.layout == GPUOPT_ROW) {}

  // Extents that nobody has checked count as the nearest that there may be.
  constexpr GroupProduct of(const gpuopt_gemm_group &g) const {
    const auto within = [](int64_t extent, int64_t most) { return extent < 0 ? 0 : extent > most ? most : extent; };
    const auto pitch = [](int64_t ld, int64_t line) { return ld != 0 ? ld : line > 0 ? line : 1; };
    const int64_t rows = within(swapped ? g.n : g.m, m), cols = within(swapped ? g.m : g.n, n), depth = within(g.k, k);
    return {swapped ? g.b : g.a,
            swapped ? g.a : g.b,
            g.c,
            g.d,
            rows,
            cols,
            depth,
            pitch(swapped ? g.ldb : g.lda, a_rows ? depth : rows),
            pitch(swapped ? g.lda : g.ldb, b_rows ? cols : depth),
            pitch(g.ldc, c_rows ? cols : rows),
            pitch(g.ldd, d_rows ? cols : rows)};
  }
};

}  // namespace gpuopt
