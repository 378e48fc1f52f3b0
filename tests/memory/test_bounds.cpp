// What a handle holds is bounded, whatever streams and problems it has seen.
#include "hooks.h"
#include "support.h"
#include "synthetic_kernel.h"

#include <map>

using namespace gpuopt_test;

namespace {

// The caller's allocator, which keeps books; blocks are as large as was asked.
struct Books {
  std::map<void *, size_t> blocks;
  size_t held = 0, most = 0;
  static void *allocate(void *self, size_t bytes, CUstream_st *) {
    auto *books = static_cast<Books *>(self);
    void *block = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    books->blocks[block] = bytes;
    books->held += bytes;
    books->most = books->held > books->most ? books->held : books->most;
    return block;
  }
  static void deallocate(void *self, void *block, CUstream_st *) {
    auto *books = static_cast<Books *>(self);
    REQUIRE(books->blocks.count(block) == 1);
    books->held -= books->blocks[block];
    books->blocks.erase(block);
    std::free(block);
  }
};

size_t scratch_bytes, zeroed_bytes;
gpuopt_status uses_all(const gpuopt_problem *, const gpuopt_launch *l) {
  for (size_t i = 0; i < zeroed_bytes; ++i)
    if (static_cast<char *>(l->zeroed)[i] != 0) return GPUOPT_INTERNAL;
  std::memset(l->scratch, 0x55, scratch_bytes);
  return GPUOPT_OK;
}

const char *sized_kernel() {
  static gpuopt_kernel k = {};
  if (k.name != nullptr) return k.name;
  k = synthetic_kernel(GPUOPT_OP_GEMM, "gemm_test_sized", GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, kAnySignature);
  k.understands = ~0u;
  k.workspace = [](const gpuopt_problem *, size_t *scratch, size_t *zeroed) {
    *scratch = scratch_bytes;
    *zeroed = zeroed_bytes;
  };
  k.launch = uses_all;
  REQUIRE(gpuopt_register_kernel(&k) == GPUOPT_OK);
  return k.name;
}

// A call that takes so many bytes. Each is a problem of its own: the handle remembers sizes by problem.
gpuopt_status call(gpuopt_handle *h, size_t scratch, size_t zeroed) {
  static int64_t next = 1;
  scratch_bytes = scratch;
  zeroed_bytes = zeroed;
  SmallGemm g;
  g.args.a.ld = 4 + next;
  g.args.a.rows = g.args.d.rows = 1;
  ++next;
  return gpuopt_gemm(h, &g.args);
}

Handle handle_with(Books &books, size_t limit) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.workspace_limit = limit;
  o.kernel = sized_kernel();
  o.allocate = Books::allocate;
  o.deallocate = Books::deallocate;
  o.allocator_user = &books;
  gpuopt_handle *h = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
  return Handle(h);
}

CUstream_st *stream(size_t i) { return reinterpret_cast<CUstream_st *>(0x1000 + 16 * i); }

}  // namespace

TEST_CASE("bounds: workspace in all is at most twice the limit, over any number of streams and sizes") {
  constexpr size_t limit = 8 << 20;
  Books books;
  {
    const Handle h = handle_with(books, limit);
    uint64_t random = 1;
    for (size_t i = 0; i < 2000; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const size_t scratch = (random >> 33) % (limit - 4096),
                   zeroed = (random >> 20) % (i % 7 ? 4096 : limit - scratch);
      REQUIRE(gpuopt_set_stream(h.get(), stream((random >> 40) % 50)) == GPUOPT_OK);
      REQUIRE_MESSAGE(call(h.get(), scratch / (1 + i % 20), zeroed) == GPUOPT_OK, last_error());
    }
    REQUIRE_MESSAGE(call(h.get(), limit, 0) == GPUOPT_OK, last_error());
    CHECK(call(h.get(), limit + 1, 0) == GPUOPT_KERNEL_REJECTED);
    MESSAGE("most: ", books.most, " of ", 2 * limit);
    CHECK(books.most <= 2 * limit);
  }
  CHECK(books.held == 0);
}

TEST_CASE("bounds: twenty thousand streams leave memory of few") {
  Books books;
  {
    const Handle h = handle_with(books, size_t{256} << 20);
    for (size_t i = 0; i < 20001; ++i) {
      REQUIRE(gpuopt_set_stream(h.get(), stream(i)) == GPUOPT_OK);
      REQUIRE_MESSAGE(call(h.get(), 30000, 64) == GPUOPT_OK, last_error());
    }
    CHECK(books.most <= (size_t{128} + 1) * 2 * 65536);
    // The stream that is used again and again keeps its memory among others that come and go.
    const size_t blocks = books.blocks.size();
    for (size_t i = 0; i < 500; ++i) {
      REQUIRE(gpuopt_set_stream(h.get(), stream(i % 2 ? 20000 : 30000 + i)) == GPUOPT_OK);
      REQUIRE(call(h.get(), 30000, 64) == GPUOPT_OK);
    }
    CHECK(books.blocks.size() == blocks);
  }
  CHECK(books.held == 0);
}

TEST_CASE("bounds: an allocator that runs dry gets its other blocks back first") {
  static size_t left;
  static Books books;
  left = 3 << 20;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.kernel = sized_kernel();
  o.allocate = [](void *, size_t bytes, CUstream_st *s) -> void * {
    return books.held + bytes > left ? nullptr : Books::allocate(&books, bytes, s);
  };
  o.deallocate = [](void *, void *block, CUstream_st *s) { Books::deallocate(&books, block, s); };
  gpuopt_handle *h = nullptr;
  REQUIRE(gpuopt_create(&h, &o) == GPUOPT_OK);
  const Handle owner(h);
  for (size_t i = 0; i < 20; ++i) {
    REQUIRE(gpuopt_set_stream(h, stream(i)) == GPUOPT_OK);
    REQUIRE_MESSAGE(call(h, 2 << 20, 0) == GPUOPT_OK, last_error());
  }
  CHECK(call(h, 4 << 20, 0) == GPUOPT_OUT_OF_MEMORY);
  CHECK_MESSAGE(call(h, 1 << 20, 0) == GPUOPT_OK, last_error());
}

TEST_CASE("bounds: a CPU handle with an allocator prepares a call a thousand times in the blocks of one") {
  Books books;
  {
    const Handle h = handle_with(books, size_t{8} << 20);
    scratch_bytes = 4096;
    zeroed_bytes = 512;
    SmallGemm g;
    g.args.a.ld = 1 << 20;  // another problem than any of call()
    g.args.a.rows = g.args.d.rows = 1;
    REQUIRE_MESSAGE(gpuopt_prepare(h.get(), &g.args) == GPUOPT_OK, last_error());
    const size_t blocks = books.blocks.size();
    CHECK(blocks == 2);
    for (int i = 0; i < 1000; ++i) REQUIRE(gpuopt_prepare(h.get(), &g.args) == GPUOPT_OK);
    CHECK(books.blocks.size() == blocks);
  }
  CHECK(books.held == 0);
}

TEST_CASE("bounds: fifty thousand different problems are remembered in four megabytes") {
  const Handle h = cpu_handle();
  SmallGemm g;
  REQUIRE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  const int64_t before = bytes_held();
  size_t bytes = 0;
  gpuopt_gemm_args args = g.args;
  args.a.rows = args.d.rows = 1;  // whose ld is a fact of the problem and of no byte
  for (int64_t i = 0; i < 50000; ++i) {
    args.a.ld = 5 + i;
    REQUIRE(gpuopt_workspace_size(h.get(), &args, &bytes) == GPUOPT_OK);
  }
  MESSAGE("bytes: ", bytes_held() - before);
  CHECK(bytes_held() - before < 4 << 20);
  CHECK(bytes_held() - before > 100 << 10);
}
