// A manifest around the images that the toolkit made of twins.cu: machine code of sm_90 and PTX of compute_75.
#pragma once
#include <fstream>
#include <string>

#include "folder.h"
#include "plugins/sha256.h"

namespace gpuopt_test {

inline std::string file_text(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Writes manifest and images into the folder; returns the manifest's path.
inline std::string write_real_plugin(const Folder &folder, const std::string &plugin) {
  const std::string images = GPUOPT_TEST_IMAGES, cubin = file_text(images + "/twins.sm_90.cubin"),
                    ptx = file_text(images + "/twins.ptx");
  folder.write("twins.sm_90.cubin", cubin);
  folder.write("twins.ptx", ptx);
  const std::string lines = "image.sm_90 = twins.sm_90.cubin\nsha256.sm_90 = " + gpuopt::sha256_hex(cubin) +
                            "\nimage.ptx = twins.ptx\nsha256.ptx = " + gpuopt::sha256_hex(ptx) + "\n\n";
  return folder.write(
      plugin + ".gpuopt",
      "gpuopt = 1\n\n[vector_add]\nop = fused_act\nsummary = x + y\ntypes = f32,f32\nstages = add:matrix:f32\n"
      "entry = vector_add\nblock = 128\ngrid = ceil_div(rows * cols, 128)\n"
      "args = x.ptr, stage0.a.ptr, out.ptr, rows * cols:i32\n" +
          lines +
          "[softmax]\nop = norm\nsummary = a row a block\ntypes = f32,f32\nnorm = softmax\nlimit.cols = 12000\n"
          "entry = softmax\nblock = 256\nshared = 48000\ngrid = rows\n"
          "args = x.ptr, out.ptr, cols:i32, x.ld:i64, out.ld:i64\n" +
          lines +
          "[column_sums]\nop = reduce\nsummary = parts of columns, added by the last block\ntypes = f32,f32\n"
          "reduce = sum\naxis = col\nlet.parts = max(1, min(rows, 8))\nlet.blocks = ceil_div(cols, 128)\n"
          "entry = column_sums\nblock = 128\ngrid = blocks, parts\nworkspace = parts * cols * 4\nzeroed = blocks * 4\n"
          "args = x.ptr, out.ptr, scratch.ptr, zeroed.ptr, rows:i32, cols:i32, x.ld:i64, out.ld:i64\n" +
          lines);
}

}  // namespace gpuopt_test
