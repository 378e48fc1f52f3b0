#include "warp.h"

#include <math.h>
#include <stdlib.h>

#include "csv.h"
#include "random.h"

enum { SIDE = 8 };
static const float most_turn = 0.2f;   /* radians */
static const float most_scale = 0.1f;  /* of the size, in each direction */
static const float most_shift = 0.75f; /* pixels */

/* Column (row, col) of w takes its value from the point (y, x) of the image: four pixels by their nearness. What lies
 * outside of the image is blank. */
static void interpolate(float *w, int row, int col, float y, float x) {
  const int top = (int)floorf(y), left = (int)floorf(x);
  for (int i = top; i <= top + 1; i++)
    for (int j = left; j <= left + 1; j++)
      if (i >= 0 && i < SIDE && j >= 0 && j < SIDE)
        w[(i * SIDE + j) * DIGITS_PIXELS + row * SIDE + col] = (1 - fabsf(y - (float)i)) * (1 - fabsf(x - (float)j));
}

static void draw_warp(float *w, uint64_t *random) {
  const float centre = (SIDE - 1) / 2.0f, turn = most_turn * random_symmetric(random);
  const float height = 1 + most_scale * random_symmetric(random), width = 1 + most_scale * random_symmetric(random);
  const float down = most_shift * random_symmetric(random), right = most_shift * random_symmetric(random);
  for (int row = 0; row < SIDE; row++)
    for (int col = 0; col < SIDE; col++) {
      const float v = ((float)row - centre) * height, u = ((float)col - centre) * width;
      interpolate(w, row, col, centre + down + v * cosf(turn) + u * sinf(turn),
                  centre + right + u * cosf(turn) - v * sinf(turn));
    }
}

gpuopt_matrix new_warps(gpuopt_handle *h, int64_t count, uint64_t seed) {
  const int64_t each = DIGITS_PIXELS * DIGITS_PIXELS;
  float *values = calloc((size_t)(count * each), sizeof(float));
  if (!values) die("no memory for %lld distortions", (long long)count);
  for (int64_t i = 0; i < count; i++) draw_warp(values + i * each, &seed);
  const gpuopt_matrix warps = new_matrix(h, count * DIGITS_PIXELS, DIGITS_PIXELS, GPUOPT_F32, values);
  free(values);
  return warps;
}
