// What transposes by tiles cost. Rows with a digit are of elements of that many bytes.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_TILE_FIGURES(X)                                                                                               \
  /* name                         value  what it is                                                       fitted to        error, % */ \
  X(small_us,                       3.71, "transpose_vec, small tiles: launch",                            "2026-11-27-h200", 6.7)     \
  X(large_us,                       4.39, "transpose_vec, large tiles: launch",                            "2026-11-27-h200", 5.3)     \
  X(wide_us,                        4.13, "transpose_vec, 16-byte vectors: launch",                        "2026-11-27-h200", 6.1)     \
  X(widest_us,                       4.6, "the same, largest tiles: launch",                               "2026-11-27-h200", 6.4)     \
  X(in_place_us,                    4.08, "transpose_vec in place: launch",                                "2026-11-27-h200", 8.4)     \
  X(block_us,                      0.053, "a whole tile's beginning and end, of a multiprocessor",         "2026-11-27-h200", 6.3)     \
  X(thread_us,                  0.000908, "more for each of its threads",                                  "2026-11-27-h200", 6.1)     \
  X(edge_us,                      0.0581, "the same of any tile at an edge",                               "2026-11-27-h200", 6.5)     \
  X(edge_vector_us,                0.006, "of such a tile, a vector of each thread",                       "2026-11-27-h200", 6.5)     \
  X(edge_element_us,              0.0879, "and an element of each",                                        "2026-11-27-h200", 9.6)     \
  X(read_misfit,                   0.585, "times the sectors, rows that begin within them: read",          "2026-11-27-h200", 6.3)     \
  X(write_misfit,                   1.91, "likewise, written",                                             "2026-11-27-h200", 6.0)     \
  X(overlap,                        3.13, "power by which blocks and memory overlap, matrices with edges", "2026-11-27-h200", 6.5)     \
  X(partial_factor,                 3.32, "times the bytes, sectors in part",                              "2026-11-27-h200", 10.3)    \
  X(last_share,                   0.0795, "of a block's time at an edge, the last",                        "2026-11-27-h200", 6.5)     \
  X(edge_filled,                   0.665, "times its own cost, more where it is full",                     "2026-11-27-h200", 6.5)     \
  X(edge_launch_us,                0.267, "launch, more of the kernel for matrices with edges",            "2026-11-27-h200", 6.5)     \
  X(small1_share,                  0.767, "of memory_gbs",                                                 "2026-11-27-h200", 7.2)     \
  X(small2_share,                  0.835, "of memory_gbs",                                                 "2026-11-27-h200", 7.8)     \
  X(small4_share,                  0.803, "of memory_gbs",                                                 "2026-11-27-h200", 4.9)     \
  X(small8_share,                  0.762, "of memory_gbs",                                                 "2026-11-27-h200", 6.1)     \
  X(small16_share,                  1.11, "of memory_gbs",                                                 "2026-11-27-h200", 4.0)     \
  X(large1_share,                  0.644, "of memory_gbs",                                                 "2026-11-27-h200", 7.7)     \
  X(large2_share,                  0.858, "of memory_gbs",                                                 "2026-11-27-h200", 4.6)     \
  X(large4_share,                  0.876, "of memory_gbs",                                                 "2026-11-27-h200", 4.0)     \
  X(large8_share,                  0.875, "of memory_gbs",                                                 "2026-11-27-h200", 4.9)     \
  X(large16_share,                 0.905, "of memory_gbs",                                                 "2026-11-27-h200", 3.8)     \
  X(wide1_share,                   0.842, "of memory_gbs",                                                 "2026-11-27-h200", 5.7)     \
  X(widest1_share,                 0.824, "of memory_gbs",                                                 "2026-11-27-h200", 5.0)     \
  X(in_place1_share,               0.717, "of memory_gbs",                                                 "2026-11-27-h200", 6.1)     \
  X(in_place2_share,               0.679, "of memory_gbs",                                                 "2026-11-27-h200", 13.9)    \
  X(in_place4_share,               0.638, "of memory_gbs",                                                 "2026-11-27-h200", 10.3)    \
  X(in_place8_share,                 0.7, "of memory_gbs",                                                 "2026-11-27-h200", 6.0)     \
  X(in_place16_share,               0.92, "of memory_gbs",                                                 "2026-11-27-h200", 5.7)     \
  X(small1_edge_us,               0.0691, "more of a tile at an edge, empty",                              "2026-11-27-h200", 9.5)     \
  X(small2_edge_us,               0.0643, "more of a tile at an edge, empty",                              "2026-11-27-h200", 16.1)    \
  X(small4_edge_us,               0.0812, "more of a tile at an edge, empty",                              "2026-11-27-h200", 7.2)     \
  X(small8_edge_us,                0.234, "more of a tile at an edge, empty",                              "2026-11-27-h200", 7.3)     \
  X(small16_edge_us,              0.0888, "more of a tile at an edge, empty",                              "2026-11-27-h200", 3.6)     \
  X(large1_edge_us,                0.248, "more of a tile at an edge, empty",                              "2026-11-27-h200", 13.2)    \
  X(large2_edge_us,                 1.31, "more of a tile at an edge, empty",                              "2026-11-27-h200", 7.3)     \
  X(large4_edge_us,                0.588, "more of a tile at an edge, empty",                              "2026-11-27-h200", 5.0)     \
  X(large8_edge_us,                0.734, "more of a tile at an edge, empty",                              "2026-11-27-h200", 5.1)     \
  X(large16_edge_us,               0.154, "more of a tile at an edge, empty",                              "2026-11-27-h200", 3.6)     \
  X(wide1_edge_us,                 0.344, "more of a tile at an edge, empty",                              "2026-11-27-h200", 6.7)     \
  X(widest1_edge_us,              0.8039, "more of a tile at an edge, empty",                              "2026-11-27-h200", 5.7)     \
  X(in_place1_edge_us,             0.329, "more of a tile at an edge, empty",                              "2026-11-27-h200", 5.4)     \
  X(in_place2_edge_us,             0.976, "more of a tile at an edge, empty",                              "2026-11-27-h200", 12.9)    \
  X(in_place4_edge_us,             0.726, "more of a tile at an edge, empty",                              "2026-11-27-h200", 8.9)     \
  X(in_place8_edge_us,             0.657, "more of a tile at an edge, empty",                              "2026-11-27-h200", 7.2)     \
  X(in_place16_edge_us,            0.229, "more of a tile at an edge, empty",                              "2026-11-27-h200", 6.4)     \
  X(padded_us,                      2.83, "transpose_padded: launch",                                      "2026-11-27-h200", 3.5)     \
  X(padded1_share,                 0.413, "of memory_gbs",                                                 "2026-11-27-h200", 2.4)     \
  X(padded2_share,                 0.611, "of memory_gbs",                                                 "2026-11-27-h200", 3.0)     \
  X(padded4_share,                 0.802, "of memory_gbs",                                                 "2026-11-27-h200", 4.2)     \
  X(padded8_share,                 0.814, "of memory_gbs",                                                 "2026-11-27-h200", 4.2)     \
  X(padded16_share,                0.844, "of memory_gbs",                                                 "2026-11-27-h200", 4.2)     \
  X(padded1_tile_us,               0.161, "a tile, of a multiprocessor",                                   "2026-11-27-h200", 2.4)     \
  X(padded2_tile_us,               0.163, "a tile, of a multiprocessor",                                   "2026-11-27-h200", 3.0)     \
  X(padded4_tile_us,               0.146, "a tile, of a multiprocessor",                                   "2026-11-27-h200", 4.2)     \
  X(padded8_tile_us,                0.15, "a tile, of a multiprocessor",                                   "2026-11-27-h200", 4.2)     \
  X(padded16_tile_us,              0.164, "a tile, of a multiprocessor",                                   "2026-11-27-h200", 4.2)     \
  X(padded1_rows_us,              0.0259, "more for all its rows, read or written",                        "2026-11-27-h200", 2.4)     \
  X(padded2_rows_us,              0.0256, "more for all its rows, read or written",                        "2026-11-27-h200", 3.0)     \
  X(padded4_rows_us,               0.037, "more for all its rows, read or written",                        "2026-11-27-h200", 4.2)     \
  X(padded8_rows_us,               0.034, "more for all its rows, read or written",                        "2026-11-27-h200", 4.2)     \
  X(padded16_rows_us,             0.0344, "more for all its rows, read or written",                        "2026-11-27-h200", 4.2)     \
  X(padded1_unaligned,             0.476, "times that, written within sectors",                            "2026-11-27-h200", 2.4)     \
  X(padded2_unaligned,             0.627, "times that, written within sectors",                            "2026-11-27-h200", 3.2)     \
  X(padded4_unaligned,              1.01, "times that, written within sectors",                            "2026-11-27-h200", 4.9)     \
  X(padded8_unaligned,              1.24, "times that, written within sectors",                            "2026-11-27-h200", 4.1)     \
  X(padded16_unaligned,            0.976, "times that, written within sectors",                            "2026-11-27-h200", 4.0)     \
  X(padded_overlap,                 3.41, "power by which blocks and memory overlap",                      "2026-11-27-h200", 3.5)     \
  X(padded_partial,                 1.67, "times the bytes, sectors in part",                              "2026-11-27-h200", 4.7)     \
  X(padded_last,                   0.688, "of a block's time, the last",                                   "2026-11-27-h200", 3.5)     \
  X(padded_in_place,                1.18, "times the memory's time, in place",                             "2026-11-27-h200", 6.5)     \
  X(padded_leaving_us,              0.24, "a block that leaves at once",                                   "2026-11-27-h200", 6.2)     \
  X(unaligned_us,                   3.34, "transpose_unaligned: launch",                                   "2026-11-27-h200", 5.6)     \
  X(unaligned1_share,              0.929, "of memory_gbs",                                                 "2026-11-27-h200", 7.4)     \
  X(unaligned2_share,              0.855, "of memory_gbs",                                                 "2026-11-27-h200", 5.7)     \
  X(unaligned4_share,              0.832, "of memory_gbs",                                                 "2026-11-27-h200", 4.7)     \
  X(unaligned8_share,              0.848, "of memory_gbs",                                                 "2026-11-27-h200", 5.0)     \
  X(unaligned16_share,             0.843, "of memory_gbs",                                                 "2026-11-27-h200", 2.9)     \
  X(unaligned1_whole_us,            1.03, "a tile within the matrix, of a multiprocessor",                 "2026-11-27-h200", 5.7)     \
  X(unaligned2_whole_us,           0.798, "a tile within the matrix, of a multiprocessor",                 "2026-11-27-h200", 4.5)     \
  X(unaligned4_whole_us,           0.637, "a tile within the matrix, of a multiprocessor",                 "2026-11-27-h200", 3.5)     \
  X(unaligned8_whole_us,           0.953, "a tile within the matrix, of a multiprocessor",                 "2026-11-27-h200", 2.6)     \
  X(unaligned16_whole_us,          0.295, "a tile within the matrix, of a multiprocessor",                 "2026-11-27-h200", 3.1)     \
  X(unaligned1_edge_us,             1.07, "a tile at an edge",                                             "2026-11-27-h200", 7.4)     \
  X(unaligned2_edge_us,            0.865, "a tile at an edge",                                             "2026-11-27-h200", 5.9)     \
  X(unaligned4_edge_us,            0.482, "a tile at an edge",                                             "2026-11-27-h200", 4.8)     \
  X(unaligned8_edge_us,            0.416, "a tile at an edge",                                             "2026-11-27-h200", 5.0)     \
  X(unaligned16_edge_us,           0.237, "a tile at an edge",                                             "2026-11-27-h200", 2.9)     \
  X(unaligned1_cols_us,             0.33, "more for all its columns",                                      "2026-11-27-h200", 7.4)     \
  X(unaligned2_cols_us,            0.166, "more for all its columns",                                      "2026-11-27-h200", 5.9)     \
  X(unaligned4_cols_us,            0.394, "more for all its columns",                                      "2026-11-27-h200", 4.8)     \
  X(unaligned8_cols_us,            0.436, "more for all its columns",                                      "2026-11-27-h200", 5.0)     \
  X(unaligned16_cols_us,           0.111, "more for all its columns",                                      "2026-11-27-h200", 2.9)     \
  X(unaligned1_parts_us,           0.452, "more for their vectors in part",                                "2026-11-27-h200", 7.2)     \
  X(unaligned2_parts_us,           0.122, "more for their vectors in part",                                "2026-11-27-h200", 5.4)     \
  X(unaligned4_parts_us,           0.128, "more for their vectors in part",                                "2026-11-27-h200", 5.2)     \
  X(unaligned8_parts_us,           0.106, "more for their vectors in part",                                "2026-11-27-h200", 5.0)     \
  X(unaligned_element_row_us,     0.0264, "a source row read by elements",                                 "2026-11-27-h200", 6.7)     \
  X(unaligned_overlap,              3.57, "power by which blocks and memory overlap",                      "2026-11-27-h200", 5.6)     \
  X(unaligned_partial,              3.82, "times the bytes, sectors in part",                              "2026-11-27-h200", 7.6)     \
  X(unaligned_bank_us,             0.183, "a tile whose rows all have one shift",                          "2026-11-27-h200", 6.4)     \
  X(unaligned_vectors,              0.802, "times a tile within the matrix, rows of the result at vectors",    "2026-11-27-h200", 4.6)     \
  X(unaligned_last,                0.488, "of a block's time, the last",                                   "2026-11-27-h200", 5.6)
// clang-format on
GPUOPT_FIGURES(TransposeTileFigures, transpose_tile_figures, GPUOPT_TRANSPOSE_TILE_FIGURES)

}  // namespace gpuopt
