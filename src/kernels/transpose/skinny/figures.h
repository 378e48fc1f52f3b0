// What contiguous pieces of skinny and small matrices cost. Rows with a digit are of elements of that many bytes.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_SKINNY_FIGURES(X)                                                                           \
  /* name                   value  what it is                                           fitted to        error, % */ \
  X(skinny_us,                1.47, "transpose_skinny: launch",                               "2026-11-28", 6.9)     \
  X(piece_us,                0.195, "a piece, of a multiprocessor",                           "2026-11-28", 6.9)     \
  X(packed_vector_ns,       0.0472, "a thread's access of a vector",                          "2026-11-28", 7.3)     \
  X(packed_element_ns,       0.103, "of an element, packed side",                             "2026-11-28", 7.7)     \
  X(stream_element_ns,       0.108, "of an element, streams",                                 "2026-11-28", 6.4)     \
  X(stream_end_ns,          0.0756, "past a stream's end",                                    "2026-11-28", 6.4)     \
  X(gathered_element_ns,    0.0337, "of an element for a vector of a stream",                 "2026-11-28", 7.4)     \
  X(skinny_overlap,           1.62, "power by which pieces and memory overlap",               "2026-11-28", 6.9)     \
  X(skinny_partial,           1.75, "times the bytes, sectors in part",                       "2026-11-28", 11.5)    \
  X(stream_misfit,            2.58, "times the sectors, streams that begin within them", "2026-11-28", 6.8)          \
  X(skinny_last,             0.413, "of a piece's time, the last",                            "2026-11-28", 6.9)     \
  X(skinny1_share,               1, "of memory_gbs",                                          "2026-11-28", 8.7)     \
  X(skinny2_share,            1.01, "of memory_gbs",                                          "2026-11-28", 8.8)     \
  X(skinny4_share,            1.04, "of memory_gbs",                                          "2026-11-28", 5.3)     \
  X(skinny8_share,            0.97, "of memory_gbs",                                          "2026-11-28", 5.5)     \
  X(skinny16_share,          0.963, "of memory_gbs",                                          "2026-11-28", 6.2)     \
  X(small_us,                 1.93, "transpose_small: launch",                                "2026-11-28", 9.9)     \
  X(small_piece_us,          0.104, "a piece, of a multiprocessor",                           "2026-11-28", 9.9)     \
  X(small_gathered_ns,      0.0909, "an element of a vector of the result",                   "2026-11-28", 8.9)     \
  X(small_element_in_ns,     0.415, "an element read by itself",                              "2026-11-28", 15.7)    \
  X(small_element_out_ns,    0.249, "an element written by itself",                           "2026-11-28", 17.3)    \
  X(small_vector_ns,        0.0289, "a vector read",                                          "2026-11-28", 9.3)     \
  X(small_overlap,            1.63, "power by which pieces and memory overlap",               "2026-11-28", 9.9)     \
  X(small_partial,           0.935, "times the bytes, sectors in part",                       "2026-11-28", 17.3)    \
  X(small_last,              0.543, "of a piece's time, the last",                            "2026-11-28", 9.9)     \
  X(small1_share,            0.796, "of memory_gbs",                                          "2026-11-28", 15.8)    \
  X(small2_share,             1.04, "of memory_gbs",                                          "2026-11-28", 8.2)     \
  X(small4_share,            0.972, "of memory_gbs",                                          "2026-11-28", 5.4)     \
  X(small8_share,            0.923, "of memory_gbs",                                          "2026-11-28", 7.9)     \
  X(small16_share,            0.92, "of memory_gbs",                                          "2026-11-28", 9.5)
// clang-format on
GPUOPT_FIGURES(TransposeSkinnyFigures, transpose_skinny_figures, GPUOPT_TRANSPOSE_SKINNY_FIGURES)

}  // namespace gpuopt
