// What contiguous pieces of skinny and small matrices cost. Rows with a digit are of elements of that many bytes.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_SKINNY_FIGURES(X)                                                                           \
  /* name                   value  what it is                                           fitted to        error, % */ \
  X(skinny_us,                3.46, "transpose_skinny: launch",                          "2026-11-27-h200", 6.5)     \
  X(piece_us,                0.197, "a piece, of a multiprocessor",                      "2026-11-27-h200", 6.5)     \
  X(packed_vector_ns,       0.0354, "a thread's access of a vector",                     "2026-11-27-h200", 6.0)     \
  X(packed_element_ns,       0.112, "of an element, packed side",                        "2026-11-27-h200", 9.7)     \
  X(stream_element_ns,       0.105, "of an element, streams",                            "2026-11-27-h200", 6.5)     \
  X(stream_end_ns,          0.0717, "past a stream's end",                               "2026-11-27-h200", 6.6)     \
  X(gathered_element_ns,    0.0403, "of an element for a vector of a stream",            "2026-11-27-h200", 6.5)     \
  X(skinny_overlap,           1.51, "power by which pieces and memory overlap",          "2026-11-27-h200", 6.5)     \
  X(skinny_partial,           1.57, "times the bytes, sectors in part",                  "2026-11-27-h200", 11.2)    \
  X(stream_misfit,            2.21, "times the sectors, streams that begin within them", "2026-11-27-h200", 6.5)     \
  X(skinny_last,            0.3066, "of a piece's time, the last",                       "2026-11-27-h200", 6.5)     \
  X(skinny1_share,            0.97, "of memory_gbs",                                     "2026-11-27-h200", 8.9)     \
  X(skinny2_share,            1.32, "of memory_gbs",                                     "2026-11-27-h200", 6.7)     \
  X(skinny4_share,            1.08, "of memory_gbs",                                     "2026-11-27-h200", 6.7)     \
  X(skinny8_share,            1.05, "of memory_gbs",                                     "2026-11-27-h200", 4.7)     \
  X(skinny16_share,              1, "of memory_gbs",                                     "2026-11-27-h200", 4.2)     \
  X(small_us,                 3.59, "transpose_small: launch",                           "2026-11-27-h200", 6.8)     \
  X(small_piece_us,          0.134, "a piece, of a multiprocessor",                      "2026-11-27-h200", 6.8)     \
  X(small_gathered_ns,      0.0737, "an element of a vector of the result",              "2026-11-27-h200", 6.2)     \
  X(small_element_in_ns,     0.398, "an element read by itself",                         "2026-11-27-h200", 7.2)     \
  X(small_element_out_ns,    0.163, "an element written by itself",                      "2026-11-27-h200", 11.9)    \
  X(small_vector_ns,        0.0293, "a vector read",                                     "2026-11-27-h200", 6.7)     \
  X(small_overlap,            1.39, "power by which pieces and memory overlap",          "2026-11-27-h200", 6.8)     \
  X(small_partial,           0.979, "times the bytes, sectors in part",                  "2026-11-27-h200", 11.9)    \
  X(small_last,              0.454, "of a piece's time, the last",                       "2026-11-27-h200", 6.8)     \
  X(small1_share,            0.676, "of memory_gbs",                                     "2026-11-27-h200", 8.1)     \
  X(small2_share,             1.04, "of memory_gbs",                                     "2026-11-27-h200", 6.0)     \
  X(small4_share,            0.922, "of memory_gbs",                                     "2026-11-27-h200", 7.3)     \
  X(small8_share,            0.964, "of memory_gbs",                                     "2026-11-27-h200", 5.3)     \
  X(small16_share,           0.963, "of memory_gbs",                                     "2026-11-27-h200", 6.3)
// clang-format on
GPUOPT_FIGURES(TransposeSkinnyFigures, transpose_skinny_figures, GPUOPT_TRANSPOSE_SKINNY_FIGURES)

}  // namespace gpuopt
