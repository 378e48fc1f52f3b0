// The tiles that were kept, and how fast they are: tuning, apart from the algorithm (mma_kernel.cuh).
//
// MmaTile<A, B, M, N, bytes of k, warps along M and N, stages, blocks an SM must have registers for, staged, slices>
// kResident: blocks an SM holds. kSpeed: see MmaSpeed.
#ifndef GPUOPT_KERNELS_GEMM_MMA_TILES_CUH
#define GPUOPT_KERNELS_GEMM_MMA_TILES_CUH

#include "gemm/mma_launch.cuh"

namespace gpuopt {

// 16-bit operands.
template <class T>
struct Mma16Tile32x32 : MmaTile<T, T, 32, 32, 128, 2, 2, 6, 1> {
  static constexpr char kSummary[] = "mma.sync, 32 x 32 tiles, up to eight blocks share k: tiny products";
  static constexpr int kResident = 4;
  static constexpr MmaSpeed kSpeed = {3.4, 500, 430, 320};
};
template <class T>
struct Mma16Tile32x64 : MmaTile<T, T, 32, 64, 256, 1, 4, 3, 1, false, 2> {
  static constexpr char kSummary[] =
      "mma.sync, 32 x 64 tiles, 128 deep, two groups of warps and up to eight blocks share k: small products";
  static constexpr int kResident = 2;
  static constexpr MmaSpeed kSpeed = {3.9, 500, 1100, 1000};
};
template <class T>
struct Mma16Tile64x64 : MmaTile<T, T, 64, 64, 128, 2, 2, 4, 1> {
  static constexpr char kSummary[] = "mma.sync, 64 x 64 tiles, up to eight blocks share k: small products";
  static constexpr int kResident = 2;
  static constexpr MmaSpeed kSpeed = {4.0, 2500, 600, 520};
};
template <class T>
struct Mma16Tile128x128 : MmaTile<T, T, 128, 128, 128, 2, 2, 3, 2> {
  static constexpr char kSummary[] = "mma.sync, 128 x 128 tiles, two blocks an SM";
  static constexpr int kResident = 2;
  static constexpr MmaSpeed kSpeed = {4.2, 6500, 1600, 1370};
};
// Rows that begin anywhere.
template <class A, class B>
struct MmaUnaligned64x64 : MmaTile<A, B, 64, 64, 64, 2, 2, 2, 2, true> {
  static constexpr char kSummary[] = "mma.sync, 64 x 64 tiles through registers: rows may begin anywhere";
  static constexpr int kResident = 3;
  static constexpr MmaSpeed kSpeed = {4.6, 2500, 800, 1150};
};

// fp32 operands rounded to tf32.
struct MmaTf32Tile64x64 : MmaTile<float, float, 64, 64, 128, 2, 2, 4, 1> {
  static constexpr char kName[] = "gemm_mma_tf32_64x64";
  static constexpr char kSummary[] = "mma.sync, 64 x 64 tiles, up to eight blocks share k";
  static constexpr int kResident = 2;
  static constexpr MmaSpeed kSpeed = {4.6, 3000, 1200, 900};
};
struct MmaTf32Tile128x128 : MmaTile<float, float, 128, 128, 128, 2, 4, 3, 1> {
  static constexpr char kName[] = "gemm_mma_tf32_128x128";
  static constexpr char kSummary[] = "mma.sync, 128 x 128 tiles";
  static constexpr int kResident = 1;
  static constexpr MmaSpeed kSpeed = {4.6, 6500, 2100, 2100};
};

// 8-bit integers.
struct MmaI8Tile64x64 : MmaTile<int8_t, int8_t, 64, 64, 128, 4, 2, 4, 1> {
  static constexpr char kName[] = "gemm_mma_i8_64x64";
  static constexpr char kSummary[] = "mma.sync, 64 x 64 tiles, up to eight blocks share k";
  static constexpr int kResident = 2;
  static constexpr MmaSpeed kSpeed = {4.4, 2600, 560, 420};
};
struct MmaI8Tile128x128 : MmaTile<int8_t, int8_t, 128, 128, 128, 2, 4, 3, 1> {
  static constexpr char kName[] = "gemm_mma_i8_128x128";
  static constexpr char kSummary[] = "mma.sync, 128 x 128 tiles";
  static constexpr int kResident = 1;
  static constexpr MmaSpeed kSpeed = {4.6, 5000, 1450, 1450};
};

// fp8: a second set of sums, so smaller parts for each warp.
struct MmaE4m3Tile128x64 : MmaTile<__nv_fp8_e4m3, __nv_fp8_e4m3, 128, 64, 128, 4, 2, 4, 1> {
  static constexpr char kName[] = "gemm_mma_e4m3_128x64";
  static constexpr char kSummary[] = "mma.sync, 128 x 64 tiles";
  static constexpr int kResident = 2;
  static constexpr MmaSpeed kSpeed = {4.6, 5000, 1300, 1000};
};

}  // namespace gpuopt

#endif
