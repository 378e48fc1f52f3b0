// ELF files, of the system's loader and of CUDA's, looked at before either of them does: one that was cut short would end the
// process in the first, and be refused without a useful word by the second.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuopt {

class ElfFile {
 public:
  // Returns "", or why the bytes are no ELF file of 64 bits that is all there. They must outlive this.
  std::string open(std::string_view bytes);

  uint16_t machine() const { return machine_; }
  // Is there a section of this name? Without a table of sections, which may be stripped: maybe.
  bool may_have_section(std::string_view name) const;
  // Does it define a symbol of this name for others? Without its table: maybe.
  bool may_export(std::string_view symbol) const;

 private:
  struct Section {
    uint32_t name, type, link;
    uint64_t offset, size;
  };
  bool section(uint64_t index, Section *out) const;
  std::string_view contents(const Section &s) const { return bytes_.substr(s.offset, s.size); }
  bool fits(uint64_t offset, uint64_t size) const { return offset <= bytes_.size() && size <= bytes_.size() - offset; }

  std::string_view bytes_;
  uint64_t sections_at_ = 0, section_count_ = 0, names_ = 0;
  uint16_t machine_ = 0;
};

}  // namespace gpuopt
