// What contiguous pieces of skinny and small matrices cost. Rows with a digit are of elements of that many bytes.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_SKINNY_FIGURES(X)                                                                           \
  /* name                   value  what it is                                           fitted to        error, % */ \
  X(skinny_us,               3.517, "transpose_skinny: launch",                          "2026-11-22-h200", 5.8)     \
  X(piece_us,               0.1748, "a piece, of a multiprocessor",                      "2026-11-22-h200", 5.8)     \
  X(packed_vector_ns,      0.02562, "a thread's access of a vector",                     "2026-11-22-h200", 5.8)     \
  X(packed_element_ns,      0.1007, "of an element, packed side",                        "2026-11-22-h200", 5.8)     \
  X(stream_element_ns,      0.1039, "of an element, streams",                            "2026-11-22-h200", 5.8)     \
  X(stream_end_ns,         0.08222, "past a stream's end",                               "2026-11-22-h200", 5.8)     \
  X(gathered_element_ns,   0.04678, "of an element for a vector of a stream",            "2026-11-22-h200", 5.8)     \
  X(skinny_overlap,          1.308, "power by which pieces and memory overlap",          "2026-11-22-h200", 5.8)     \
  X(skinny_partial,          1.535, "times the bytes, sectors in part",                  "2026-11-22-h200", 5.8)     \
  X(stream_misfit,           1.899, "times the sectors, streams that begin within them", "2026-11-22-h200", 5.8)     \
  X(skinny_last,            0.3066, "of a piece's time, the last",                       "2026-11-22-h200", 5.8)     \
  X(skinny1_share,            1.15, "of memory_gbs",                                     "2026-11-22-h200", 5.8)     \
  X(skinny2_share,           1.374, "of memory_gbs",                                     "2026-11-22-h200", 5.8)     \
  X(skinny4_share,           1.178, "of memory_gbs",                                     "2026-11-22-h200", 5.8)     \
  X(skinny8_share,           1.095, "of memory_gbs",                                     "2026-11-22-h200", 5.8)     \
  X(skinny16_share,           1.03, "of memory_gbs",                                     "2026-11-22-h200", 5.8)     \
  X(small_us,                3.819, "transpose_small: launch",                           "2026-11-22-h200", 8.2)     \
  X(small_piece_us,         0.1177, "a piece, of a multiprocessor",                      "2026-11-22-h200", 8.2)     \
  X(small_gathered_ns,     0.08206, "an element of a vector of the result",              "2026-11-22-h200", 8.2)     \
  X(small_element_in_ns,    0.3958, "an element read by itself",                         "2026-11-22-h200", 8.2)     \
  X(small_element_out_ns,   0.2233, "an element written by itself",                      "2026-11-22-h200", 8.2)     \
  X(small_vector_ns,       0.02952, "a vector read",                                     "2026-11-22-h200", 8.2)     \
  X(small_overlap,           1.309, "power by which pieces and memory overlap",          "2026-11-22-h200", 8.2)     \
  X(small_partial,          0.9484, "times the bytes, sectors in part",                  "2026-11-22-h200", 8.2)     \
  X(small_last,             0.3754, "of a piece's time, the last",                       "2026-11-22-h200", 8.2)     \
  X(small1_share,            0.744, "of memory_gbs",                                     "2026-11-22-h200", 8.2)     \
  X(small2_share,            1.146, "of memory_gbs",                                     "2026-11-22-h200", 8.2)     \
  X(small4_share,            1.092, "of memory_gbs",                                     "2026-11-22-h200", 8.2)     \
  X(small8_share,            1.039, "of memory_gbs",                                     "2026-11-22-h200", 8.2)     \
  X(small16_share,          0.9781, "of memory_gbs",                                     "2026-11-22-h200", 8.2)
// clang-format on
GPUOPT_FIGURES(TransposeSkinnyFigures, transpose_skinny_figures, GPUOPT_TRANSPOSE_SKINNY_FIGURES)

}  // namespace gpuopt
