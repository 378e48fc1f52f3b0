// A plugin with one fault, which GPUOPT_TEST_FAULT names when it is loaded and asked.
#include <gpuopt/kernel.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

bool fault_is(const char *name) {
  const char *const fault = std::getenv("GPUOPT_TEST_FAULT");
  return fault != nullptr && std::strcmp(fault, name) == 0;
}

// What an object runs by itself when it is loaded.
struct AtStart {
  AtStart() {
    if (fault_is("start hangs"))
      for (;;) pause();
    if (fault_is("start throws")) throw std::runtime_error("from start-up code");
    if (fault_is("start exits")) _exit(42);
    if (fault_is("start exits as if all were well")) std::exit(0);
    if (fault_is("start exits as one that is at fault")) _exit(1);
  }
} at_start;

gpuopt_status launch(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_OK; }
const gpuopt_signature kSignatures[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32}};

gpuopt_kernel kernel(const char *name) {
  gpuopt_kernel k = {};
  k.struct_size = sizeof k;
  k.name = name;
  k.summary = "of a hostile plugin";
  k.op = GPUOPT_OP_GEMM;
  k.flags = GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING;
  k.signatures = kSignatures;
  k.signature_count = 1;
  k.launch = launch;
  return k;
}

// Where nothing can be read.
template <class T>
const T *nowhere() {
  static void *const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<const T *>(page);
}

// A text that runs into such a place.
const char *endless() {
  static char *const pages =
      static_cast<char *>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(pages, 'a', 4096);
  mprotect(pages + 4096, 4096, PROT_NONE);
  return pages + 4096 - 20;
}

const std::string kLong(90, 'x');
std::string plugin_name;
std::vector<gpuopt_kernel> kernels;
std::vector<std::string> names;
gpuopt_plugin table;

void spoil_kernels() {
  gpuopt_kernel &k = kernels[0];
  if (fault_is("kernel too small")) k.struct_size = 24;
  if (fault_is("kernel too large")) k.struct_size = sizeof k + 64;
  if (fault_is("kernel without a name")) k.name = nullptr;
  if (fault_is("kernel's name nowhere")) k.name = nowhere<char>();
  if (fault_is("kernel's name endless")) k.name = endless();
  if (fault_is("kernel's name has a slash")) k.name = "gemm/x";
  if (fault_is("kernel's name is too long in full")) k.name = kLong.c_str();
  if (fault_is("kernel's former names nowhere")) k.aliases = nowhere<char>();
  if (fault_is("kernel's former name is bad")) k.aliases = "gemm_ok,Gemm";
  if (fault_is("kernel's summary nowhere")) k.summary = nowhere<char>();
  if (fault_is("kernel's data_paths nowhere")) k.data_paths = nowhere<char>();
  if (fault_is("signatures nowhere")) k.signatures = nowhere<gpuopt_signature>();
  if (fault_is("signatures are NULL")) k.signatures = nullptr;
  if (fault_is("absurd count of signatures")) k.signature_count = SIZE_MAX / 2;
  if (fault_is("resources nowhere")) k.resources = nowhere<gpuopt_resource>(), k.resource_count = 4;
  if (fault_is("chain nowhere")) k.chain = nowhere<gpuopt_built_in_stage>(), k.max_stages = 3;
  if (fault_is("launch is NULL")) k.launch = nullptr;
  if (fault_is("launch nowhere")) {
    const void *const page = nowhere<char>();
    std::memcpy(&k.launch, &page, sizeof page);
  }
  if (fault_is("algorithms nowhere")) {
    const void *const page = nowhere<char>();
    std::memcpy(&k.algorithms, &page, sizeof page);
  }
  if (fault_is("chosen and fails")) {
    k.flags = GPUOPT_KERNEL_HOST;
    k.predict_us = [](const gpuopt_problem *) { return 1e-3; };
    k.launch = [](const gpuopt_problem *, const gpuopt_launch *) -> gpuopt_status { return GPUOPT_NOT_SUPPORTED; };
  }
  if (fault_is("a name twice")) kernels.push_back(k), table.kernel_count = 2;
  if (fault_is("many faults")) {
    k.op = 77;
    k.flags |= 1u << 30;
    k.align[0] = 3;
    kernels.push_back(kernel("gemm_Other"));
  }
  if (fault_is("ten thousand kernels") || fault_is("four thousand kernels")) {
    names.clear();
    const int count = fault_is("ten thousand kernels") ? 10000 : 4096;
    for (int i = 0; i < count; ++i) names.push_back("gemm_" + std::to_string(i));
    kernels.clear();
    for (const std::string &name : names) kernels.push_back(kernel(name.c_str()));
  }
}

}  // namespace

GPUOPT_PLUGIN_EXPORT const gpuopt_plugin *gpuopt_plugin_query_v1(const gpuopt_host *host) {
  if (fault_is("query throws")) throw std::runtime_error("from the query");
  if (fault_is("query throws what is no exception")) throw 7;
  if (fault_is("query is out of memory")) throw std::bad_alloc();
  if (fault_is("query hangs"))
    for (;;) pause();
  if (fault_is("query crashes")) std::abort();
  if (fault_is("query exits as if all were well")) std::exit(0);
  if (fault_is("refuses without a word")) return nullptr;
  if (fault_is("refuses")) {
    std::snprintf(host->error, host->error_bytes, "it wants gpuopt 9");
    return nullptr;
  }
  if (fault_is("refuses with words that never end")) {
    std::memset(host->error, 'x', host->error_bytes);
    return nullptr;
  }
  if (fault_is("table nowhere")) return nowhere<gpuopt_plugin>();
  const char *const name = std::getenv("GPUOPT_TEST_PLUGIN_NAME");
  plugin_name = name ? name : "hostile";
  kernels = {kernel("gemm_first")};
  table = {sizeof table,         GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, plugin_name.c_str(), "1", nullptr, 1,
           sizeof(gpuopt_kernel)};
  spoil_kernels();
  table.kernels = kernels.data();
  table.kernel_count = kernels.size();
  if (fault_is("table too small")) table.struct_size = 16;
  if (fault_is("table too large")) table.struct_size = 100000;
  if (fault_is("wrong ABI")) table.abi_major = 2;
  if (fault_is("plugin without a name")) table.name = nullptr;
  if (fault_is("plugin's name has blanks")) table.name = "a b";
  if (fault_is("plugin's name nowhere")) table.name = nowhere<char>();
  if (fault_is("version does not print")) table.version = "1\n2";
  if (fault_is("kernels are NULL")) table.kernels = nullptr;
  if (fault_is("kernels nowhere")) table.kernels = nowhere<gpuopt_kernel>();
  if (fault_is("no kernels")) table.kernel_count = 0;
  if (fault_is("stride of nothing")) table.kernel_stride = 0;
  if (fault_is("stride of 13")) table.kernel_stride = 13;
  return &table;
}
