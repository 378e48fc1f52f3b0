// Products: tiling, registers, double buffering, tensor cores, and the five experiments of text 002.
#include "gpuopt_lab/experiment.h"

namespace gpuopt_lab {
namespace {

constexpr const char *kF32_1024 = "gemm a=1024x1024:f32 b=1024x1024:f32 d=1024x1024:f32";
constexpr const char *kF32 = "gemm a=2048x2048:f32 b=2048x2048:f32 d=2048x2048:f32";
constexpr const char *kF32Nt = "gemm a=2048x2048:f32 b=2048x2048:f32:col d=2048x2048:f32";
constexpr const char *kTf32 = "gemm compute=tf32 a=4096x4096:f32 b=4096x4096:f32 d=4096x4096:f32";
constexpr const char *kF32_4096 = "gemm compute=f32 a=4096x4096:f32 b=4096x4096:f32 d=4096x4096:f32";
constexpr const char *kF16 = "gemm a=2048x2048:f16 b=2048x2048:f16 d=2048x2048:f32";
constexpr const char *kF16_1024 = "gemm a=1024x1024:f16 b=1024x1024:f16 d=1024x1024:f32";
constexpr const char *kF16_4096 = "gemm a=4096x4096:f16 b=4096x4096:f16 d=4096x4096:f16";
constexpr const char *kSums16_4096 = "gemm compute=f16 a=4096x4096:f16 b=4096x4096:f16 d=4096x4096:f16";
constexpr const char *kI8_4096 = "gemm a=4096x4096:i8 b=4096x4096:i8:col d=4096x4096:i32";

// Bytes that n^3 multiply-adds of f32 ask of the memory behind shared memory with square tiles of that width.
constexpr double tiled_bytes(double n, double tile) { return 8 * n * n * n / tile; }

}  // namespace

std::vector<Experiment> gemm_experiments() {
  const double n = 2048;
  return {
      {"000.1a", "tiles in shared memory (L0 to L1)", "global traffic falls to 1/32; much faster", 0,
       {{"L0", "gemm_naive", kF32, "normal", tiled_bytes(n, 1)},
        {"L1", "gemm_tiled_32", kF32, "normal", tiled_bytes(n, 32)}},
       0, 1, Metric::l2_bytes,
       "The traffic falls as the text says; the time falls less, for L1 had served much of it and shared memory is the next "
       "bound."},
      {"000.2a", "8 x 4 sums a thread in registers (L1 to L2)", "the largest step of the three", 0,
       {{"L1", "gemm_tiled_32", kF32}, {"L2", "gemm_regblock_8x4", kF32}},
       0, 1, Metric::issue_active,
       "12 reads of shared memory for 32 multiply-adds, where L1 needs 40."},
      {"000.3a", "double buffering of a register-blocked kernel (L2 to L3)",
       "two times slower: 16 KB of shared memory for 8, half of the blocks", 0.5,
       {{"L2", "gemm_one_warp", kF32}, {"L3", "gemm_one_warp_double", kF32}},
       0, 1, Metric::occupancy,
       "Half of the blocks it is, but a multiprocessor of Hopper has 227 KB and keeps enough of them, and the second pair of "
       "tiles hides what the missing blocks hid."},
      {"000.3b", "spilling to local memory", "register pressure makes variables spill, and the kernel slower", 0,
       {{"no spill", "gemm_regblock_8x8", kF32, "normal", 0}, {"spilled", "gemm_spilled_8x8", kF32}},
       0, 1, Metric::local_requests,
       "Twice the occupancy, and slower: the sums that registers held go through L1 at every step."},
      {"000.3c", "instruction overhead: a loop against the same loop unrolled",
       "more complex logic is more instructions", 0,
       {{"a true loop", "gemm_unrolled_1", kF32}, {"unrolled", "gemm_unrolled", kF32}},
       0, 1, Metric::instructions, "Counting, jumping and narrow reads of A go."},
      {"001.1a", "coalesced access of a product", "up to 31/32 of the bandwidth is wasted otherwise", 32,
       {{"along columns", "gemm_uncoalesced", kF32, "normal", 32}, {"along rows", "gemm_naive", kF32, "normal", 2.5}},
       0, 1, Metric::load_sectors,
       "L1 keeps the lines that a warp scattered over for the next steps of k, so most of the waste is not memory's."},
      {"001.1b", "corner turning of a column-major B", "B is read coalesced", 0,
       {{"as it lies", "gemm_naive", kF32Nt, "normal", 16.5}, {"turned in shared memory", "gemm_corner_turn", kF32Nt,
                                                             "normal", 4}},
       0, 1, Metric::load_sectors,
       "The text gives no number."},
      {"001.3a", "thread coarsening by 2 and 4", "redundant loads of the shared operand go", 0,
       {{"one tile", "gemm_unrolled", kF32},
        {"two tiles", "gemm_coarsened_2", kF32},
        {"four tiles", "gemm_coarsened_4", kF32}},
       0, 2, Metric::instructions, "A's tile is read once for all of them."},
      {"001.6a", "the route of a product", "naive, tiled, corner turning, coarsening, register tiles with vectors: near peak", 0,
       {{"naive", "gemm_naive", kF32},
        {"tiled", "gemm_tiled_32", kF32},
        {"coarsened", "gemm_coarsened_4", kF32},
        {"register tiles", "gemm_regblock_8x8", kF32},
        {"and vectors", "gemm_vec4", kF32},
        {"the best here", "", kF32}},
       0, 5, Metric::issue_active, "Each step moves the bound nearer to the arithmetic units."},
      {"002.1a", "experiment 1: CPU, naive, tiled, cuBLAS at 1024", "the GPU is 100 to 1000 times the CPU", 316,
       {{"CPU, reference", "cpu:gemm_cpu_reference", kF32_1024},
        {"CPU, blocked", "cpu:", kF32_1024},
        {"naive", "gemm_naive", kF32_1024},
        {"tiled", "gemm_tiled_32", kF32_1024},
        {"cuBLAS", "gemm_cublas", kF32_1024},
        {"the best here", "", kF32_1024}},
       1, 3, Metric::occupancy,
       "The text's CPU ran three loops on one core; a blocked product on many cores with AVX-512 is no such easy prey.", true},
      {"002.2a", "experiment 2: tiles of 16, 32, 64", "larger is better until occupancy falls", 0,
       {{"16", "gemm_tiled_16", kF32_1024, "normal", tiled_bytes(1024, 16)},
        {"32", "gemm_tiled_32", kF32_1024, "normal", tiled_bytes(1024, 32)},
        {"64", "gemm_tiled_64", kF32_1024, "normal", tiled_bytes(1024, 64)}},
       0, 2, Metric::l2_bytes, "A larger tile is worth what it lets a thread reuse in registers."},
      {"002.3a", "experiment 3: double buffering of tiles", "10 to 20 %", 1.15,
       {{"tiled", "gemm_tiled_32", kF32_1024}, {"double buffer", "gemm_double_buffer_32", kF32_1024}},
       0, 1, Metric::issue_active,
       "Shared memory bounds the tiled kernel, not latency: other blocks had hidden that."},
      {"002.3b", "double buffering where latency is the bound: a ring of three on vectors", "10 to 20 %", 1.15,
       {{"vectors", "gemm_vec4", kF32_1024}, {"three stages", "gemm_async_stages_3", kF32_1024}},
       0, 1, Metric::eligible_warps, "At 1024 a multiprocessor has one block, so nothing else fills its waits."},
      {"002.4a", "experiment 4: f16 in, f32 sums", "20 to 40 % faster than f32", 1.3,
       {{"f32", "gemm_naive", kF32_1024},
        {"f16 in, f32 sums, the same loop", "gemm_naive", kF16_1024},
        {"f32, register tiles", "gemm_vec4", kF32_1024},
        {"f16 in, f32 sums, register tiles", "gemm_f16_acc32", kF16_1024},
        {"f16 in, f32 sums, tensor cores", "", kF16_1024}},
       2, 3, Metric::instructions,
       "On CUDA cores the multiply-adds are the same and converting comes on top; what makes f16 fast is tensor cores.", true},
      {"002.5a", "experiment 5: copies against the product", "the timeline shows what the transfer costs", 0,
       {{"1024", "", kF32_1024}, {"4096", "", kF32_4096}},
       0, 1, Metric::none, "Operands grow with n squared, the product with n cubed.", false, Kind::transfer},
      {"002.6a", "O(n^3)", "twice n takes eight times as long", 0.125,
       {{"2048", "gemm_tiled_32", kF32}, {"4096", "gemm_tiled_32", kF32_4096}},
       0, 1, Metric::issue_active, "Where the smaller one does not fill the device, it takes less than eight times."},
      {"003.1a", "arithmetic intensity by the tile's width", "0.25 FLOP/B times the tile's width", 0,
       {{"1", "gemm_naive", kF32, "normal", tiled_bytes(n, 1)},
        {"16", "gemm_tiled_16", kF32, "normal", tiled_bytes(n, 16)},
        {"32", "gemm_tiled_32", kF32, "normal", tiled_bytes(n, 32)},
        {"64", "gemm_tiled_64", kF32, "normal", tiled_bytes(n, 64)}},
       0, 3, Metric::l2_bytes,
       "Counted, naive asks L2 for less than the text's 8 bytes a multiply-add: a warp's lanes share A's element, and L1 holds "
       "lines. gpuopt roofline draws them."},
      {"004.3a", "shared memory for a product", "10 times", 10,
       {{"naive", "gemm_naive", kF32, "normal", tiled_bytes(n, 1)},
        {"shared", "gemm_tiled_32", kF32, "normal", tiled_bytes(n, 32)}},
       0, 1, Metric::l2_bytes, "L1 gives naive much of what shared memory gives, and shared memory becomes the bound."},
      {"004.5b", "independent sums in registers, a product", "1.3 to 2 times", 1.6,
       {{"one sum", "gemm_tiled_16", kF32}, {"4 x 4 and more", "gemm_regblock_8x4", kF32}},
       0, 1, Metric::issue_active, "More than latency is hidden: a register block reads shared memory less."},
      {"004.6a", "unrolling", "1.2 to 1.5 times", 1.35,
       {{"unroll 1", "gemm_unrolled_1", kF32}, {"unrolled", "gemm_unrolled", kF32}},
       0, 1, Metric::instructions, "Unrolling also lets the compiler merge four reads into one of 16 bytes."},
      {"004.7a", "tensor cores through cuBLAS, f16", "5 to 20 times", 10,
       {{"f32 on CUDA cores", "", kF32_4096}, {"f16, cuBLAS", "gemm_cublaslt", kF16_4096}, {"f16, the best here", "", kF16_4096}},
       0, 1, Metric::tensor_pipe, "The ratio is that of the peaks, less what power takes."},
      {"004.7b", "TF32", "on by default in cuBLAS; several times f32", 8,
       {{"f32", "", kF32_4096}, {"tf32", "", kTf32}},
       0, 1, Metric::tensor_pipe,
       "TF32 is no default of cuBLAS, nor here: it is asked for by the compute type. Its error is in the table.", true},
      {"004.7c", "WMMA by hand", "64 % of the peak, 71 % of cuBLAS", 0.71,
       {{"cuBLAS", "gemm_cublaslt", kF16}, {"whole fragments", "gemm_wmma_whole", kF16}, {"WMMA, any extent", "gemm_wmma_f16", kF16},
        {"the best here", "", kF16}},
       0, 1, Metric::tensor_pipe,
       "WMMA is mma.sync, which does not reach Hopper's peak; warpgroup products (gemm_wgmma_*) do."},
      {"004.7d", "extents that are multiples of 16", "else padding is needed", 0,
       {{"2048 x 2048 x 2050", "", "gemm a=2048x2050:bf16 b=2050x2048:bf16 d=2048x2048:bf16"},
        {"2048 x 2048 x 2048", "", "gemm a=2048x2048:bf16 b=2048x2048:bf16 d=2048x2048:bf16"}},
       0, 1, Metric::tensor_pipe,
       "It is rows of 16 bytes that tensor-core kernels ask for; gpuopt explain shows who rejects what. gemm_wmma_whole declares the "
       "16 itself."},
      {"004.7e", "int8", "twice f16", 2,
       {{"f16", "", kF16_4096}, {"i8", "", kI8_4096}},
       0, 1, Metric::tensor_pipe, "With random data the power limit comes first."},
      {"004.7f", "sums in f16", "WMMA with half accumulators", 0,
       {{"f32 sums", "", kF16_4096}, {"f16 sums", "", kSums16_4096}},
       0, 1, Metric::tensor_pipe, "Hopper's tensor cores are no faster for it, and the error is that of 11 bits.", true},
  };
}

}  // namespace gpuopt_lab
