// group_offsets.h and group_products.h: numbers of the host travel as kernel parameters, so that they may change when the call
// returns and a graph keeps those that it was captured with.
#include "gemm_grouped/common/group_offsets.h"

#include <algorithm>

#include "common/launch.h"
#include "gemm_grouped/common/figures.h"
#include "gemm_grouped/common/group_products.h"
#include "gemm_grouped/common/grouped_descriptor.h"

namespace gpuopt {

constexpr int kWordsOfLaunch = 448;  // of 8 bytes: all parameters together have 4096

struct WordsOfLaunch {
  int64_t word[kWordsOfLaunch];
};

__global__ void __launch_bounds__(kWordsOfLaunch)
    gemm_grouped_words_kernel(const __grid_constant__ WordsOfLaunch words, int64_t *to, int32_t count) {
  const auto i = static_cast<int32_t>(threadIdx.x);
  if (i < count) to[i] = words.word[i];
}

namespace {

constexpr char kName[] = "gemm_grouped_words";

constexpr uint32_t kOfHost = GPUOPT_FEATURE_HOST_OFFSETS | GPUOPT_FEATURE_HOST_LIST;

// The numbers that travel.
int64_t words_of_host(const gpuopt_problem &p) {
  return (p.features & GPUOPT_FEATURE_HOST_LIST) != 0      ? p.batch * kGroupWords
         : (p.features & GPUOPT_FEATURE_HOST_OFFSETS) != 0 ? p.batch + 1
                                                           : 0;
}

gpuopt_status bring_words(const gpuopt_launch *launch, const int64_t *from, int64_t count, int64_t *to) {
  for (int64_t first = 0; first < count; first += kWordsOfLaunch) {
    WordsOfLaunch part = {};
    const int64_t some = std::min<int64_t>(kWordsOfLaunch, count - first);
    std::copy_n(from + first, some, part.word);
    const gpuopt_status status = launch_kernel(launch, kName, 1, kWordsOfLaunch, 0, gemm_grouped_words_kernel, part,
                                               to + first, static_cast<int32_t>(some));
    if (status != GPUOPT_OK) return status;
  }
  return GPUOPT_OK;
}

}  // namespace

size_t group_words_bytes(const gpuopt_problem &problem) {
  return (static_cast<size_t>(words_of_host(problem)) * sizeof(int64_t) + 255) / 256 * 256;
}

gpuopt_status load_group_words(const gpuopt_problem &problem, const gpuopt_launch *launch) {
  if ((problem.features & kOfHost) == 0) return GPUOPT_OK;
  return load_kernel(launch, kName, gemm_grouped_words_kernel);
}

gpuopt_status bring_group_offsets(const gpuopt_problem &problem, const gpuopt_launch *launch, void *at,
                                  GroupOffsets *offsets) {
  if ((problem.features & GPUOPT_FEATURE_HOST_OFFSETS) == 0) {
    const gpuopt_matrix &m = problem.extra[GPUOPT_OPERAND_OFFSETS - 4].m;
    *offsets = {m.data, m.ld, m.dtype == GPUOPT_I64, problem.m};
    return GPUOPT_OK;
  }
  int64_t *const to = static_cast<int64_t *>(at);
  *offsets = {to, 1, true, problem.m};
  return bring_words(launch, problem.host_offsets, words_of_host(problem), to);
}

gpuopt_status bring_group_products(const gpuopt_problem &problem, const gpuopt_launch *launch, void *at,
                                   const gpuopt_gemm_group **products) {
  if ((problem.features & GPUOPT_FEATURE_HOST_LIST) == 0) {
    *products = static_cast<const gpuopt_gemm_group *>(problem.extra[GPUOPT_OPERAND_LIST - 4].m.data);
    return GPUOPT_OK;
  }
  *products = static_cast<const gpuopt_gemm_group *>(at);
  static_assert(sizeof(gpuopt_gemm_group) % sizeof(int64_t) == 0 && alignof(gpuopt_gemm_group) == alignof(int64_t));
  return bring_words(launch, reinterpret_cast<const int64_t *>(problem.host_list), words_of_host(problem),
                     static_cast<int64_t *>(at));
}

int list_can_run(const gpuopt_problem &p, int64_t tile_rows, int64_t tile_cols, gpuopt_reject *reject) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 4096;
  const int64_t most = std::max({p.m, p.n, p.k, p.batch});
  if (most > kMost)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, most, kMost, "the longest extent");
  const double tiles = (static_cast<double>(p.m) / static_cast<double>(tile_rows) + 1) *
                       (static_cast<double>(p.n) / static_cast<double>(tile_cols) + 1) * static_cast<double>(p.batch);
  if (tiles > static_cast<double>(kMost))
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, static_cast<int64_t>(std::min(tiles, 9e18)),
                  kMost, "tiles");
  return 1;
}

double group_words_us(const gpuopt_problem &problem) {
  if ((problem.features & kOfHost) == 0) return 0;
  return gemm_grouped_common_figures.offsets_us * static_cast<double>(ceil_div(words_of_host(problem), kWordsOfLaunch));
}

double grouped_bytes(const gpuopt_problem &p) {
  const auto of = [](const gpuopt_operand &o) {
    return static_cast<double>(o.m.rows) * static_cast<double>(o.m.cols) *
           static_cast<double>(gpuopt_dtype_size(o.m.dtype));
  };
  if ((p.features & GPUOPT_FEATURE_GROUP_LIST) != 0)  // of which none is larger
    return static_cast<double>(p.batch) *
           (of(p.operand[GPUOPT_OPERAND_A]) + of(p.operand[GPUOPT_OPERAND_B]) + of(p.operand[GPUOPT_OPERAND_D]));
  const bool shared = p.operand[GPUOPT_OPERAND_B].m.batch_stride == 0;
  const double matrices = shared ? 1 : static_cast<double>(std::min(p.batch, p.m));
  return of(p.operand[GPUOPT_OPERAND_A]) + matrices * of(p.operand[GPUOPT_OPERAND_B]) + of(p.operand[GPUOPT_OPERAND_D]);
}

}  // namespace gpuopt
