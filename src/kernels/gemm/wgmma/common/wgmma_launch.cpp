// From a problem to launches: the wgmma kernels on the host.
#include <cuda_runtime.h>

#include <algorithm>

#include "../common/block_scales.h"
#include "common/dependent_launch.cuh"
#include "gemm/common/f32_split_launch.h"
#include "gemm/common/gemm_order.h"
#include "gemm/wgmma/wgmma_chain.h"
#include "gemm/wgmma/wgmma_host.h"
#include "gemm/wgmma/wgmma_operands.h"
#include "gemm/wgmma/wgmma_schedule.h"

namespace gpuopt {
namespace {

using WgmmaFunction = void (*)(CUtensorMap, CUtensorMap, CUtensorMap, CUtensorMap, WgmmaGemm, WgmmaStore);

struct WgmmaInstance {
  WgmmaFunction function;
  size_t shared;
};
WgmmaInstance instance_of(const WgmmaHost &kernel, const gpuopt_problem &problem, const PackedCut &cut) {
  size_t index = 0;
  while (kernel.types[index].a != problem.operand[GPUOPT_OPERAND_A].m.dtype ||
         kernel.types[index].b != problem.operand[GPUOPT_OPERAND_B].m.dtype)
    ++index;
  if (kernel.tile.any_layout) index = index * 4 + (cut.a.along_k ? 0 : 2) + (cut.b.along_k ? 0 : 1);
  index += static_cast<size_t>(wgmma_scales_of(problem)) * kernel.plain_functions;
  const gpuopt_resource &resource = kernel.functions[index];
  return {reinterpret_cast<WgmmaFunction>(reinterpret_cast<uintptr_t>(resource.entry)),
          static_cast<size_t>(resource.dynamic_smem)};
}

WgmmaPackOperand wgmma_pack_operand(const gpuopt_problem &problem, int index, PackedWay way, GemmSpan part,
                                    GemmSpan batch, const GemmView &to) {
  const GemmView from = gemm_view(problem, index, part, batch);
  const int64_t size = gpuopt_dtype_size(problem.operand[index].m.dtype);
  const bool along_k = way.along_k != way.transposes;  // as it lies
  const int64_t lines = along_k ? part.count : problem.k, bytes = (along_k ? problem.k : part.count) * size;
  const int64_t tiles_l = ceil_div(lines, wgmma_pack_lines(way.transposes));
  const int64_t tiles_c = ceil_div(bytes, wgmma_pack_bytes(way.transposes));
  const int64_t tiles = tiles_l * tiles_c * (is_broadcast(problem, index) ? 1 : batch.count);
  return {from.data, from.pitch, from.batch_pitch, to.data, to.pitch, to.batch_pitch,
          lines,     bytes,      tiles_l,          tiles_c, tiles,    way.transposes};
}

// Whether blocks go in pairs: where a tile's columns are whole panels of 64, and those of operands in parts, which come faster from
// L2 than single blocks could read them, take no longer; or lines begin in the middle of L2's, so that all is read twice.
bool wgmma_pairs(const WgmmaFacts &tile, const PackedOperands &x, int64_t m, int64_t n, int64_t batch, int64_t sms) {
  constexpr double kTwiceRead = 1.2;
  const bool between = (x.a.pitch | x.b.pitch) % 128 != 0;
  if (sms < 2 || tile.n % 64 != 0 || m <= tile.m || !(tile.splits || between)) return false;
  const auto rounds = [&](bool paired) {
    return wgmma_rounds(tile.m, tile.n, tile.little, m, n, batch, paired, sms).all;
  };
  return rounds(true) <= (between ? kTwiceRead : 1) * rounds(false);
}

// Whether a B that is packed anyway is turned, too: tiles of one along k have more widths to choose from.
bool wgmma_turns_b(const WgmmaFacts &tile, const gpuopt_problem &problem) {
  constexpr double kTurning = 80;  // rows of a product, in whose time B is turned
  const PackedWay way = packed_way(problem, GPUOPT_OPERAND_B, {tile.any_layout, tile.any_layout}, tile.splits);
  if (!way.packs || way.along_k || is_batch_invariant(problem)) return false;
  const int64_t sms = std::max(problem.device->sm_count, 1);
  const auto takes = [&](bool along_k) {
    const WgmmaWidth width = wgmma_width_of(tile, along_k, problem.m, problem.n, problem.batch, sms);
    return wgmma_rounds(tile.m, width.columns, tile.little, problem.m, problem.n, problem.batch, false, sms).all *
           (width.timed + kWgmmaOtherColumns);
  };
  return takes(true) * (1 + kTurning / static_cast<double>(problem.m)) < takes(false);
}

}  // namespace

PackedScratch wgmma_scratch(const WgmmaFacts &tile, const gpuopt_problem &problem, AnyLayout any) {
  const size_t sums = wgmma_stores_directly(problem, tile) ? 0 : (gemm_partials_bytes(problem, 1, 4) + 255) / 256 * 256;
  return packed_scratch(problem, any, tile.splits, sums);
}

PackedScratch wgmma_scratch(const WgmmaFacts &tile, const gpuopt_problem &problem) {
  return wgmma_scratch(tile, problem, {tile.any_layout, tile.any_layout && !wgmma_turns_b(tile, problem)});
}

void wgmma_workspace(const WgmmaFacts &tile, const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const PackedScratch needed = wgmma_scratch(tile, *problem);
  *scratch = needed.bytes();
  *zeroed = needed.zeroed_bytes;
}

WgmmaStore wgmma_store_of(const gpuopt_problem &problem, const WgmmaFacts &facts, void *sums, GemmSpan m, GemmSpan n,
                          GemmSpan batch) {
  WgmmaStore store = {};
  store.blocks = wgmma_block_scales(problem, m, n, batch);
  store.by_panels = wgmma_goes_by_panels(problem, facts);
  const auto part = [&](void *data, int64_t size, int64_t pitch, int64_t batch_pitch) {
    return static_cast<char *>(data) + (batch.first * batch_pitch + m.first * pitch + n.first) * size;
  };
  const auto move = [](const void **data, int32_t dtype, int64_t elements) {
    *data = static_cast<const char *>(*data) + elements * gpuopt_dtype_size(dtype);
  };
  store.plain = store.by_panels;
  const bool direct = wgmma_stores_directly(problem, facts);
  const gpuopt_matrix &d = problem.operand[GPUOPT_OPERAND_D].m;
  store.leaves_first =
      problem.m * problem.n * problem.batch * (direct ? gpuopt_dtype_size(d.dtype) : 4) > problem.device->l2_bytes;
  if (!direct) {
    store.d_pitch = problem.n;
    store.d_batch = problem.m * problem.n;
    store.d = part(sums, 4, store.d_pitch, store.d_batch);
    store.dtype = facts.exact ? GPUOPT_I32 : GPUOPT_F32;
    store.alpha = store.exact_alpha = 1;
    return store;
  }
  const gpuopt_matrix &c = problem.operand[GPUOPT_OPERAND_C].m;
  const int64_t size = gpuopt_dtype_size(d.dtype);
  store.d = part(d.data, size, d.ld, d.batch_stride);
  store.d_pitch = d.ld;
  store.d_batch = d.batch_stride;
  store.dtype = d.dtype;
  store.chained = wgmma_chains(problem, facts, &store.chain);
  if (store.chain.vector_dtype != 0)
    move(&store.chain.vector, store.chain.vector_dtype, batch.first * store.chain.vector_batch + n.first);
  if (store.chain.matrix_dtype != 0)
    move(&store.chain.matrix, store.chain.matrix_dtype,
         batch.first * store.chain.matrix_batch + m.first * store.chain.matrix_pitch + n.first);
  store.alpha = static_cast<float>(problem.alpha);
  store.alpha_ptr = static_cast<const float *>(problem.alpha_ptr);
  store.exact_alpha = problem.alpha;
  store.exact_alpha_ptr = static_cast<const double *>(problem.alpha_ptr);
  store.scale_a = whole_scale(problem.operand[GPUOPT_OPERAND_A].m);
  store.scale_b = whole_scale(problem.operand[GPUOPT_OPERAND_B].m);
  if ((problem.features & GPUOPT_FEATURE_BETA) != 0) {
    store.beta = static_cast<float>(problem.beta);
    store.beta_ptr = static_cast<const float *>(problem.beta_ptr);
    store.c = c.data == nullptr ? nullptr : part(c.data, size, c.ld, c.batch_stride);
    store.c_pitch = c.ld;
    store.c_batch = c.batch_stride;
  }
  if (const gpuopt_operand *folded = wgmma_folded(problem, facts)) {
    const bool is_c = folded == &problem.operand[GPUOPT_OPERAND_C];
    store.fold = {folded->m.dtype, is_c, folded->m.batch_stride != 0};
    store.c = part(folded->m.data, size, folded->m.ld, folded->m.batch_stride);
    store.c_pitch = folded->m.ld;
    store.c_batch = folded->m.batch_stride;
    if (!is_c)
      store.beta = static_cast<float>(problem.stage[0].kind == GPUOPT_STAGE_SUB ? -problem.stage[0].value[0]
                                                                                : problem.stage[0].value[0]);
  }
  store.plain = store.by_panels && !store.chained && store.fold.dtype == 0;
  return store;
}

WgmmaPack wgmma_pack_of(const gpuopt_problem &problem, const PackedCut &cut, bool packs_a, bool packs_b,
                        const PackedOperands &to, GemmSpan m, GemmSpan n, GemmSpan batch) {
  WgmmaPack pack = {};
  if (packs_a) pack.a = wgmma_pack_operand(problem, GPUOPT_OPERAND_A, cut.a, m, batch, to.a);
  if (packs_b) pack.b = wgmma_pack_operand(problem, GPUOPT_OPERAND_B, cut.b, n, batch, to.b);
  return pack;
}

double wgmma_predict_us(const WgmmaHost &kernel, const gpuopt_problem *problem) {
  return wgmma_us(*problem, kernel.tile, kernel.speed(), wgmma_scratch(kernel.tile, *problem).cut);
}

gpuopt_status wgmma_prepare(const WgmmaHost &kernel, const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, kernel.name);
  const PackedCut cut = wgmma_scratch(kernel.tile, *problem).cut;
  const WgmmaInstance instance = instance_of(kernel, *problem, cut);
  gpuopt_status status = load_kernel(launch, kernel.name, instance.function, instance.shared);
  if (kernel.tile.splits) {
    if (status == GPUOPT_OK) status = load_f32_split_launch(launch, kernel.name);
  } else if (status == GPUOPT_OK && (cut.a.packs || cut.b.packs)) {
    status = load_wgmma_pack(launch, kernel.element_bytes);
  }
  if (status != GPUOPT_OK) return status;
  return kernel.tile.exact ? load_finish_gemm<int32_t>(launch) : load_finish_gemm<float>(launch);
}

gpuopt_status wgmma_launch(const WgmmaHost &kernel, const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const WgmmaFacts &tile = kernel.tile;
  const PackedScratch scratch = wgmma_scratch(tile, *problem);
  const PackedCut &cut = scratch.cut;
  const WgmmaInstance instance = instance_of(kernel, *problem, cut);
  gpuopt_status status = GPUOPT_OK;
  packed_steps(*problem, cut, [&](bool packs_a, bool packs_b, GemmSpan m, GemmSpan n, GemmSpan batch) {
    if (status != GPUOPT_OK) return;
    const PackedOperands x = packed_operands(*problem, cut, scratch.packed(launch), m, n, batch);
    WgmmaStore store = wgmma_store_of(*problem, tile, launch->scratch, m, n, batch);
    F32Split split = {};
    if (tile.splits) {
      split = f32_split_of(*problem, scratch.split(launch), launch, packs_a, packs_b, x, m, n, batch);
      store.scaling = {split.a.exponents, split.b.exponents, is_broadcast(*problem, GPUOPT_OPERAND_A) ? 0 : m.count,
                       is_broadcast(*problem, GPUOPT_OPERAND_B) ? 0 : n.count, &split.result->path};
    }
    // Of an operand in parts the last line of 128 bytes is whole.
    const int64_t k = tile.splits ? ceil_div(problem->k, tile.depth) * tile.depth : problem->k;
    const int64_t sms = std::max(problem->device->sm_count, 1);
    const bool paired = wgmma_pairs(tile, x, m.count, n.count, batch.count, sms);
    const WgmmaWidth width = paired ? WgmmaWidth{tile.n, tile.n, wgmma_box(tile.n, tile.n / 2)}
                                    : wgmma_width_of(tile, cut.b.along_k, m.count, n.count, batch.count, sms);
    const int size = static_cast<int>(gpuopt_dtype_size(store.dtype));
    store.n = static_cast<int32_t>(n.count);
    const TensorMapUse use = kernel.tf32 ? TensorMapUse::as_tf32 : TensorMapUse::words;
    CUtensorMap map_a = {}, map_b = {}, map_fold = {}, map_d = {};
    const bool encoded =
        encode_wgmma_map(&map_a, x.a, kernel.element_bytes, cut.a.along_k, k, m.count, batch.count,
                         wgmma_box(tile.n, tile.m), use) &&
        encode_wgmma_map(&map_b, x.b, kernel.element_bytes, cut.b.along_k, k, n.count, batch.count, width.box_b, use) &&
        (store.fold.dtype == 0 || encode_tensor_map(&map_fold, store.c, size, n.count, m.count, store.c_pitch * size,
                                                    batch.count, store.c_batch * size, 64)) &&
        (!store.by_panels || encode_tensor_map(&map_d, store.d, size, n.count, m.count, store.d_pitch * size,
                                               batch.count, store.d_batch * size, 64));
    if (!encoded) {
      status = no_tensor_map(launch, kernel.name);
      return;
    }
    if (!tile.splits)
      status = wgmma_pack(*problem, launch, kernel.element_bytes,
                          wgmma_pack_of(*problem, cut, packs_a, packs_b, x, m, n, batch));
    else if (packs_a || packs_b)
      status = f32_split(*problem, launch, split);
    if (status != GPUOPT_OK) return;
    WgmmaGemm gemm = wgmma_work(tile.m, width.columns, tile.little, m.count, n.count, ceil_div(problem->k, tile.depth),
                                batch.count, paired, sms);
    gemm.box_b = width.box_b;
    gemm.batched_a = x.a.batch_pitch != 0;
    gemm.batched_b = x.b.batch_pitch != 0;
    LaunchAttributes attributes = early_launch(*problem);
    attributes.cluster = gemm.paired ? 2 : 0;
    status = launch_kernel(attributes, launch, kernel.name, dim3(gemm.paired ? 2 * gemm.many : gemm.many),
                           dim3(static_cast<unsigned>(kernel.threads)), instance.shared, instance.function, map_a,
                           map_b, map_fold, map_d, gemm, store);
    if (tile.splits && status == GPUOPT_OK)
      status = f32_split_strict(
          *problem, launch, kernel.name,
          {static_cast<float *>(store.d), static_cast<const float *>(store.c), store.d_pitch, store.d_batch,
           store.c_pitch, store.c_batch, store.alpha, store.beta, store.alpha_ptr, store.beta_ptr},
          store.scaling.path, m, n, batch);
  });
  if (status != GPUOPT_OK || wgmma_stores_directly(*problem, tile)) return status;
  return tile.exact ? finish_gemm(*problem, launch, static_cast<const int32_t *>(launch->scratch), 1)
                    : finish_gemm(*problem, launch, static_cast<const float *>(launch->scratch), 1);
}

}  // namespace gpuopt
