// gpuopt_<struct>_init gives what GPUOPT_<STRUCT>_INIT gives, to structs of other versions too.
#include "support.h"

#include <cstddef>

using namespace gpuopt_test;

namespace {

// Room for a struct that is longer than ours, with a byte in all of it that nobody writes.
template <class Struct>
struct Painted {
  alignas(Struct) unsigned char bytes[sizeof(Struct) + 128];
  Painted() { std::memset(bytes, 0x5a, sizeof bytes); }
  Struct *get() { return reinterpret_cast<Struct *>(bytes); }
  bool unwritten_from(size_t at) const {
    for (size_t i = at; i < sizeof bytes; ++i)
      if (bytes[i] != 0x5a) return false;
    return true;
  }
};

template <class Struct>
void check_same(gpuopt_status (*init)(Struct *, size_t), const char *name, const Struct &macro,
                size_t version_1 = sizeof(Struct)) {
  CAPTURE(std::string(name));
  Painted<Struct> same;
  CHECK_MESSAGE(init(same.get(), sizeof(Struct)) == GPUOPT_OK, last_error());
  CHECK(std::memcmp(same.bytes, &macro, sizeof macro) == 0);
  CHECK(same.unwritten_from(sizeof(Struct)));

  for (size_t size = version_1; size < sizeof(Struct); size += 4) {  // of an older header
    Struct as_old = macro;
    as_old.struct_size = size;
    Painted<Struct> old;
    CHECK_MESSAGE(init(old.get(), size) == GPUOPT_OK, last_error());
    CHECK(std::memcmp(old.bytes, &as_old, size) == 0);
    CHECK(old.unwritten_from(size));
  }
  Painted<Struct> newer;
  CHECK_MESSAGE(init(newer.get(), sizeof(Struct) + 64) == GPUOPT_OK, last_error());
  CHECK(newer.get()->struct_size == sizeof(Struct) + 64);
  constexpr size_t head = sizeof(size_t);
  CHECK(std::memcmp(newer.bytes + head, reinterpret_cast<const char *>(&macro) + head, sizeof macro - head) == 0);
  for (size_t i = sizeof(Struct); i < sizeof(Struct) + 64; ++i) CHECK(newer.bytes[i] == 0);
  CHECK(newer.unwritten_from(sizeof(Struct) + 64));

  for (const size_t size : {size_t{0}, size_t{8}, version_1 - 1, size_t{4097}, SIZE_MAX}) {
    Painted<Struct> none;
    CHECK(init(none.get(), size) == GPUOPT_INVALID_ARGUMENT);
    CHECK(none.unwritten_from(0));
    CHECK_MESSAGE((contains(last_error(), name) && contains(last_error(), std::to_string(size))), last_error());
  }
  CHECK(init(nullptr, sizeof(Struct)) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE((contains(last_error(), name) && contains(last_error(), "is NULL")), last_error());
}

}  // namespace

TEST_CASE("initial values: each function gives what its macro gives, byte for byte, and as far as struct_size goes") {
  check_same(gpuopt_gemm_args_init, "gpuopt_gemm_args_init", GPUOPT_GEMM_ARGS_INIT);
  check_same(gpuopt_transpose_args_init, "gpuopt_transpose_args_init", GPUOPT_TRANSPOSE_ARGS_INIT);
  check_same(gpuopt_reduce_args_init, "gpuopt_reduce_args_init", GPUOPT_REDUCE_ARGS_INIT);
  check_same(gpuopt_fused_act_args_init, "gpuopt_fused_act_args_init", GPUOPT_FUSED_ACT_ARGS_INIT);
  check_same(gpuopt_norm_args_init, "gpuopt_norm_args_init", GPUOPT_NORM_ARGS_INIT);
  check_same(gpuopt_gemm_grouped_args_init, "gpuopt_gemm_grouped_args_init", GPUOPT_GEMM_GROUPED_ARGS_INIT);
  check_same(gpuopt_options_init, "gpuopt_options_init", GPUOPT_OPTIONS_INIT, offsetof(gpuopt_options, tune_cache));
  check_same(gpuopt_explain_options_init, "gpuopt_explain_options_init", GPUOPT_EXPLAIN_OPTIONS_INIT,
             offsetof(gpuopt_explain_options, any_build));
  check_same(gpuopt_device_facts_init, "gpuopt_device_facts_init", GPUOPT_DEVICE_FACTS_INIT);
  check_same(gpuopt_run_info_init, "gpuopt_run_info_init", GPUOPT_RUN_INFO_INIT);
  check_same(gpuopt_occupancy_init, "gpuopt_occupancy_init", GPUOPT_OCCUPANCY_INIT);
}

TEST_CASE("initial values: the functions take the sizes that the calls take, of older headers too") {
  const Handle h = cpu_handle();
  SmallGemm g;
  gpuopt_explain_options e = GPUOPT_EXPLAIN_OPTIONS_INIT;
  for (e.struct_size = 0; e.struct_size < sizeof e; e.struct_size += 4) {
    CAPTURE(e.struct_size);
    gpuopt_explain_options own;
    CHECK(gpuopt_explain(h.get(), &g.args, &e, nullptr, nullptr) == gpuopt_explain_options_init(&own, e.struct_size));
  }
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  for (o.struct_size = 0; o.struct_size < sizeof o; o.struct_size += 4) {
    CAPTURE(o.struct_size);
    gpuopt_options own;
    gpuopt_handle *made = nullptr;
    CHECK(gpuopt_create(&made, &o) == gpuopt_options_init(&own, o.struct_size));
    gpuopt_destroy(made);
  }
  gpuopt_device_facts f = GPUOPT_DEVICE_FACTS_INIT;
  for (f.struct_size = 0; f.struct_size < sizeof f; f.struct_size += 4) {
    gpuopt_device_facts own;
    CHECK(gpuopt_get_device(h.get(), &f) == gpuopt_device_facts_init(&own, f.struct_size));
  }
  gpuopt_run_info r = GPUOPT_RUN_INFO_INIT;
  for (r.struct_size = 0; r.struct_size < sizeof r; r.struct_size += 4) {
    gpuopt_run_info own;
    CHECK(gpuopt_last_kernel(h.get(), &r) == gpuopt_run_info_init(&own, r.struct_size));
  }
  for (g.args.struct_size = 0; g.args.struct_size < sizeof g.args; g.args.struct_size += 4) {
    gpuopt_gemm_args own;
    CHECK(gpuopt_gemm(h.get(), &g.args) == gpuopt_gemm_args_init(&own, g.args.struct_size));
  }
}

TEST_CASE("initial values: a matrix, which has no size of its own") {
  const gpuopt_matrix macro = GPUOPT_MATRIX_INIT;
  Painted<gpuopt_matrix> matrix;
  CHECK(gpuopt_matrix_init(matrix.get()) == GPUOPT_OK);
  CHECK(std::memcmp(matrix.bytes, &macro, sizeof macro) == 0);
  CHECK(matrix.unwritten_from(sizeof macro));
  CHECK(gpuopt_matrix_init(nullptr) == GPUOPT_INVALID_ARGUMENT);
}

TEST_CASE("initial values: every _INIT macro of the header has a function") {
  FILE *const header = fopen(GPUOPT_TEST_SOURCE_DIR "/../include/gpuopt/gpuopt.h", "r");
  REQUIRE(header);
  std::string text;
  for (int c; (c = fgetc(header)) != EOF;) text += static_cast<char>(c);
  fclose(header);
  int macros = 0;
  for (size_t at = 0; (at = text.find("#define GPUOPT_", at)) != std::string::npos; ++at) {
    std::string name = text.substr(at + 8, text.find_first_of(" (\\", at + 8) - at - 8);
    if (name.size() < 5 || name.compare(name.size() - 5, 5, "_INIT") != 0) continue;
    ++macros;
    for (char &c : name) c = static_cast<char>(tolower(c));
    CHECK_MESSAGE(contains(text, "gpuopt_status " + name + "("), name);
  }
  CHECK(macros == 12);
}
