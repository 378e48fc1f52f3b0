// What transposes by tiles cost. Rows with a digit are of elements of that many bytes.
#pragma once

#include "common/figures.h"

namespace gpuopt {

// clang-format off
#define GPUOPT_TRANSPOSE_TILE_FIGURES(X)                                                                                               \
  /* name                         value  what it is                                                       fitted to        error, % */ \
  X(small_us,                      3.793, "transpose_vec, small tiles: launch",                            "2026-11-22-h200", 8.4)     \
  X(large_us,                      4.377, "transpose_vec, large tiles: launch",                            "2026-11-22-h200", 8.4)     \
  X(wide_us,                       4.381, "transpose_vec, 16-byte vectors: launch",                        "2026-11-22-h200", 8.4)     \
  X(widest_us,                     4.696, "the same, largest tiles: launch",                               "2026-11-22-h200", 8.4)     \
  X(in_place_us,                   4.175, "transpose_vec in place: launch",                                "2026-11-22-h200", 8.4)     \
  X(block_us,                    0.05378, "a whole tile's beginning and end, of a multiprocessor",         "2026-11-22-h200", 8.4)     \
  X(thread_us,                 0.0008499, "more for each of its threads",                                  "2026-11-22-h200", 8.4)     \
  X(edge_us,                     0.04767, "the same of any tile at an edge",                               "2026-11-22-h200", 8.4)     \
  X(edge_vector_us,             0.006742, "of such a tile, a vector of each thread",                       "2026-11-22-h200", 8.4)     \
  X(edge_element_us,             0.09003, "and an element of each",                                        "2026-11-22-h200", 8.4)     \
  X(read_misfit,                  0.6558, "times the sectors, rows that begin within them: read",          "2026-11-22-h200", 8.4)     \
  X(write_misfit,                   2.02, "likewise, written",                                             "2026-11-22-h200", 8.4)     \
  X(overlap,                       2.713, "power by which blocks and memory overlap, matrices with edges", "2026-11-22-h200", 8.4)     \
  X(partial_factor,                2.827, "times the bytes, sectors in part",                              "2026-11-22-h200", 8.4)     \
  X(last_share,                  0.08322, "of a block's time at an edge, the last",                        "2026-11-22-h200", 8.4)     \
  X(edge_filled,                  0.5637, "times its own cost, more where it is full",                     "2026-11-22-h200", 8.4)     \
  X(edge_launch_us,               0.2866, "launch, more of the kernel for matrices with edges",            "2026-11-22-h200", 8.4)     \
  X(small1_share,                 0.5999, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(small2_share,                 0.7901, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(small4_share,                 0.8536, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(small8_share,                  0.803, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(small16_share,                 1.405, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(large1_share,                 0.7985, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(large2_share,                 0.8536, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(large4_share,                  0.893, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(large8_share,                 0.8757, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(large16_share,                0.9117, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(wide1_share,                  0.8397, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(widest1_share,                0.8374, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(in_place1_share,              0.7225, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(in_place2_share,              0.7512, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(in_place4_share,              0.7231, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(in_place8_share,              0.6681, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(in_place16_share,             0.8843, "of memory_gbs",                                                 "2026-11-22-h200", 8.4)     \
  X(small1_edge_us,              0.05997, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(small2_edge_us,              0.05893, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(small4_edge_us,              0.07948, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(small8_edge_us,               0.2326, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(small16_edge_us,             0.09289, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(large1_edge_us,               0.2995, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(large2_edge_us,                1.105, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(large4_edge_us,               0.5463, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(large8_edge_us,               0.6046, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(large16_edge_us,              0.1463, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(wide1_edge_us,                0.3624, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(widest1_edge_us,              0.8039, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(in_place1_edge_us,            0.3897, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(in_place2_edge_us,             1.073, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(in_place4_edge_us,            0.7774, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(in_place8_edge_us,             0.506, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(in_place16_edge_us,            0.229, "more of a tile at an edge, empty",                              "2026-11-22-h200", 8.4)     \
  X(padded_us,                     2.906, "transpose_padded: launch",                                      "2026-11-22-h200", 3.9)     \
  X(padded1_share,                0.4424, "of memory_gbs",                                                 "2026-11-22-h200", 3.9)     \
  X(padded2_share,                0.6379, "of memory_gbs",                                                 "2026-11-22-h200", 3.9)     \
  X(padded4_share,                0.8305, "of memory_gbs",                                                 "2026-11-22-h200", 3.9)     \
  X(padded8_share,                0.8468, "of memory_gbs",                                                 "2026-11-22-h200", 3.9)     \
  X(padded16_share,               0.8534, "of memory_gbs",                                                 "2026-11-22-h200", 3.9)     \
  X(padded1_tile_us,              0.1511, "a tile, of a multiprocessor",                                   "2026-11-22-h200", 3.9)     \
  X(padded2_tile_us,              0.1502, "a tile, of a multiprocessor",                                   "2026-11-22-h200", 3.9)     \
  X(padded4_tile_us,              0.1479, "a tile, of a multiprocessor",                                   "2026-11-22-h200", 3.9)     \
  X(padded8_tile_us,                0.14, "a tile, of a multiprocessor",                                   "2026-11-22-h200", 3.9)     \
  X(padded16_tile_us,              0.156, "a tile, of a multiprocessor",                                   "2026-11-22-h200", 3.9)     \
  X(padded1_rows_us,             0.02577, "more for all its rows, read or written",                        "2026-11-22-h200", 3.9)     \
  X(padded2_rows_us,             0.02758, "more for all its rows, read or written",                        "2026-11-22-h200", 3.9)     \
  X(padded4_rows_us,             0.03244, "more for all its rows, read or written",                        "2026-11-22-h200", 3.9)     \
  X(padded8_rows_us,             0.03541, "more for all its rows, read or written",                        "2026-11-22-h200", 3.9)     \
  X(padded16_rows_us,            0.03085, "more for all its rows, read or written",                        "2026-11-22-h200", 3.9)     \
  X(padded1_unaligned,            0.4904, "times that, written within sectors",                            "2026-11-22-h200", 3.9)     \
  X(padded2_unaligned,            0.6896, "times that, written within sectors",                            "2026-11-22-h200", 3.9)     \
  X(padded4_unaligned,            0.9638, "times that, written within sectors",                            "2026-11-22-h200", 3.9)     \
  X(padded8_unaligned,             1.208, "times that, written within sectors",                            "2026-11-22-h200", 3.9)     \
  X(padded16_unaligned,           0.9292, "times that, written within sectors",                            "2026-11-22-h200", 3.9)     \
  X(padded_overlap,                3.046, "power by which blocks and memory overlap",                      "2026-11-22-h200", 3.9)     \
  X(padded_partial,                1.336, "times the bytes, sectors in part",                              "2026-11-22-h200", 3.9)     \
  X(padded_last,                   0.636, "of a block's time, the last",                                   "2026-11-22-h200", 3.9)     \
  X(padded_in_place,                1.18, "times the memory's time, in place",                             "2026-11-22-h200", 3.9)     \
  X(padded_leaving_us,            0.1925, "a block that leaves at once",                                   "2026-11-22-h200", 3.9)     \
  X(unaligned_us,                  3.362, "transpose_unaligned: launch",                                   "2026-11-22-h200", 5.9)     \
  X(unaligned1_share,             0.8762, "of memory_gbs",                                                 "2026-11-22-h200", 5.9)     \
  X(unaligned2_share,             0.8978, "of memory_gbs",                                                 "2026-11-22-h200", 5.9)     \
  X(unaligned4_share,             0.8523, "of memory_gbs",                                                 "2026-11-22-h200", 5.9)     \
  X(unaligned8_share,             0.8904, "of memory_gbs",                                                 "2026-11-22-h200", 5.9)     \
  X(unaligned16_share,             0.852, "of memory_gbs",                                                 "2026-11-22-h200", 5.9)     \
  X(unaligned1_whole_us,          0.9252, "a tile within the matrix, of a multiprocessor",                 "2026-11-22-h200", 5.9)     \
  X(unaligned2_whole_us,          0.7728, "a tile within the matrix, of a multiprocessor",                 "2026-11-22-h200", 5.9)     \
  X(unaligned4_whole_us,           0.474, "a tile within the matrix, of a multiprocessor",                 "2026-11-22-h200", 5.9)     \
  X(unaligned8_whole_us,          0.9293, "a tile within the matrix, of a multiprocessor",                 "2026-11-22-h200", 5.9)     \
  X(unaligned16_whole_us,         0.2357, "a tile within the matrix, of a multiprocessor",                 "2026-11-22-h200", 5.9)     \
  X(unaligned1_edge_us,            1.086, "a tile at an edge",                                             "2026-11-22-h200", 5.9)     \
  X(unaligned2_edge_us,            0.884, "a tile at an edge",                                             "2026-11-22-h200", 5.9)     \
  X(unaligned4_edge_us,             0.37, "a tile at an edge",                                             "2026-11-22-h200", 5.9)     \
  X(unaligned8_edge_us,           0.5052, "a tile at an edge",                                             "2026-11-22-h200", 5.9)     \
  X(unaligned16_edge_us,          0.2137, "a tile at an edge",                                             "2026-11-22-h200", 5.9)     \
  X(unaligned1_cols_us,           0.3821, "more for all its columns",                                      "2026-11-22-h200", 5.9)     \
  X(unaligned2_cols_us,           0.1654, "more for all its columns",                                      "2026-11-22-h200", 5.9)     \
  X(unaligned4_cols_us,           0.1896, "more for all its columns",                                      "2026-11-22-h200", 5.9)     \
  X(unaligned8_cols_us,           0.4491, "more for all its columns",                                      "2026-11-22-h200", 5.9)     \
  X(unaligned16_cols_us,         0.09696, "more for all its columns",                                      "2026-11-22-h200", 5.9)     \
  X(unaligned1_parts_us,          0.4162, "more for their vectors in part",                                "2026-11-22-h200", 5.9)     \
  X(unaligned2_parts_us,          0.1183, "more for their vectors in part",                                "2026-11-22-h200", 5.9)     \
  X(unaligned4_parts_us,         0.06864, "more for their vectors in part",                                "2026-11-22-h200", 5.9)     \
  X(unaligned8_parts_us,         0.07505, "more for their vectors in part",                                "2026-11-22-h200", 5.9)     \
  X(unaligned_element_row_us,    0.04279, "a source row read by elements",                                 "2026-11-22-h200", 5.9)     \
  X(unaligned_overlap,             3.081, "power by which blocks and memory overlap",                      "2026-11-22-h200", 5.9)     \
  X(unaligned_partial,             3.393, "times the bytes, sectors in part",                              "2026-11-22-h200", 5.9)     \
  X(unaligned_bank_us,            0.2046, "a tile whose rows all have one shift",                          "2026-11-22-h200", 5.9)     \
  X(unaligned_last,               0.3868, "of a block's time, the last",                                   "2026-11-22-h200", 5.9)
// clang-format on
GPUOPT_FIGURES(TransposeTileFigures, transpose_tile_figures, GPUOPT_TRANSPOSE_TILE_FIGURES)

}  // namespace gpuopt
