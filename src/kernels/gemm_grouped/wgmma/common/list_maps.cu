// Tensor maps of the products of a list, made on the device.
//
// Idea and data movement. A warp a product: it copies maps that are alike but for address, extents and pitch to shared memory, where
// a lane each for A, B and D replaces those, and has the accelerator's copy bring them to scratch memory: 384 bytes. A list of
// the host comes as kernel parameters, so that it may change when the call returns and a graph keeps the one that it was
// captured with; one of the device is read here. A launch in front costs some 2 us once; a block that made the maps of whatever
// product it comes to would make those of one product in all blocks that share it, and wait for each.
// Needs: sm_90a (tensormap.replace).
// arch class: sm90a
#include "gemm_grouped/wgmma/list_maps.h"

#include <algorithm>
#include <type_traits>

#include "common/launch.h"
#include "gemm/wgmma/wgmma_operands.h"
#include "gemm_grouped/common/group_products.h"
#include "gemm_grouped/wgmma/figures.h"
#include "gemm_grouped/wgmma/grouped_wgmma.h"
#include "gemm_grouped/wgmma/list_wgmma.h"

namespace gpuopt {

constexpr int kListMapsWarps = 4;
constexpr int kListOfLaunch = 36;  // all parameters together have 4096 bytes

struct ListOfDevice {
  const gpuopt_gemm_group *products;
};
struct ListOfHost {
  gpuopt_gemm_group products[kListOfLaunch];
};

struct ListMapsWork {
  CUtensorMap like[3];  // of A, B and D, at an address that exists
  GroupBounds bounds;
  ListMaps *maps;
  ListResult *results;
  ListShape *shapes;
  int32_t count, size, size_d;  // bytes of elements
  bool by_panels;
};
static_assert(alignof(ListMapsWork) + sizeof(ListMapsWork) + sizeof(ListOfHost) <= 4096, "parameters of a kernel");

// A matrix as the accelerator sees it: lines of contiguous elements.
struct ListLines {
  const void *data;
  int64_t elements, lines, pitch;  // pitch: bytes
};
__device__ __forceinline__ ListLines list_lines(const void *data, bool rows, int64_t m, int64_t n, int64_t ld,
                                                int32_t size) {
  const int64_t elements = rows ? n : m, lines = rows ? m : n;
  return {data, elements, lines, lines > 1 ? ld * size : (elements * size + 15) / 16 * 16};
}

__device__ __forceinline__ void replace_in_map(CUtensorMap *map, const ListLines &x) {
#if __CUDACC_VER_MAJOR__ > 12 || __CUDACC_VER_MINOR__ >= 5
  constexpr int kPitchUnit = 1;
#else
  constexpr int kPitchUnit = 16;  // which ptxas left to us
#endif
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(map));
  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at), "l"(x.data)
               : "memory");
  asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(at),
               "r"(static_cast<uint32_t>(x.elements))
               : "memory");
  asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at),
               "r"(static_cast<uint32_t>(x.lines))
               : "memory");
  asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(at),
               "l"(x.pitch / kPitchUnit)
               : "memory");
}
// All lanes of a warp: to global memory, for acquire_map() of another kernel.
__device__ __forceinline__ void release_map(CUtensorMap *to, const CUtensorMap *from) {
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
          __cvta_generic_to_global(to)),
      "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from)))
      : "memory");
}

template <class List>
__global__ void __launch_bounds__(kListMapsWarps * 32)
    gemm_grouped_list_maps_kernel(const __grid_constant__ ListMapsWork work, const __grid_constant__ List list) {
#if __CUDA_ARCH__ >= 900
  __shared__ ListMaps made[kListMapsWarps];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int64_t i = int64_t{blockIdx.x} * kListMapsWarps + warp;
  if (i >= work.count) return;
  const GroupProduct x = work.bounds.of(list.products[i]);
  const ListLines d = list_lines(x.d, true, x.m, x.n, x.ldd, work.size_d);
  const bool by_panels =
      work.by_panels && x.n * work.size_d % 16 == 0 && d.pitch % 16 == 0 && reinterpret_cast<uintptr_t>(x.d) % 16 == 0;
  if (lane == 0) {
    work.shapes[i] = {static_cast<int32_t>(x.m), static_cast<int32_t>(x.n), static_cast<int32_t>(x.k), by_panels};
    const bool c_rows = work.bounds.c_rows;
    work.results[i] = {x.d, x.c, x.ldd, c_rows ? x.ldc : 1, c_rows ? 1 : x.ldc};
  }
  if (x.m == 0 || x.n == 0) return;  // nobody asks for its maps
  for (int map = 0; map < 3; ++map)
    reinterpret_cast<uint32_t *>(&made[warp])[map * 32 + lane] =
        reinterpret_cast<const uint32_t *>(&work.like[map])[lane];
  __syncwarp();
  // Without depth there need not be an A or a B: theirs stay as they are, of as little.
  if (lane == 0 && x.k != 0)
    replace_in_map(&made[warp].a, list_lines(x.a, work.bounds.a_rows, x.m, x.k, x.lda, work.size));
  if (lane == 1 && x.k != 0)
    replace_in_map(&made[warp].b, list_lines(x.b, work.bounds.b_rows, x.k, x.n, x.ldb, work.size));
  if (lane == 2 && by_panels) replace_in_map(&made[warp].d, d);
  __syncwarp();
  release_map(&work.maps[i].a, &made[warp].a);
  release_map(&work.maps[i].b, &made[warp].b);
  if (by_panels) release_map(&work.maps[i].d, &made[warp].d);
#endif
}

namespace {

size_t rounded(size_t bytes) { return (bytes + 255) / 256 * 256; }

// Maps of one element of each operand, which is scratch memory's.
bool encode_maps(const gpuopt_problem &p, void *data, CUtensorMap (&maps)[3]) {
  const auto size = static_cast<int>(gpuopt_dtype_size(p.operand[GPUOPT_OPERAND_A].m.dtype));
  const auto of_d = static_cast<int>(gpuopt_dtype_size(p.operand[GPUOPT_OPERAND_D].m.dtype));
  const GemmView view = {static_cast<char *>(data), 16, 0};
  return encode_wgmma_map(&maps[0], view, size, true, 1, 1, 1, 64) &&
         encode_wgmma_map(&maps[1], view, size, grouped_b_along_k(p), 1, 1, 1, 64) &&
         encode_tensor_map(&maps[2], data, of_d, 1, 1, 16, 1, 0, 64);
}

bool of_host(const gpuopt_problem &p) { return (p.features & GPUOPT_FEATURE_HOST_LIST) != 0; }

}  // namespace

size_t list_maps_bytes(const gpuopt_problem &p) {
  const auto products = static_cast<size_t>(p.batch);
  return rounded(products * sizeof(ListMaps)) + rounded(products * sizeof(ListResult)) +
         rounded(products * sizeof(ListShape));
}

double list_maps_us(const gpuopt_problem &p) {
  return gemm_grouped_wgmma_figures.list_maps_us *
         static_cast<double>(of_host(p) ? ceil_div(p.batch, kListOfLaunch) : 1);
}

gpuopt_status load_list_maps(const char *name, const gpuopt_problem &p, const gpuopt_launch *launch) {
  return of_host(p) ? load_kernel(launch, name, gemm_grouped_list_maps_kernel<ListOfHost>)
                    : load_kernel(launch, name, gemm_grouped_list_maps_kernel<ListOfDevice>);
}

gpuopt_status make_list_maps(const char *name, const gpuopt_problem &p, const gpuopt_launch *launch, bool by_panels,
                             ListWgmmaWork *work) {
  const auto products = static_cast<size_t>(p.batch);
  char *const at = static_cast<char *>(launch->scratch), *const results = at + rounded(products * sizeof(ListMaps));
  ListMapsWork make = {{},
                       GroupBounds(p),
                       reinterpret_cast<ListMaps *>(at),
                       reinterpret_cast<ListResult *>(results),
                       reinterpret_cast<ListShape *>(results + rounded(products * sizeof(ListResult))),
                       static_cast<int32_t>(p.batch),
                       static_cast<int32_t>(gpuopt_dtype_size(p.operand[GPUOPT_OPERAND_A].m.dtype)),
                       static_cast<int32_t>(gpuopt_dtype_size(p.operand[GPUOPT_OPERAND_D].m.dtype)),
                       by_panels};
  if (!encode_maps(p, at, make.like)) return no_tensor_map(launch, name);
  work->shapes = {make.shapes, make.count, static_cast<int32_t>(p.k)};
  work->maps = make.maps;
  work->results = make.results;
  const auto launch_some = [&](const auto &list) {
    return launch_kernel(launch, name, dim3(static_cast<unsigned>(ceil_div(make.count, kListMapsWarps))),
                         dim3(kListMapsWarps * 32), 0, gemm_grouped_list_maps_kernel<std::decay_t<decltype(list)>>,
                         make, list);
  };
  if (!of_host(p))
    return launch_some(ListOfDevice{static_cast<const gpuopt_gemm_group *>(p.extra[GPUOPT_OPERAND_LIST - 4].m.data)});
  for (int64_t first = 0; first < p.batch; first += make.count) {
    ListOfHost list = {};
    make.count = static_cast<int32_t>(std::min<int64_t>(kListOfLaunch, p.batch - first));
    std::copy_n(p.host_list + first, make.count, list.products);
    make.maps = reinterpret_cast<ListMaps *>(at) + first;
    make.results = const_cast<ListResult *>(work->results) + first;
    make.shapes = const_cast<ListShape *>(work->shapes.shapes) + first;
    const gpuopt_status status = launch_some(list);
    if (status != GPUOPT_OK) return status;
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt
