#include "npy.h"

#include <charconv>
#include <stdexcept>

namespace gpuopt_cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// What stands behind 'name': in the header's dictionary.
std::string_view value_of(std::string_view dictionary, const std::string &name) {
  const size_t at = dictionary.find("'" + name + "'");
  const size_t colon = at == std::string_view::npos ? at : dictionary.find(':', at);
  if (colon == std::string_view::npos) throw std::runtime_error("its header has no '" + name + "'");
  std::string_view rest = dictionary.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::vector<int64_t> read_shape(std::string_view text) {
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos)
    throw std::runtime_error("its header's shape is no tuple");
  std::vector<int64_t> shape;
  for (std::string_view rest = text.substr(1, end - 1); !rest.empty();) {
    const size_t digit = rest.find_first_not_of(" ,");
    if (digit == std::string_view::npos) break;
    rest.remove_prefix(digit);
    int64_t extent = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (read.ec != std::errc() || extent < 0) throw std::runtime_error("its header's shape has no extents");
    shape.push_back(extent);
    rest.remove_prefix(static_cast<size_t>(read.ptr - rest.data()));
  }
  return shape;
}

}  // namespace

NpyHeader read_npy_header(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() < 12 || bytes.substr(0, kMagic.size()) != kMagic)
    throw std::runtime_error("it does not begin as an .npy file");
  const size_t version = byte(6);
  if (version < 1 || version > 3)
    throw std::runtime_error("its version is " + std::to_string(version) + ", not 1 to 3");
  const size_t begin = version == 1 ? 10 : 12;
  const size_t length =
      version == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - begin) throw std::runtime_error("it is cut off in its header");
  const std::string_view dictionary = bytes.substr(begin, length), type = value_of(dictionary, "descr");
  NpyHeader h;
  h.data = begin + length;
  // '<f4'; '|i1' where there is no order of bytes.
  const bool ordered = type.size() >= 5 && type[0] == '\'' && (type[1] == '<' || type[1] == '|') && type[4] == '\'';
  h.kind = ordered ? type[2] : '?';
  h.size = ordered ? type[3] - '0' : 0;
  const bool is_float = h.kind == 'f' && (h.size == 2 || h.size == 4 || h.size == 8);
  const bool is_integer =
      (h.kind == 'i' || h.kind == 'u') && (h.size == 1 || h.size == 2 || h.size == 4 || h.size == 8);
  if (!is_float && !is_integer && !(h.kind == 'b' && h.size == 1))
    throw std::runtime_error("its type " + std::string(type.substr(0, type.find(','))) +
                             " is not one of little-endian f2, f4, f8, i1 to i8, u1 to u8, b1");
  h.fortran = value_of(dictionary, "fortran_order").substr(0, 4) == "True";
  h.shape = read_shape(value_of(dictionary, "shape"));
  int64_t count = h.size;
  for (const int64_t extent : h.shape)
    if (__builtin_mul_overflow(count, extent, &count)) throw std::runtime_error("its shape is too large");
  if (static_cast<uint64_t>(count) != bytes.size() - h.data)
    throw std::runtime_error("its shape and type take " + std::to_string(count) + " bytes and it has " +
                             std::to_string(bytes.size() - h.data));
  return h;
}

std::string npy_header(char kind, int32_t size, const std::vector<int64_t> &shape) {
  std::string extents;
  for (const int64_t extent : shape) extents += std::to_string(extent) + ", ";
  std::string dictionary = std::string("{'descr': '") + (size == 1 ? '|' : '<') + kind + std::to_string(size) +
                           "', 'fortran_order': False, 'shape': (" + extents + "), }";
  // The elements begin at a multiple of 64.
  while ((kMagic.size() + 4 + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string header(kMagic);
  header += '\1';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace gpuopt_cli
