/* Distortion of images as a matrix product, so that the network never sees the same image twice. */
#ifndef DIGITS_WARP_H
#define DIGITS_WARP_H

#include "support.h"

/* Rotating, scaling and shifting an image with bilinear interpolation is linear in its pixels: distorted = image * W
 * with a 64 x 64 matrix W. Returns count such matrices, drawn at random, one below the other: (64 * count) x 64. */
gpuopt_matrix new_warps(gpuopt_handle *h, int64_t count, uint64_t seed);

#endif
