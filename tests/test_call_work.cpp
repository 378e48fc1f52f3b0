// Where the operands of a call lie, what they move, and the least time that a device can take for it.
#include "support.h"

#include <map>

#include "gpuopt_call/bound.h"
#include "gpuopt_call/place.h"
#include "gpuopt_call/text.h"
#include "gpuopt_call/work.h"

using namespace gpuopt_test;
using namespace gpuopt_call;

TEST_CASE("calls: bytes and flops count each element once") {
  Call call = read_call("gemm compute=f32 a=4x4:f32:by=4 b=4x4:f32 d=4x4:f32 beta=1 c=4x4:f32:at=d");
  CHECK(flops_of(call) == 128);
  CHECK(touched_bytes(&call) == 4 * 64);
  Call shared = read_call("gemm batch=3 a=4x4:f32:bs=0 b=4x4:f32 d=4x4:f32:ld=9");
  CHECK(flops_of(shared) == 3 * 128);
  CHECK(touched_bytes(&shared) == 64 + 2 * 3 * 64);
  Call transpose = read_call("transpose batch=2 src=3x5:f32:ld=8 dst=5x3:f32");
  CHECK(span_bytes(transpose.transpose.src, 2) == 4 * (24 + 16 + 5));
  CHECK(span_bytes(transpose.transpose.src, 0) == 0);
  CHECK(flops_of(transpose) == 0);
  // Matrices of a batch that overlap: more elements than bytes.
  Call many = read_call("reduce batch=8589934592 x=1x2147483648:i8:bs=1 out=1x1:i64");
  CHECK(touched_bytes(&many) == INT64_MAX);
  transpose.transpose.src.ld = INT64_MAX;
  CHECK(span_bytes(transpose.transpose.src, 2) == -1);
}

TEST_CASE("calls: operands that share memory are placed in one block, at their distances") {
  Call call = read_call(
      "gemm compute=f8_fast alpha=pointer beta=1 a=8x16:e4m3:scale:by=2 b=16x8:e5m2:scale d=8x8:bf16:ld=24:by=8 "
      "c=8x8:bf16:ld=24:at=d stage=ADD:matrix:1 sa=8x8:bf16:ld=24:at=d-32");
  struct Seen {
    Block block;
    char *data;
  };
  std::vector<Seen> blocks;
  std::vector<std::unique_ptr<char[]>> memory;
  place(&call, [&](const Block &b) -> void * {
    memory.push_back(std::make_unique<char[]>(static_cast<size_t>(b.bytes) + 512));
    const uintptr_t at = (reinterpret_cast<uintptr_t>(memory.back().get()) + 255) / 256 * 256;
    blocks.push_back({b, reinterpret_cast<char *>(at) + b.offset});
    return blocks.back().data;
  });
  REQUIRE(blocks.size() == 6);  // a; b; d, c and the stage's; two scales; alpha
  CHECK(blocks[0].block.bytes == 128);
  CHECK(blocks[0].block.offset == 2);
  CHECK(!blocks[0].block.written);
  CHECK(blocks[2].block.bytes == 32 + 2 * (7 * 24 + 8));
  CHECK(blocks[2].block.offset == 256 - 24);
  CHECK((blocks[2].block.read && blocks[2].block.written));
  CHECK(call.gemm.d.data == blocks[2].data + 32);
  CHECK(call.gemm.c.data == call.gemm.d.data);
  CHECK(call.stages[0].a.data == blocks[2].data);
  for (int i = 3; i < 6; ++i) {
    CHECK(blocks[static_cast<size_t>(i)].block.scalar);
    CHECK(blocks[static_cast<size_t>(i)].block.bytes == 4);
  }
  CHECK(call.gemm.a.scale == reinterpret_cast<float *>(blocks[3].data));
  CHECK(call.gemm.alpha_ptr == blocks[5].data);
  CHECK(contains(text_of(call), "sa=8x8:bf16:ld=24:at=d-32"));
  // Operands without data get blocks of their own.
  Call bare(GPUOPT_OP_TRANSPOSE);
  bare.transpose.src = gpuopt_mat(nullptr, 2, 3, GPUOPT_F32);
  bare.transpose.dst = gpuopt_mat(nullptr, 3, 2, GPUOPT_F32);
  blocks.clear();
  place(&bare, [&](const Block &b) -> void * { return blocks.push_back({b, nullptr}), nowhere(blocks.size(), 256); });
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[1].block.bytes == 24);
  CHECK(bare.transpose.src.data != bare.transpose.dst.data);
}

TEST_CASE("calls: a placed call runs") {
  const Handle h = cpu_handle();
  Call call = read_call("fused_act x=3x4:f32:ld=9 out=3x4:f32:ld=9:at=x stage=ADD:per_row:2 sa=3x1:f32:ld=9:at=x+16");
  alignas(256) float memory[64];
  for (int i = 0; i < 64; ++i) memory[i] = static_cast<float>(i);
  place(&call, [&](const Block &b) -> void * {
    CHECK(b.bytes == 4 * (2 * 9 + 5));
    return memory;
  });
  REQUIRE_MESSAGE(call.run(h.get()) == GPUOPT_OK, last_error());
  CHECK(memory[0] == 0 + 2 * 4);
  CHECK(memory[9] == 9 + 2 * 13);
  CHECK(memory[4] == 4);
}

TEST_CASE("calls: alpha and beta of a grouped product have blocks of their own, of the width of its compute type") {
  for (const bool wide : {false, true}) {
    Call call = read_call(wide ? "gemm_grouped alpha=pointer beta=pointer groups=2 host_offsets a=4x1:f64 b=1x1:f64 "
                                 "d=4x1:f64 c=4x1:f64:at=d"
                               : "gemm_grouped alpha=pointer beta=pointer groups=2 host_offsets a=4x1:f16 b=1x1:f16 "
                                 "d=4x1:f16 c=4x1:f16:at=d");
    alignas(256) static double memory[5][64];
    size_t next = 0;
    int64_t scalar_bytes = 0;
    place(&call, [&](const Block &b) -> void * {
      scalar_bytes += b.scalar ? b.bytes : 0;
      return memory[next++];
    });
    REQUIRE(next == 5);  // a; b; d and c; alpha; beta
    CHECK(scalar_bytes == (wide ? 16 : 8));
    CHECK(call.gemm_grouped.alpha_ptr == memory[3]);
    CHECK(call.gemm_grouped.beta_ptr == memory[4]);
  }
}

TEST_CASE("calls: bounds are of memory, and of a product's units where their peak is known") {
  const gpuopt_device_facts h200 = pretend("sm_90"), t4 = pretend("sm_75"), cpu = pretend("none");
  const auto bound = [](const char *text, const gpuopt_device_facts &device) {
    Call call = read_call(text);
    const Bound b = bound_of(&call, device);
    return std::make_pair(std::string(b.by), b.us);
  };
  // 132 SMs, 4096 flops of bf16 a clock each, 1980 MHz; 4800 GB/s.
  const char *const cube = "gemm a=4096x4096:bf16 b=4096x4096:bf16 d=4096x4096:bf16";
  CHECK(bound(cube, h200).first == "arithmetic");
  CHECK(bound(cube, h200).second == doctest::Approx(2.0 * 4096 * 4096 * 4096 / (132 * 4096 * 1980.0)));
  CHECK(bound("gemm a=1x4096:bf16 b=4096x4096:bf16 d=1x4096:bf16", h200).first == "memory");
  CHECK(bound("transpose src=4096x4096:f32 dst=4096x4096:f32", h200).second ==
        doctest::Approx(2.0 * 4096 * 4096 * 4 / 4800e3));
  CHECK(bound(cube, t4).first == "memory");
  CHECK(bound(cube, cpu).first == "-");
  CHECK(bound(cube, cpu).second == 0);
  // fp32 by the FMA lanes unless the call asks for more.
  const std::string fp32 = "gemm a=4096x4096:f32 b=4096x4096:f32 d=4096x4096:f32";
  CHECK(bound((fp32 + " compute=tf32").c_str(), h200).second * 8 == doctest::Approx(bound(fp32.c_str(), h200).second));
}
