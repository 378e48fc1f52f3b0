// Kernels that tests bring as images: x + y over packed elements, a softmax a row a block, and column sums that need scratch
// memory. Plain on purpose: what is tested is how they are found, given their arguments, and launched.

extern "C" __global__ void __launch_bounds__(128) vector_add(const float *x, const float *y, float *out, int count) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < count) out[i] = x[i] + y[i];
}

// Dynamic shared memory holds the row.
extern "C" __global__ void __launch_bounds__(256)
    softmax(const float *x, float *out, int cols, long long ld_x, long long ld_out) {
  extern __shared__ float row[];
  __shared__ float parts[256];
  const float *const from = x + blockIdx.x * ld_x;
  const auto all = [&](float mine, bool largest) {
    parts[threadIdx.x] = mine;
    for (int half = 128; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x >= half) continue;
      const float other = parts[threadIdx.x + half];
      parts[threadIdx.x] = largest ? fmaxf(parts[threadIdx.x], other) : parts[threadIdx.x] + other;
    }
    __syncthreads();
    const float result = parts[0];
    __syncthreads();
    return result;
  };
  float most = -INFINITY, sum = 0;
  for (int j = threadIdx.x; j < cols; j += 256) most = fmaxf(most, row[j] = from[j]);
  most = all(most, true);
  for (int j = threadIdx.x; j < cols; j += 256) sum += row[j] = expf(row[j] - most);
  sum = all(sum, false);
  for (int j = threadIdx.x; j < cols; j += 256) out[blockIdx.x * ld_out + j] = row[j] / sum;
}

// A block sums its rows of a column into scratch; the block that finishes last adds the parts, and leaves its counter zero.
extern "C" __global__ void __launch_bounds__(128) column_sums(const float *x, float *out, float *parts, unsigned *done,
                                                              int rows, int cols, long long ld_x, long long ld_out) {
  const int j = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.y; i < rows && j < cols; i += gridDim.y) sum += x[i * ld_x + j];
  if (j < cols) parts[static_cast<long long>(blockIdx.y) * cols + j] = sum;
  __threadfence();
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(&done[blockIdx.x], 1u) == gridDim.y - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  sum = 0;
  for (int part = 0; part < gridDim.y && j < cols; ++part) sum += parts[static_cast<long long>(part) * cols + j];
  if (j < cols) out[j * ld_out] = sum;
  if (threadIdx.x == 0) done[blockIdx.x] = 0;
}
