#include "plugins/elf_file.h"

#include <elf.h>

#include <cstring>

namespace gpuopt {
namespace {

// The zero-terminated text at an offset of a table of strings; what does not end there is none.
std::string_view text_at(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size()) return "";
  const std::string_view rest = strings.substr(offset);
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? "" : rest.substr(0, end);
}

}  // namespace

std::string ElfFile::open(std::string_view bytes) {
  Elf64_Ehdr head;
  if (bytes.size() < EI_NIDENT || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) return "it is no ELF file";
  if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
    return "it is no ELF file of 64 bits, low byte first";
  bytes_ = bytes;
  const std::string cut = "it was cut short: of " + std::to_string(bytes.size()) + " bytes, ";
  if (!fits(0, sizeof head)) return cut + "its header needs more";
  std::memcpy(&head, bytes.data(), sizeof head);
  machine_ = head.e_machine;
  if (head.e_phnum != 0 && head.e_phentsize != sizeof(Elf64_Phdr)) return "its program headers are of an unknown size";
  if (head.e_shnum != 0 && head.e_shentsize != sizeof(Elf64_Shdr)) return "its section headers are of an unknown size";
  if (!fits(head.e_phoff, uint64_t{head.e_phnum} * sizeof(Elf64_Phdr))) return cut + "its program headers lie beyond";
  if (!fits(head.e_shoff, uint64_t{head.e_shnum} * sizeof(Elf64_Shdr))) return cut + "its section headers lie beyond";
  for (uint64_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + head.e_phoff + i * sizeof segment, sizeof segment);
    if (!fits(segment.p_offset, segment.p_filesz)) return cut + "segment " + std::to_string(i) + " lies beyond";
  }
  sections_at_ = head.e_shoff;
  section_count_ = head.e_shnum;
  names_ = head.e_shstrndx;
  for (uint64_t i = 0; i < section_count_; ++i) {
    Section s;
    if (!section(i, &s)) return cut + "section " + std::to_string(i) + " lies beyond";
  }
  return "";
}

bool ElfFile::section(uint64_t index, Section *out) const {
  if (index >= section_count_) return false;
  Elf64_Shdr s;
  std::memcpy(&s, bytes_.data() + sections_at_ + index * sizeof s, sizeof s);
  const bool is_in_file = s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL;
  *out = {s.sh_name, s.sh_type, s.sh_link, is_in_file ? s.sh_offset : 0, is_in_file ? s.sh_size : 0};
  return fits(out->offset, out->size);
}

bool ElfFile::may_have_section(std::string_view name) const {
  Section names, s;
  if (!section(names_, &names)) return true;
  for (uint64_t i = 0; i < section_count_; ++i)
    if (section(i, &s) && text_at(contents(names), s.name) == name) return true;
  return false;
}

bool ElfFile::may_export(std::string_view symbol) const {
  bool has_table = false;
  Section s, strings;
  for (uint64_t i = 0; i < section_count_; ++i) {
    if (!section(i, &s) || s.type != SHT_DYNSYM || !section(s.link, &strings)) continue;
    has_table = true;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s.size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym one;
      std::memcpy(&one, contents(s).data() + at, sizeof one);
      if (one.st_shndx != SHN_UNDEF && text_at(contents(strings), one.st_name) == symbol) return true;
    }
  }
  return !has_table;
}

}  // namespace gpuopt
