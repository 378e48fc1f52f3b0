// What transposes by tiles cost. Rows with a digit are of elements of that many bytes.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_TILE_FIGURES(X)                                                                                               \
  /* name                         value  what it is                                                       fitted to        error, % */ \
  X(small_us,                       2.07, "transpose_vec, small tiles: launch",                                 "2026-11-28", 8.4)     \
  X(large_us,                       2.77, "transpose_vec, large tiles: launch",                                 "2026-11-28", 5.7)     \
  X(wide_us,                         3.5, "transpose_vec, 16-byte vectors: launch",                             "2026-11-28", 6.7)     \
  X(widest_us,                      4.61, "the same, largest tiles: launch",                                    "2026-11-28", 15.4)    \
  X(in_place_us,                    2.27, "transpose_vec in place: launch",                                     "2026-11-28", 8.3)     \
  X(block_us,                     0.0565, "a whole tile's beginning and end, of a multiprocessor",              "2026-11-28", 6.6)     \
  X(thread_us,                  0.000944, "more for each of its threads",                                       "2026-11-28", 6.6)     \
  X(edge_us,                      0.0583, "the same of any tile at an edge",                                    "2026-11-28", 7.1)     \
  X(edge_vector_us,              0.00559, "of such a tile, a vector of each thread",                            "2026-11-28", 7.1)     \
  X(edge_element_us,              0.0979, "and an element of each",                                             "2026-11-28", 11.5)    \
  X(read_misfit,                   0.546, "times the sectors, rows that begin within them: read",               "2026-11-28", 6.8)     \
  X(write_misfit,                   2.23, "likewise, written",                                                  "2026-11-28", 7.7)     \
  X(overlap,                        3.62, "power by which blocks and memory overlap, matrices with edges", "2026-11-28", 7.1)          \
  X(partial_factor,                 5.66, "times the bytes, sectors in part",                                   "2026-11-28", 10.9)    \
  X(last_share,                   0.0802, "of a block's time at an edge, the last",                             "2026-11-28", 7.1)     \
  X(edge_filled,                   0.615, "times its own cost, more where it is full",                          "2026-11-28", 7.1)     \
  X(edge_launch_us,                0.234, "launch, more of the kernel for matrices with edges",                 "2026-11-28", 7.1)     \
  X(small1_share,                  0.669, "of memory_gbs",                                                      "2026-11-28", 9.4)     \
  X(small2_share,                  0.763, "of memory_gbs",                                                      "2026-11-28", 9.4)     \
  X(small4_share,                   0.75, "of memory_gbs",                                                      "2026-11-28", 4.3)     \
  X(small8_share,                  0.753, "of memory_gbs",                                                      "2026-11-28", 6.3)     \
  X(small16_share,                  1.07, "of memory_gbs",                                                      "2026-11-28", 7.0)     \
  X(large1_share,                  0.568, "of memory_gbs",                                                      "2026-11-28", 9.4)     \
  X(large2_share,                  0.803, "of memory_gbs",                                                      "2026-11-28", 6.8)     \
  X(large4_share,                  0.872, "of memory_gbs",                                                      "2026-11-28", 3.0)     \
  X(large8_share,                  0.868, "of memory_gbs",                                                      "2026-11-28", 3.8)     \
  X(large16_share,                  0.88, "of memory_gbs",                                                      "2026-11-28", 3.7)     \
  X(wide1_share,                   0.847, "of memory_gbs",                                                      "2026-11-28", 6.7)     \
  X(widest1_share,                 0.791, "of memory_gbs",                                                      "2026-11-28", 5.0)     \
  X(in_place1_share,               0.697, "of memory_gbs",                                                      "2026-11-28", 7.1)     \
  X(in_place2_share,               0.755, "of memory_gbs",                                                      "2026-11-28", 8.4)     \
  X(in_place4_share,               0.602, "of memory_gbs",                                                      "2026-11-28", 13.0)    \
  X(in_place8_share,               0.636, "of memory_gbs",                                                      "2026-11-28", 8.6)     \
  X(in_place16_share,              0.849, "of memory_gbs",                                                      "2026-11-28", 2.0)     \
  X(small1_edge_us,               0.0568, "more of a tile at an edge, empty",                                   "2026-11-28", 13.4)    \
  X(small2_edge_us,               0.0599, "more of a tile at an edge, empty",                                   "2026-11-28", 14.9)    \
  X(small4_edge_us,               0.0854, "more of a tile at an edge, empty",                                   "2026-11-28", 6.1)     \
  X(small8_edge_us,                0.239, "more of a tile at an edge, empty",                                   "2026-11-28", 8.2)     \
  X(small16_edge_us,              0.0949, "more of a tile at an edge, empty",                                   "2026-11-28", 6.2)     \
  X(large1_edge_us,                0.246, "more of a tile at an edge, empty",                                   "2026-11-28", 7.8)     \
  X(large2_edge_us,                 1.34, "more of a tile at an edge, empty",                                   "2026-11-28", 9.5)     \
  X(large4_edge_us,                0.578, "more of a tile at an edge, empty",                                   "2026-11-28", 3.6)     \
  X(large8_edge_us,                0.768, "more of a tile at an edge, empty",                                   "2026-11-28", 4.0)     \
  X(large16_edge_us,               0.161, "more of a tile at an edge, empty",                                   "2026-11-28", 4.0)     \
  X(wide1_edge_us,                 0.391, "more of a tile at an edge, empty",                                   "2026-11-28", 5.7)     \
  X(widest1_edge_us,              0.8039, "more of a tile at an edge, empty",                                   "2026-11-28", 0.0)     \
  X(in_place1_edge_us,             0.329, "more of a tile at an edge, empty",                                   "2026-11-28", 5.8)     \
  X(in_place2_edge_us,             0.982, "more of a tile at an edge, empty",                                   "2026-11-28", 13.5)    \
  X(in_place4_edge_us,             0.769, "more of a tile at an edge, empty",                                   "2026-11-28", 9.3)     \
  X(in_place8_edge_us,             0.627, "more of a tile at an edge, empty",                                   "2026-11-28", 9.0)     \
  X(in_place16_edge_us,            0.228, "more of a tile at an edge, empty",                                   "2026-11-28", 0.3)     \
  X(padded_us,                     0.929, "transpose_padded: launch",                                           "2026-11-28", 3.8)     \
  X(padded1_share,                  0.43, "of memory_gbs",                                                      "2026-11-28", 2.7)     \
  X(padded2_share,                 0.597, "of memory_gbs",                                                      "2026-11-28", 3.4)     \
  X(padded4_share,                  0.78, "of memory_gbs",                                                      "2026-11-28", 3.9)     \
  X(padded8_share,                 0.819, "of memory_gbs",                                                      "2026-11-28", 5.0)     \
  X(padded16_share,                0.825, "of memory_gbs",                                                      "2026-11-28", 6.2)     \
  X(padded1_tile_us,               0.161, "a tile, of a multiprocessor",                                        "2026-11-28", 2.7)     \
  X(padded2_tile_us,               0.173, "a tile, of a multiprocessor",                                        "2026-11-28", 3.5)     \
  X(padded4_tile_us,               0.152, "a tile, of a multiprocessor",                                        "2026-11-28", 3.8)     \
  X(padded8_tile_us,               0.151, "a tile, of a multiprocessor",                                        "2026-11-28", 5.0)     \
  X(padded16_tile_us,              0.173, "a tile, of a multiprocessor",                                        "2026-11-28", 6.2)     \
  X(padded1_rows_us,              0.0285, "more for all its rows, read or written",                             "2026-11-28", 2.7)     \
  X(padded2_rows_us,               0.025, "more for all its rows, read or written",                             "2026-11-28", 3.5)     \
  X(padded4_rows_us,              0.0375, "more for all its rows, read or written",                             "2026-11-28", 3.8)     \
  X(padded8_rows_us,              0.0395, "more for all its rows, read or written",                             "2026-11-28", 5.0)     \
  X(padded16_rows_us,             0.0397, "more for all its rows, read or written",                             "2026-11-28", 6.2)     \
  X(padded1_unaligned,             0.459, "times that, written within sectors",                                 "2026-11-28", 2.5)     \
  X(padded2_unaligned,             0.567, "times that, written within sectors",                                 "2026-11-28", 3.7)     \
  X(padded4_unaligned,              0.91, "times that, written within sectors",                                 "2026-11-28", 4.1)     \
  X(padded8_unaligned,              1.25, "times that, written within sectors",                                 "2026-11-28", 5.3)     \
  X(padded16_unaligned,            0.952, "times that, written within sectors",                                 "2026-11-28", 4.6)     \
  X(padded_overlap,                 3.88, "power by which blocks and memory overlap",                           "2026-11-28", 3.8)     \
  X(padded_partial,                 1.65, "times the bytes, sectors in part",                                   "2026-11-28", 5.3)     \
  X(padded_last,                   0.761, "of a block's time, the last",                                        "2026-11-28", 3.8)     \
  X(padded_in_place,                1.19, "times the memory's time, in place",                                  "2026-11-28", 7.6)     \
  X(padded_leaving_us,             0.249, "a block that leaves at once",                                        "2026-11-28", 7.7)     \
  X(unaligned_us,                   1.32, "transpose_unaligned: launch",                                        "2026-11-28", 6.2)     \
  X(unaligned1_share,              0.848, "of memory_gbs",                                                      "2026-11-28", 8.0)     \
  X(unaligned2_share,              0.812, "of memory_gbs",                                                      "2026-11-28", 5.8)     \
  X(unaligned4_share,              0.836, "of memory_gbs",                                                      "2026-11-28", 4.3)     \
  X(unaligned8_share,              0.839, "of memory_gbs",                                                      "2026-11-28", 5.6)     \
  X(unaligned16_share,             0.821, "of memory_gbs",                                                      "2026-11-28", 4.3)     \
  X(unaligned1_whole_us,            1.08, "a tile within the matrix, of a multiprocessor",                      "2026-11-28", 6.7)     \
  X(unaligned2_whole_us,           0.833, "a tile within the matrix, of a multiprocessor",                      "2026-11-28", 4.7)     \
  X(unaligned4_whole_us,            1.05, "a tile within the matrix, of a multiprocessor",                      "2026-11-28", 3.6)     \
  X(unaligned8_whole_us,            1.18, "a tile within the matrix, of a multiprocessor",                      "2026-11-28", 2.9)     \
  X(unaligned16_whole_us,          0.388, "a tile within the matrix, of a multiprocessor",                      "2026-11-28", 4.2)     \
  X(unaligned1_edge_us,             1.08, "a tile at an edge",                                                  "2026-11-28", 8.7)     \
  X(unaligned2_edge_us,            0.861, "a tile at an edge",                                                  "2026-11-28", 6.1)     \
  X(unaligned4_edge_us,            0.484, "a tile at an edge",                                                  "2026-11-28", 4.5)     \
  X(unaligned8_edge_us,            0.492, "a tile at an edge",                                                  "2026-11-28", 5.8)     \
  X(unaligned16_edge_us,           0.251, "a tile at an edge",                                                  "2026-11-28", 4.4)     \
  X(unaligned1_cols_us,            0.332, "more for all its columns",                                           "2026-11-28", 8.7)     \
  X(unaligned2_cols_us,            0.155, "more for all its columns",                                           "2026-11-28", 6.1)     \
  X(unaligned4_cols_us,            0.387, "more for all its columns",                                           "2026-11-28", 4.5)     \
  X(unaligned8_cols_us,            0.347, "more for all its columns",                                           "2026-11-28", 5.8)     \
  X(unaligned16_cols_us,           0.123, "more for all its columns",                                           "2026-11-28", 4.4)     \
  X(unaligned1_parts_us,           0.452, "more for their vectors in part",                                     "2026-11-28", 9.0)     \
  X(unaligned2_parts_us,           0.121, "more for their vectors in part",                                     "2026-11-28", 6.0)     \
  X(unaligned4_parts_us,           0.175, "more for their vectors in part",                                     "2026-11-28", 4.7)     \
  X(unaligned8_parts_us,           0.125, "more for their vectors in part",                                     "2026-11-28", 5.3)     \
  X(unaligned_element_row_us,     0.0255, "a source row read by elements",                                      "2026-11-28", 7.7)     \
  X(unaligned_overlap,              4.36, "power by which blocks and memory overlap",                           "2026-11-28", 6.0)     \
  X(unaligned_partial,              3.87, "times the bytes, sectors in part",                                   "2026-11-28", 9.0)     \
  X(unaligned_bank_us,             0.168, "a tile whose rows all have one shift",                               "2026-11-28", 6.5)     \
  X(unaligned_vectors,               0.75, "times a tile within the matrix, rows of the result at vectors",         "2026-11-28", 5.4)     \
  X(unaligned_last,                0.626, "of a block's time, the last",                                        "2026-11-28", 6.2)
// clang-format on
GPUOPT_FIGURES(TransposeTileFigures, transpose_tile_figures, GPUOPT_TRANSPOSE_TILE_FIGURES)

}  // namespace gpuopt
