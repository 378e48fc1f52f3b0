// The descriptor's functions of the warptile kernels.
#pragma once

#include "common/launch.h"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/gemm_parts.h"
#include "gemm/warptile/warptile_shapes.cuh"

namespace gpuopt {

// Sums that finish_gemm() reads, where the epilogue is its.
inline size_t warptile_sums_bytes(const gpuopt_problem &problem) {
  return is_plain_gemm(problem) ? 0 : gemm_partials_bytes(problem, 1, sizeof(float));
}

// The size of a whole product, whose sums may have to share scratch memory with slots.
inline WarptileSize warptile_size(const gpuopt_problem &problem) {
  const size_t sums = warptile_sums_bytes(problem), limit = problem.workspace_limit,
               left = limit > sums ? limit - sums : 0;
  const bool whole = (problem.features & GPUOPT_FEATURE_BATCH_INVARIANT) != 0;  // gemm_order.h
  return {problem.m, problem.n, problem.k, problem.batch, problem.device, left, whole};
}

// The whole product but for its work. Sums (not NULL) are for finish_gemm().
inline Warptile make_warptile(const gpuopt_problem &problem, float *parts, float *sums, const gpuopt_launch *launch) {
  const auto operand = [&](int index) {
    const gpuopt_matrix &m = problem.operand[index].m;
    return WarptileOperand{static_cast<const float *>(m.data), m.ld, m.batch_stride,
                           (m.layout == GPUOPT_ROW) == (index == GPUOPT_OPERAND_A)};
  };
  const gpuopt_operand &c = problem.operand[GPUOPT_OPERAND_C], &d = problem.operand[GPUOPT_OPERAND_D];
  Warptile w = {};
  w.m = problem.m;
  w.n = problem.n;
  w.k = problem.k;
  w.a = operand(GPUOPT_OPERAND_A);
  w.b = operand(GPUOPT_OPERAND_B);
  w.out = make_plain_output<float>(problem, sums);
  w.packed =
      sums != nullptr ? problem.n % 4 == 0 : has_aligned_lines(d) && (w.out.c == nullptr || has_aligned_lines(c));
  w.parts = parts;
  w.tickets = static_cast<uint32_t *>(launch->zeroed);
  return w;
}

// A kernel: its name and its shapes of tiles (the second may be NULL), of which the plan takes the faster.
struct WarptileRung {
  const char *name;
  const WarptileCode *code[2];
  const double *start_us, *factor;  // of an empty product; of the time of blocks by which plans are made
};

struct WarptileChoice {
  const WarptileCode *code;
  WarptileFigures figures;
  WarptilePlan plan;
};
inline WarptileChoice choose_warptile(const gpuopt_problem &problem, const WarptileRung &rung) {
  const WarptileSize size = warptile_size(problem);
  const WarptileWay a = {warptile_bytes_a(problem), false}, b = {warptile_bytes_b(problem), false};
  WarptileChoice best = {};
  for (const WarptileCode *code : rung.code) {
    if (code == nullptr) break;
    const WarptileFigures figures = code->figures();
    const WarptilePlan plan = warptile_plan(size, figures, a, b);
    if (best.code == nullptr || plan.us < best.plan.us) best = {code, figures, plan};
  }
  return best;
}

inline double warptile_finish_us(const gpuopt_problem &problem) {
  return is_plain_gemm(problem) ? 0 : finish_gemm_us(problem, 1, sizeof(float));
}

// Of a plan: multiplying and stores, which hide what comes from memory in part, and the joining of parts.
struct WarptileTimes {
  double start_us, blocks_us, waves_us, join_us, gather_us;
  bool streams;
};
inline WarptileTimes warptile_times(const WarptileRung &rung, const WarptilePlan &plan) {
  return {*rung.start_us, *rung.factor * plan.blocks_us, plan.waves_us, plan.join_us,
          plan.gather_us, warptile_streams(plan.work)};
}
double warptile_us(const gpuopt_problem &problem, const WarptileTimes &times);

template <const WarptileRung &kRung>
struct WarptileLaunch {
  static double predict_us(const gpuopt_problem *problem) {
    const WarptileChoice choice = choose_warptile(*problem, kRung);
    return warptile_us(*problem, warptile_times(kRung, choice.plan));
  }
  // Slots of partial sums; behind them, where the epilogue is finish_gemm()'s, the sums that it reads.
  static void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
    const WarptileChoice c = choose_warptile(*problem, kRung);
    *scratch = warptile_slot_bytes(c.plan.work, c.figures) + warptile_sums_bytes(*problem);
    *zeroed = warptile_ticket_bytes(c.plan.work);
  }
  static gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const WarptileChoice c = choose_warptile(*problem, kRung);
    const gpuopt_status status = c.code->load(launch, kRung.name, c.plan.a.bytes, c.plan.b.bytes);
    return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<float>(launch);
  }
  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const WarptileChoice c = choose_warptile(*problem, kRung);
    float *const slots = static_cast<float *>(launch->scratch);
    float *const sums =
        is_plain_gemm(*problem) ? nullptr : slots + warptile_slot_bytes(c.plan.work, c.figures) / sizeof(float);
    Warptile w = make_warptile(*problem, slots, sums, launch);
    w.work = c.plan.work;
    const gpuopt_status status = c.code->run(launch, kRung.name, c.plan.a.bytes, c.plan.b.bytes, w, false);
    return status != GPUOPT_OK || sums == nullptr ? status : finish_gemm<float>(*problem, launch, sums, 1);
  }
};

// fp32 sums are at least as accurate as what F32_TENSOR asks for.
inline constexpr gpuopt_signature kWarptileSignatures[] = {
    kPlainGemmF32[0], {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32_TENSOR}};

// Functions: as WarptileLaunch.
template <class Functions, size_t kCount>
constexpr gpuopt_kernel warptile_kernel(const char *name, const char *summary, const char *aliases,
                                        const gpuopt_resource (&resources)[kCount]) {
  gpuopt_kernel kernel = gemm_descriptor(name, summary);
  kernel.aliases = aliases;
  set_signatures(kernel, kWarptileSignatures);
  kernel.can_run = warptile_can_run;
  set_functions_in_parts<Functions::workspace, Functions::predict_us, Functions::prepare, Functions::launch>(kernel);
  set_resources(kernel, resources);
  return kernel;
}

}  // namespace gpuopt
