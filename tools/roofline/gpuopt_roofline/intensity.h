// Arithmetic intensity of the gemm ladder as its code states it.
#pragma once
#include <string>

namespace gpuopt_roofline {

// FLOP/B of a product of f32 in tiles of rows x cols that pass through shared memory: a step of k brings rows + cols elements for
// rows * cols multiply-adds. 0.25 for 1 x 1; 0.25 times the width of a square tile.
double tiled_intensity(double rows, double cols);

// That of a rung of the ladder by its name; 0: not one whose tiles are known.
double rung_intensity(const std::string &kernel);

}  // namespace gpuopt_roofline
