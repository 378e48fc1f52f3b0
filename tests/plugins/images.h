// Images and manifests for tests: ELF files with the sections of machine code, PTX, and sections of manifests around them.
#pragma once
#include <elf.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugins/image_kernel.h"
#include "plugins/sha256.h"

namespace gpuopt_test {

// An ELF file of CUDA's with a section for each entry, as nvcc names them; nothing in it is code.
inline std::string machine_code(const std::vector<std::string> &entries, uint16_t machine = 190) {
  std::string names(1, '\0'), bytes(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> sections(1);
  std::memset(&sections[0], 0, sizeof sections[0]);
  const auto add = [&](const std::string &name, uint32_t type, const std::string &contents) {
    Elf64_Shdr s = {};
    s.sh_name = static_cast<uint32_t>(names.size());
    s.sh_type = type;
    s.sh_offset = bytes.size();
    s.sh_size = contents.size();
    names += name + '\0';
    bytes += contents;
    sections.push_back(s);
  };
  for (const std::string &entry : entries) add(".text." + entry, SHT_PROGBITS, "no code of " + entry);
  names += std::string(".shstrtab") + '\0';
  const std::string table = names;
  add("", SHT_STRTAB, table);
  Elf64_Ehdr head = {};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_machine = machine;
  head.e_shoff = bytes.size();
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = static_cast<uint16_t>(sections.size());
  head.e_shstrndx = static_cast<uint16_t>(sections.size() - 1);
  for (const Elf64_Shdr &s : sections) bytes.append(reinterpret_cast<const char *>(&s), sizeof s);
  std::memcpy(&bytes[0], &head, sizeof head);
  return bytes;
}

inline std::string ptx(const std::string &entry, const std::string &target = "sm_80") {
  return "//\n.version 8.0\n.target " + target + "\n.address_size 64\n\n.visible .entry " + entry +
         "(\n\t.param .u64 p0\n)\n{\n\tret;\n}\n";
}

// The lines of images that are fit: sm_80 and PTX, of one entry.
struct Images {
  std::map<std::string, std::string> files;
  explicit Images(const std::string &entry = "run")
      : files{{"run.cubin", machine_code({entry})}, {"run.ptx", ptx(entry)}} {}
  std::string lines() const {
    return "image.sm_80 = run.cubin\nsha256.sm_80 = " + gpuopt::sha256_hex(files.at("run.cubin")) +
           "\nimage.ptx = run.ptx\nsha256.ptx = " + gpuopt::sha256_hex(files.at("run.ptx")) + "\n";
  }
  gpuopt::LoadImage load() const {
    return [this](const std::string &name, std::string *bytes) {
      const auto file = files.find(name);
      if (file == files.end()) return std::string("No such file or directory");
      *bytes = file->second;
      return std::string();
    };
  }
};

// The seeds' kernels as sections, as a compiler ahead of time would be given them.
inline const char *twin(const std::string &name) {
  static const std::map<std::string, const char *> all = {
      {"vector_add",
       "op = fused_act\nsummary = x + y, a block of 1024 elements each\ntypes = f32,f32\nstages = add:matrix:f32\n"
       "block = 128\ngrid = ceil_div(rows * cols, 1024)\nargs = x.ptr, stage0.a.ptr, out.ptr, rows * cols:i32\n"
       "time_ns = 2000 + 12 * rows * cols / memory_gbs\n"},
      {"matmul",
       "op = gemm\nsummary = tiles of 128 x 128 x 64 by tl.dot\ntypes = f16,f16,f16,f16:f32\nunderstands = beta batch\n"
       "optional = c\nlayout.a = any\nlayout.b = any\nalign.a = 16\nalign.b = 16\nld_align.a = 16\nld_align.b = 16\n"
       "let.tiles_m = ceil_div(m, 128)\nlet.tiles_n = ceil_div(n, 128)\nblock = 256\nshared = 3 * (128 + 128) * 64 * "
       "2\n"
       "grid = tiles_m * tiles_n, 1, batch\n"
       "args = a.ptr, b.ptr, c.ptr, d.ptr, m:i32, n:i32, k:i32, a.row_stride:i64, a.col_stride:i64, "
       "a.batch_stride:i64, "
       "b.row_stride:i64, b.col_stride:i64, b.batch_stride:i64, c.ld:i64, c.batch_stride:i64, d.ld:i64, "
       "d.batch_stride:i64, "
       "alpha:f32, beta:f32, null, null\n"
       "time_ns = 3000 + ceil_div(tiles_m * tiles_n * batch, sm_count) * k * 20\n"},
      {"bias_relu",
       "op = fused_act\nsummary = relu(x + bias)\ntypes = f16,f16\nstages = add:per_col:f16 relu\nblock = 128\n"
       "grid = rows\nargs = x.ptr, stage0.a.ptr, out.ptr, cols:i32, x.ld:i32, out.ld:i32\ntime_ns = 2000\n"},
      {"softmax",
       "op = norm\nsummary = a row a block, kept in registers\ntypes = f32,f32\nnorm = softmax\nblock = 256\ngrid = "
       "rows\n"
       "args = x.ptr, out.ptr, cols:i32, x.ld:i64, out.ld:i64\n"},
      {"layernorm",
       "op = norm\nsummary = a row a block\ntypes = f32,f32\nnorm = layernorm\ntype.gamma = f32\ntype.beta = f32\n"
       "block = 256\ngrid = rows\nargs = x.ptr, gamma.ptr, beta.ptr, out.ptr, cols:i32, x.ld:i64, out.ld:i64, "
       "eps:f32\n"},
  };
  return all.at(name);
}

inline std::string manifest(const std::string &kernel, const std::string &section, const Images &images = Images()) {
  return "gpuopt = 1\nplugin = twins\n\n[" + kernel + "]\nentry = run\n" + section + images.lines();
}

// The plugin that a text makes.
inline std::unique_ptr<gpuopt::Plugin> read(const std::string &text, const Images &images = Images()) {
  auto plugin = std::make_unique<gpuopt::Plugin>("/test/file.gpuopt");
  gpuopt::read_image_plugin(text, images.load(), plugin.get());
  return plugin;
}

}  // namespace gpuopt_test
