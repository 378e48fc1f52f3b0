// The normal form is row-major and cuBLASLt is column-major, so it is asked for D^T = B^T A^T: a row-major
// matrix is its own transpose read column by column. Its "A" is the problem's B and the other way round, its
// m is n.
//
// Plans are found by key in a hash table that is only ever added to, so a reader takes no lock. They live as
// long as the process (about 1 KB each); beyond kMaxPlans, new kinds of problem are planned again at each
// call.
#if !defined(GPUOPT_CUBLAS_OFF)

#include "gemm/library/common/cublaslt_plan.h"

#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "common/cublas/cublas_loader.h"
#include "gemm/library/common/cublaslt_algorithm.h"

namespace gpuopt {

namespace {

constexpr int kA = GPUOPT_OPERAND_A, kB = GPUOPT_OPERAND_B, kC = GPUOPT_OPERAND_C, kD = GPUOPT_OPERAND_D;

struct Arithmetic {
  cublasComputeType_t compute;
  cudaDataType_t scale;  // of alpha and beta
};

Arithmetic arithmetic(int32_t compute) {
  switch (compute) {
    case GPUOPT_COMPUTE_TF32:
      return {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F};
    case GPUOPT_COMPUTE_F64:
      return {CUBLAS_COMPUTE_64F, CUDA_R_64F};
    case GPUOPT_COMPUTE_F16:
      return {CUBLAS_COMPUTE_16F, CUDA_R_16F};
    default:
      return {CUBLAS_COMPUTE_32F, CUDA_R_32F};
  }
}

// The type of the C that the descriptors speak of: where C is not read it stands for D, but cuBLASLt has no
// fp8 C.
int32_t c_dtype(const gpuopt_problem &p) {
  if (cublaslt_reads_c(p)) return p.operand[kC].m.dtype;
  const int32_t d = p.operand[kD].m.dtype;
  return d == GPUOPT_E4M3 || d == GPUOPT_E5M2 ? GPUOPT_BF16 : d;
}

uint64_t log2_align(int32_t align) { return static_cast<uint64_t>(__builtin_ctz(static_cast<unsigned>(align) | 256u)); }

CublasLtKey make_key(const gpuopt_problem &p, const gpuopt_launch &launch, const CublasLtEpilogue &epilogue) {
  CublasLtKey key = {};
  key.m = p.m;
  key.n = p.n;
  key.k = p.k;
  key.batch = p.batch;
  uint64_t types = static_cast<uint64_t>(p.compute);
  const auto bit = [&types](bool set, int position) { types |= static_cast<uint64_t>(set) << position; };
  for (int i = 0; i < 4; ++i) {
    const gpuopt_operand &o = p.operand[i];
    if (i == kC && !cublaslt_reads_c(p)) continue;
    key.ld[i] = o.m.ld;
    key.stride[i] = p.batch > 1 ? o.m.batch_stride : 0;
    key.aligns |= log2_align(o.align) << (4 * i);
    types |= static_cast<uint64_t>(o.m.dtype) << (4 + 4 * i);
    bit(o.m.scale != nullptr, 20 + i);
  }
  bit(p.operand[kA].m.layout == GPUOPT_COL, 24);
  bit(p.operand[kB].m.layout == GPUOPT_COL, 25);
  bit(cublaslt_reads_c(p), 26);
  if (epilogue.bias != nullptr) {
    types |= static_cast<uint64_t>(epilogue.bias->m.dtype) << 32;
    key.aligns |= log2_align(epilogue.bias->align) << 16;
  }
  key.types = types | static_cast<uint64_t>(launch.device->ordinal) << 40;
  key.workspace = cublaslt_scratch(p);
  key.algorithm = reinterpret_cast<uintptr_t>(p.algorithm);
  return key;
}

uint64_t hash(const CublasLtKey &key) {
  uint64_t words[CublasLtKey::kWords];
  std::memcpy(words, &key, sizeof(words));
  uint64_t h = 0;
  for (uint64_t word : words) {
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
  }
  return h;
}

// Zero-initialised: no static constructor runs.
constexpr size_t kBuckets = 4096, kMaxPlans = 65536;
constexpr int kMaxDevices = 64;
std::atomic<CublasLtPlan *> g_buckets[kBuckets];
std::mutex g_mutex;  // for adding to g_buckets and for the two below
size_t g_plan_count;
cublasLtHandle_t g_handles[kMaxDevices];

CublasLtPlan *find_plan(const CublasLtKey &key, uint64_t h) {
  CublasLtPlan *plan = g_buckets[h % kBuckets].load(std::memory_order_acquire);
  while (plan != nullptr && std::memcmp(&plan->key, &key, sizeof(key)) != 0) plan = plan->next;
  return plan;
}

// Under g_mutex. The device's handle, created on first use and kept.
gpuopt_status get_handle(const CublasLtApi &api, const gpuopt_launch &launch, cublasLtHandle_t *handle) {
  const int ordinal = launch.device->ordinal;
  if (ordinal < 0 || ordinal >= kMaxDevices) {
    return cublas_fail(launch, GPUOPT_NOT_SUPPORTED, "gemm_cublaslt: device %d is not one of the first %d", ordinal,
                       kMaxDevices);
  }
  if (g_handles[ordinal] == nullptr) {
    cublasLtHandle_t created = nullptr;
    const cublasStatus_t code = api.create(&created);
    if (code != CUBLAS_STATUS_SUCCESS) return cublaslt_fail_with(api, launch, "cublasLtCreate", code);
    g_handles[ordinal] = created;
  }
  *handle = g_handles[ordinal];
  return GPUOPT_OK;
}

// Sets attributes one after another and keeps the first failure.
template <class Descriptor, class Attribute>
class Setter {
 public:
  using Function = cublasStatus_t (*)(Descriptor, Attribute, const void *, size_t);
  Setter(Function function, Descriptor descriptor) : function_(function), descriptor_(descriptor) {}
  template <class T>
  Setter &set(Attribute attribute, T value) {
    if (status_ == CUBLAS_STATUS_SUCCESS) status_ = function_(descriptor_, attribute, &value, sizeof(value));
    return *this;
  }
  cublasStatus_t status() const { return status_; }

 private:
  Function function_;
  Descriptor descriptor_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};
using DescSetter = Setter<cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t>;
using LayoutSetter = Setter<cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t>;
using PreferenceSetter = Setter<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t>;

// The column-major view of a rows x cols operand.
cublasStatus_t make_layout(const CublasLtApi &api, cublasLtMatrixLayoutOpaque_t *layout, const gpuopt_matrix &m,
                           int32_t dtype, int64_t rows, int64_t cols, int64_t batch) {
  if (m.layout == GPUOPT_ROW) std::swap(rows, cols);
  const cublasStatus_t status = api.layout_init(layout, sizeof(*layout), cublas_data_type(dtype),
                                                static_cast<uint64_t>(rows), static_cast<uint64_t>(cols), m.ld);
  if (status != CUBLAS_STATUS_SUCCESS || batch == 1) return status;
  return LayoutSetter(api.layout_set, layout)
      .set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(batch))
      .set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, m.batch_stride)
      .status();
}

cublasStatus_t describe(const gpuopt_problem &p, const CublasLtEpilogue &epilogue, CublasLtPlan *plan) {
  const CublasLtApi &api = *plan->api;
  const Arithmetic type = arithmetic(p.compute);
  cublasStatus_t status = api.desc_init(&plan->desc, sizeof(plan->desc), type.compute, type.scale);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const auto operation = [&](int operand) {
    return static_cast<int32_t>(p.operand[operand].m.layout == GPUOPT_ROW ? CUBLAS_OP_N : CUBLAS_OP_T);
  };
  DescSetter desc(api.desc_set, &plan->desc);
  desc.set(CUBLASLT_MATMUL_DESC_TRANSA, operation(kB)).set(CUBLASLT_MATMUL_DESC_TRANSB, operation(kA));
  if (p.compute == GPUOPT_COMPUTE_F8_FAST) desc.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t{1});
  if (epilogue.bias != nullptr) {
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<uint32_t>(CUBLASLT_EPILOGUE_BIAS));
    const gpuopt_matrix &bias = epilogue.bias->m;
    desc.set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<int32_t>(cublas_data_type(bias.dtype)));
  }
  if (desc.status() != CUBLAS_STATUS_SUCCESS) return desc.status();
  const gpuopt_matrix &a = p.operand[kA].m, &b = p.operand[kB].m, &d = p.operand[kD].m;
  const gpuopt_matrix &c = cublaslt_reads_c(p) ? p.operand[kC].m : d;
  status = make_layout(api, &plan->a, a, a.dtype, p.m, p.k, p.batch);
  if (status == CUBLAS_STATUS_SUCCESS) status = make_layout(api, &plan->b, b, b.dtype, p.k, p.n, p.batch);
  if (status == CUBLAS_STATUS_SUCCESS) status = make_layout(api, &plan->c, c, c_dtype(p), p.m, p.n, p.batch);
  if (status == CUBLAS_STATUS_SUCCESS) status = make_layout(api, &plan->d, d, d.dtype, p.m, p.n, p.batch);
  return status;
}

// The heuristic's first algorithm, or the one that is named. Deterministic: every algorithm of cuBLASLt gives the same bits
// each time on one device, split-K included (partial sums are added in a fixed order), and the choice depends on the
// key alone.
cublasStatus_t choose(const gpuopt_problem &p, const CublasLtEpilogue &epilogue, CublasLtPlan *plan) {
  CublasLtOffer offer;
  const cublasStatus_t status = cublaslt_offer(p, epilogue, *plan, &offer);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const int chosen = p.algorithm != nullptr ? find_cublaslt_algorithm(*plan->api, offer, p.algorithm) : 0;
  if (chosen < 0 || chosen >= offer.count) return CUBLAS_STATUS_NOT_SUPPORTED;
  plan->algo = offer.results[chosen].algo;
  return CUBLAS_STATUS_SUCCESS;
}

// Under g_mutex, in relaxed capture mode, with the device current.
gpuopt_status make_plan(const gpuopt_problem &p, const gpuopt_launch &launch, const CublasLtEpilogue &epilogue,
                        CublasLtPlan *plan) {
  char reason[1024];
  plan->api = cublaslt_load(reason, sizeof(reason));
  if (plan->api == nullptr) return cublas_fail(launch, GPUOPT_NOT_SUPPORTED, "gemm_cublaslt: %s", reason);
  const gpuopt_status status = get_handle(*plan->api, launch, &plan->handle);
  if (status != GPUOPT_OK) return status;
  const cublasStatus_t described = describe(p, epilogue, plan);
  if (described != CUBLAS_STATUS_SUCCESS) {
    return cublaslt_fail_with(*plan->api, launch, "describing the problem to cuBLASLt", described);
  }
  plan->refusal = choose(p, epilogue, plan);
  const bool refused = plan->refusal == CUBLAS_STATUS_NOT_SUPPORTED || plan->refusal == CUBLAS_STATUS_INVALID_VALUE;
  if (plan->refusal != CUBLAS_STATUS_SUCCESS && !refused) {
    return cublaslt_fail_with(*plan->api, launch, "cublasLtMatmulAlgoGetHeuristic", plan->refusal);
  }
  return GPUOPT_OK;
}

}  // namespace

cublasStatus_t cublaslt_set_pointers(const CublasLtApi &api, cublasLtMatmulDesc_t desc, const gpuopt_problem &p,
                                     const void *bias) {
  DescSetter setter(api.desc_set, desc);
  if (bias != nullptr) setter.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  const auto scale = [&](int operand, cublasLtMatmulDescAttributes_t attribute) {
    const void *pointer = p.operand[operand].m.scale;
    if (pointer != nullptr) setter.set(attribute, pointer);
  };
  scale(kB, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
  scale(kA, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
  scale(kD, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER);
  return setter.status();
}

cublasStatus_t cublaslt_offer(const gpuopt_problem &p, const CublasLtEpilogue &epilogue, const CublasLtPlan &plan,
                              CublasLtOffer *offer) {
  const CublasLtApi &api = *plan.api;
  // Split-K may hand partial sums over in D's type. Where that is narrower than the sums it would round more
  // than once, so only the schemes that keep the sums' type are allowed.
  const int32_t d = p.operand[kD].m.dtype;
  const bool wide = d == GPUOPT_F32 || d == GPUOPT_F64 || p.compute == GPUOPT_COMPUTE_F16;
  const uint32_t reductions = wide ? CUBLASLT_REDUCTION_SCHEME_MASK : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  const auto align = [&](int operand) { return static_cast<uint32_t>(p.operand[operand].align); };
  cublasLtMatmulPreferenceOpaque_t preference;
  cublasStatus_t status = api.preference_init(&preference, sizeof(preference));
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  status = PreferenceSetter(api.preference_set, &preference)
               .set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, plan.key.workspace)
               .set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions)
               .set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, align(kB))
               .set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, align(kA))
               .set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, align(cublaslt_reads_c(p) ? kC : kD))
               .set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, align(kD))
               .status();
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  // The heuristic looks at the bias pointer's alignment. It gets an address of the bias's alignment class in
  // place of the bias's own, which may happen to be aligned better than what the plan promises.
  cublasLtMatmulDescOpaque_t desc = plan.desc;
  const void *stand_in = nullptr;
  if (epilogue.bias != nullptr) {
    stand_in = reinterpret_cast<const void *>(uintptr_t{4096} + static_cast<uintptr_t>(epilogue.bias->align));
  }
  status = cublaslt_set_pointers(api, &desc, p, stand_in);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  int count = 0;
  offer->count = 0;
  status = api.heuristic(
      plan.handle, &desc, const_cast<cublasLtMatrixLayoutOpaque_t *>(&plan.b),
      const_cast<cublasLtMatrixLayoutOpaque_t *>(&plan.a), const_cast<cublasLtMatrixLayoutOpaque_t *>(&plan.c),
      const_cast<cublasLtMatrixLayoutOpaque_t *>(&plan.d), &preference, CublasLtOffer::kMost, offer->results, &count);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  for (int i = 0; i < count; ++i) {
    const cublasLtMatmulHeuristicResult_t &result = offer->results[i];
    if (result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= plan.key.workspace)
      offer->results[offer->count++] = result;
  }
  return offer->count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

gpuopt_status cublaslt_plan(const gpuopt_problem &p, const gpuopt_launch &launch, const CublasLtEpilogue &epilogue,
                            std::unique_ptr<CublasLtPlan> *unkept, CublasLtPlan **found) {
  const CublasLtKey key = make_key(p, launch, epilogue);
  const uint64_t h = hash(key);
  *found = find_plan(key, h);
  if (*found != nullptr) return GPUOPT_OK;
  const CublasRelaxedCapture relaxed;
  const CublasDevice device(launch.device->ordinal);
  const std::lock_guard<std::mutex> lock(g_mutex);
  *found = find_plan(key, h);
  if (*found != nullptr) return GPUOPT_OK;
  std::unique_ptr<CublasLtPlan> plan(new (std::nothrow) CublasLtPlan());
  if (plan == nullptr) return cublas_fail(launch, GPUOPT_OUT_OF_MEMORY, "gemm_cublaslt: no host memory for a plan");
  plan->key = key;
  const gpuopt_status status = make_plan(p, launch, epilogue, plan.get());
  if (status != GPUOPT_OK) return status;
  *found = plan.get();
  if (g_plan_count == kMaxPlans) {
    *unkept = std::move(plan);
    return GPUOPT_OK;
  }
  ++g_plan_count;
  std::atomic<CublasLtPlan *> &bucket = g_buckets[h % kBuckets];
  plan->next = bucket.load(std::memory_order_relaxed);
  bucket.store(plan.release(), std::memory_order_release);
  return GPUOPT_OK;
}

}  // namespace gpuopt

#endif
