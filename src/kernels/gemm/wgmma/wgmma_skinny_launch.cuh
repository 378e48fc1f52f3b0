// From a descriptor to launches: products of few rows or columns.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/wide_cluster.h"
#include "gemm/common/gemm_parts.h"
#include "gemm/wgmma/wgmma_operands.h"
#include "gemm/wgmma/wgmma_skinny_entry.h"
#include "gemm/wgmma/wgmma_skinny_plan.h"

namespace gpuopt {

using WgmmaSkinnyFunction = void (*)(CUtensorMap, CUtensorMap, WgmmaSkinny, WgmmaStore);

// A kernel (a struct of its file) has kName, kTypes (pairs of operand types, of the many and the few), kAnyLayout, FirstTile (one
// of its tiles), and resources: for each pair of types in order, for each shape of kWgmmaSkinnyShapes, its functions, one
// or, with kAnyLayout, four.

template <class Kernel>
WgmmaSkinnyPlan wgmma_skinny_plan(const gpuopt_problem &problem) {
  return plan_wgmma_skinny(problem, wgmma_facts<Kernel>());
}

template <class Kernel>
PackedScratch wgmma_skinny_scratch(const gpuopt_problem &problem) {
  constexpr WgmmaFacts kFacts = wgmma_facts<Kernel>();
  return wgmma_scratch(kFacts, problem, wgmma_skinny_layouts(problem, kFacts));
}

template <class Kernel>
void wgmma_skinny_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = wgmma_skinny_scratch<Kernel>(*problem).bytes();
  *zeroed = 0;
}

template <class Kernel>
WgmmaSkinnyFunction wgmma_skinny_function(const gpuopt_problem &problem, int shape, const PackedWay &many,
                                          const PackedWay &few) {
  size_t index = 0;
  for (const WgmmaTypes &types : Kernel::kTypes) {
    if (types.a == problem.operand[wgmma_many_operand(problem)].m.dtype &&
        types.b == problem.operand[wgmma_few_operand(problem)].m.dtype)
      break;
    ++index;
  }
  index = index * wgmma_skinny_shapes(sizeof(typename Kernel::FirstTile::A) == 1) + static_cast<size_t>(shape);
  if (Kernel::kAnyLayout) index = index * 4 + (many.along_k ? 0 : 2) + (few.along_k ? 0 : 1);
  return reinterpret_cast<WgmmaSkinnyFunction>(reinterpret_cast<uintptr_t>(Kernel::resources[index].entry));
}

template <class Kernel>
int wgmma_skinny_can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (wgmma_can_run(wgmma_facts<Kernel>(), problem, reject) == 0) return 0;
  // Blocks are numbered by 31 bits: of the smallest tiles, split most.
  constexpr int64_t kMost = int64_t{1} << (30 - kWgmmaSkinnyMostLog);
  const int64_t few = std::min(problem->m, problem->n), many = std::max(problem->m, problem->n);
  const double tiles = std::ceil(static_cast<double>(few) / 8) * std::ceil(static_cast<double>(many) / 64) *
                       static_cast<double>(problem->batch);
  return tiles <= static_cast<double>(kMost) ? 1
                                             : refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE,
                                                      static_cast<int64_t>(std::min(tiles, 9e18)), kMost, "tiles");
}

template <class Kernel>
double wgmma_skinny_predict_us(const gpuopt_problem *problem) {
  constexpr WgmmaFacts kFacts = wgmma_facts<Kernel>();
  return wgmma_skinny_plan<Kernel>(*problem).us + wgmma_pack_us(*problem, wgmma_skinny_scratch<Kernel>(*problem).cut) +
         (wgmma_stores_directly(*problem, kFacts) ? 0 : finish_gemm_us(*problem, 1, 4));
}

// Lines of the few that have room in a stage: across k they come by 64.
inline int wgmma_skinny_few_in_stage(const WgmmaSkinnyShape &shape, bool along_k) {
  return along_k ? shape.few : static_cast<int>(ceil_div(shape.few, 64)) * 64;
}
inline int wgmma_skinny_slot(const WgmmaSkinnyPlan &plan, bool few_along_k) {
  return (plan.lines + wgmma_skinny_few_in_stage(kWgmmaSkinnyShapes[plan.shape], few_along_k)) * 128;
}
// Behind the last stage lies what the instruction reads of a tile that has fewer lines.
inline WgmmaSkinnyRing wgmma_skinny_ring_of(const WgmmaSkinnyPlan &plan, bool few_along_k) {
  const WgmmaSkinnyShape &shape = kWgmmaSkinnyShapes[plan.shape];
  const int slot = wgmma_skinny_slot(plan, few_along_k);
  return wgmma_skinny_ring(plan.alone ? kWgmmaSkinnyMostShared : kWgmmaSkinnyShared, slot,
                           plan.log_ranks != 0 ? shape.many * shape.few * 4 : 0, std::max(shape.many * 128 - slot, 0));
}

template <class Kernel>
gpuopt_status wgmma_skinny_prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, Kernel::kName);
  const PackedCut cut = wgmma_skinny_scratch<Kernel>(*problem).cut;
  const bool few_are_rows = wgmma_few_are_rows(*problem);
  const WgmmaSkinnyPlan plan = wgmma_skinny_plan<Kernel>(*problem);
  const WgmmaSkinnyFunction function =
      wgmma_skinny_function<Kernel>(*problem, plan.shape, few_are_rows ? cut.b : cut.a, few_are_rows ? cut.a : cut.b);
  gpuopt_status status = load_kernel(launch, Kernel::kName, function, kWgmmaSkinnyMostShared);
  if (status == GPUOPT_OK)
    status = allow_cluster(launch, Kernel::kName, reinterpret_cast<const void *>(function),
                           int64_t{1} << plan.log_ranks, Kernel::FirstTile::kThreads,
                           wgmma_skinny_ring_of(plan, (few_are_rows ? cut.a : cut.b).along_k).shared);
  if (status == GPUOPT_OK && (cut.a.packs || cut.b.packs))
    status = load_wgmma_pack(launch, sizeof(typename Kernel::FirstTile::A));
  return status == GPUOPT_OK ? load_finish_gemm<typename Kernel::FirstTile::Sum>(launch) : status;
}

template <class Kernel>
gpuopt_status wgmma_skinny_launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  using Tile = typename Kernel::FirstTile;
  constexpr WgmmaFacts kFacts = wgmma_facts<Kernel>();
  constexpr int kSize = sizeof(typename Tile::A);
  const PackedScratch scratch = wgmma_skinny_scratch<Kernel>(*problem);
  const PackedCut &cut = scratch.cut;
  const WgmmaSkinnyPlan plan = wgmma_skinny_plan<Kernel>(*problem);
  const WgmmaSkinnyShape &shape = kWgmmaSkinnyShapes[plan.shape];
  const bool few_are_rows = wgmma_few_are_rows(*problem);
  const PackedWay &way_many = few_are_rows ? cut.b : cut.a, &way_few = few_are_rows ? cut.a : cut.b;
  const WgmmaSkinnyFunction function = wgmma_skinny_function<Kernel>(*problem, plan.shape, way_many, way_few);
  gpuopt_status status = GPUOPT_OK;
  packed_steps(*problem, cut, [&](bool packs_a, bool packs_b, GemmSpan m, GemmSpan n, GemmSpan batch) {
    if (status != GPUOPT_OK) return;
    const PackedOperands x = packed_operands(*problem, cut, scratch.packed(launch), m, n, batch);
    const GemmView &many = few_are_rows ? x.b : x.a, &few = few_are_rows ? x.a : x.b;
    const int64_t many_lines = few_are_rows ? n.count : m.count, few_lines = few_are_rows ? m.count : n.count;
    CUtensorMap map_many = {}, map_few = {};
    const int few_box = static_cast<int>(std::min<int64_t>(few_lines, shape.few));
    if (!encode_wgmma_map(&map_many, many, kSize, way_many.along_k, problem->k, many_lines, batch.count, plan.lines,
                          TensorMapUse::read_once) ||
        !encode_wgmma_map(&map_few, few, kSize, way_few.along_k, problem->k, few_lines, batch.count, few_box,
                          TensorMapUse::read_once)) {
      status = no_tensor_map(launch, Kernel::kName);
      return;
    }
    status = wgmma_pack(*problem, launch, kSize, wgmma_pack_of(*problem, cut, packs_a, packs_b, x, m, n, batch));
    if (status != GPUOPT_OK) return;
    LaunchAttributes attributes = early_launch(*problem);
    attributes.cluster = plan.log_ranks == 0 ? 0 : 1 << plan.log_ranks;
    WgmmaSkinny g = {};
    g.many = static_cast<int32_t>(many_lines);
    g.few = static_cast<int32_t>(few_lines);
    g.k = static_cast<int32_t>(problem->k);
    g.tiles_many = static_cast<int32_t>(ceil_div(many_lines, plan.lines));
    g.tiles_few = static_cast<int32_t>(ceil_div(few_lines, shape.few));
    g.log_ranks = plan.log_ranks;
    g.lines = plan.lines;
    const WgmmaSkinnyRing ring = wgmma_skinny_ring_of(plan, way_few.along_k);
    g.stages = ring.stages;
    g.slot_bytes = wgmma_skinny_slot(plan, way_few.along_k);
    g.ring_bytes = ring.bytes;
    g.stage_bytes = (plan.lines + (way_few.along_k ? few_box : wgmma_skinny_few_in_stage(shape, false))) * 128;
    g.prefetching = attributes.early ? 2 * problem->device->sm_count : 0;
    g.batched_many = many.batch_pitch != 0;
    g.batched_few = few.batch_pitch != 0;
    g.few_are_rows = few_are_rows;
    const int64_t tiles = int64_t{g.tiles_many} * g.tiles_few * batch.count;
    status = launch_kernel(attributes, launch, Kernel::kName, dim3(static_cast<unsigned>(tiles << plan.log_ranks)),
                           dim3(Tile::kThreads), static_cast<size_t>(ring.shared), function, map_many, map_few, g,
                           wgmma_store_of(*problem, kFacts, launch->scratch, m, n, batch));
  });
  if (status != GPUOPT_OK || wgmma_stores_directly(*problem, kFacts)) return status;
  return finish_gemm(*problem, launch, static_cast<const typename Tile::Sum *>(launch->scratch), 1);
}

// Functions of a kernel that names its tiles Tile<Many, Few, M, N, AlongFew>, in the order of wgmma_skinny_function(): for
// GPUOPT_WGMMA_SKINNY_SHAPES.
#define GPUOPT_WGMMA_SKINNY_ENTRY_(many, few, m, n, along_many, along_few) \
  {FirstTile::kThreads, FirstTile::kShared,                                \
   reinterpret_cast<const void *>(gemm_wgmma_skinny_kernel<Tile<many, few, m, n, along_few>, along_many>)},
#define GPUOPT_WGMMA_SKINNY_LAYOUTS_(many, few, m, n)      \
  GPUOPT_WGMMA_SKINNY_ENTRY_(many, few, m, n, true, true)  \
  GPUOPT_WGMMA_SKINNY_ENTRY_(many, few, m, n, true, false) \
  GPUOPT_WGMMA_SKINNY_ENTRY_(many, few, m, n, false, true) \
  GPUOPT_WGMMA_SKINNY_ENTRY_(many, few, m, n, false, false)
#define GPUOPT_WGMMA_SKINNY_ALONG_(many, few, m, n) GPUOPT_WGMMA_SKINNY_ENTRY_(many, few, m, n, true, true)

template <class Kernel, size_t N>
constexpr gpuopt_kernel wgmma_skinny_kernel(const gpuopt_signature (&signatures)[N]) {
  gpuopt_kernel kernel = gemm_descriptor(Kernel::kName, Kernel::kSummary);
  kernel.version = 4;
  kernel.understands |= GPUOPT_FEATURE_BATCH_INVARIANT;
  kernel.cc_min = kernel.cc_exact = 90;
  set_signatures(kernel, signatures);
  kernel.can_run = wgmma_skinny_can_run<Kernel>;
  set_functions_in_parts<wgmma_skinny_workspace<Kernel>, wgmma_skinny_predict_us<Kernel>, wgmma_skinny_prepare<Kernel>,
                         wgmma_skinny_launch<Kernel>>(kernel);
  set_resources(kernel, Kernel::resources);
  return kernel;
}

}  // namespace gpuopt
