#include "data_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "npy.h"
#include "text.h"
#include "values.h"

namespace gpuopt_cli {
namespace {

using gpuopt_check::Problem;
using gpuopt_check::Tensor;

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
  throw std::runtime_error("'" + path + "': " + why);
}

bool is_npy(const std::string &path) { return ends_with(path, ".npy"); }

template <class T>
long double as(const char *element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return static_cast<long double>(value);
}

long double element_of(const NpyHeader &h, const char *e) {
  if (h.kind == 'f')
    return h.size == 8   ? as<double>(e)
           : h.size == 4 ? as<float>(e)
                         : static_cast<long double>(gpuopt_check::decode(GPUOPT_F16, e));
  if (h.kind == 'i')
    return h.size == 8 ? as<int64_t>(e) : h.size == 4 ? as<int32_t>(e) : h.size == 2 ? as<int16_t>(e) : as<int8_t>(e);
  return h.size == 8 ? as<uint64_t>(e) : h.size == 4 ? as<uint32_t>(e) : h.size == 2 ? as<uint16_t>(e) : as<uint8_t>(e);
}

DataArray of_npy(const std::string &bytes) {
  const NpyHeader h = read_npy_header(bytes);
  DataArray a;
  a.shape = h.shape;
  const size_t count = (bytes.size() - h.data) / static_cast<size_t>(h.size);
  a.values.resize(count);
  std::vector<int64_t> index(h.shape.size());
  size_t from = 0;
  for (size_t i = 0; i < count; ++i) {
    a.values[i] = element_of(h, bytes.data() + h.data + (h.fortran ? from : i) * static_cast<size_t>(h.size));
    if (!h.fortran) continue;
    // The next index, the last extent fastest, and where it lies in a file whose first is.
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < h.shape[d]) break;
      index[d] = 0;
    }
    from = 0;
    for (size_t d = index.size(); d-- > 0;)
      from = from * static_cast<size_t>(h.shape[d]) + static_cast<size_t>(index[d]);
  }
  return a;
}

// A number between blanks: a whole one as it is, others as doubles.
long double number_of(const std::string &cell) {
  const size_t first = cell.find_first_not_of(" \t\r"), last = cell.find_last_not_of(" \t\r");
  const std::string word = first == std::string::npos ? "" : cell.substr(first, last - first + 1);
  const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  const char *const begin = word.data() + (plus ? 1 : 0), *const end = word.data() + word.size();
  int64_t whole = 0;
  const auto as_whole = std::from_chars(begin, end, whole);
  if (as_whole.ec == std::errc() && as_whole.ptr == end) return static_cast<long double>(whole);
  double value = 0;
  const auto as_number = std::from_chars(begin, end, value);
  if (as_number.ec == std::errc() && as_number.ptr == end) return static_cast<long double>(value);
  throw std::runtime_error(
      "'" + word + "' is " +
      (as_number.ec == std::errc::result_out_of_range ? "beyond the range of a double" : "no number"));
}

DataArray of_csv(const std::string &file) {
  static const std::string mark = "\xEF\xBB\xBF";  // that some programs put before UTF-8
  const std::string bytes = file.compare(0, mark.size(), mark) == 0 ? file.substr(mark.size()) : file;
  DataArray a;
  int64_t rows = 0, cols = -1, number = 0;
  for (const std::string &line : split(bytes, '\n')) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    int64_t found = 0;
    for (const std::string &cell : split(line, ',')) {
      try {
        a.values.push_back(number_of(cell));
      } catch (const std::runtime_error &bad) {
        throw std::runtime_error("line " + std::to_string(number) + ": " + bad.what());
      }
      ++found;
    }
    if (cols >= 0 && found != cols)
      throw std::runtime_error("line " + std::to_string(number) + " has " + std::to_string(found) +
                               " numbers, the lines before it " + std::to_string(cols));
    cols = found;
    ++rows;
  }
  a.shape = {rows, std::max<int64_t>(cols, 0)};
  return a;
}

std::string shape_text(const std::vector<int64_t> &shape) {
  if (shape.empty()) return "a single number";
  std::string text;
  for (const int64_t extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

int64_t matrices_of(const Problem &p, const Tensor &t) {
  return t.stride == 0 ? std::min<int64_t>(p.batch, 1) : p.batch;
}

bool fits(const std::vector<int64_t> &shape, int64_t batch, const Tensor &t) {
  const bool is_vector = batch == 1 && (t.rows == 1 || t.cols == 1);
  if (shape.size() == 1) return is_vector && shape[0] == t.rows * t.cols;
  if (shape.size() == 2) return shape[0] == batch * t.rows && shape[1] == t.cols;
  return shape.size() == 3 && shape[0] == batch && shape[1] == t.rows && shape[2] == t.cols;
}

// What of a type an .npy file has a name for; of the others the float that holds their values.
void npy_type(gpuopt_dtype type, char *kind, int32_t *size, gpuopt_dtype *as_type) {
  *as_type = type == GPUOPT_BF16 || gpuopt_check::is_fp8(type) ? static_cast<gpuopt_dtype>(GPUOPT_F32) : type;
  *kind = gpuopt_check::is_float(*as_type) ? 'f' : type == GPUOPT_U8 ? 'u' : 'i';
  *size = static_cast<int32_t>(gpuopt_dtype_size(*as_type));
}

// The truth goes by them, too. Those that do not ascend have none: a row may be any group's.
void take_offsets(const std::string &path, const DataArray &a, Problem *p) {
  for (size_t i = 0; i < p->offsets.size(); ++i) {
    p->offsets[i] = static_cast<int64_t>(a.values[i]);
    if (i > 0 && p->offsets[i] < p->offsets[i - 1])
      refuse(path, "offsets[" + std::to_string(i) + "]=" + std::to_string(p->offsets[i]) +
                       " is less than the one before it=" + std::to_string(p->offsets[i - 1]) + ": they must ascend");
  }
}

}  // namespace

bool is_data_file(const std::string &path) { return is_npy(path) || ends_with(path, ".csv"); }

DataArray read_data(const std::string &path) {
  const bool npy = is_npy(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, std::string("it cannot be opened: ") + std::strerror(errno));
  errno = 0;
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad() || errno == EISDIR) refuse(path, std::string("it cannot be read: ") + std::strerror(errno));
  try {
    return npy ? of_npy(bytes) : of_csv(bytes);
  } catch (const std::runtime_error &bad) {
    refuse(path, bad.what());
  }
}

void take_data(const std::string &path, const DataArray &a, const Tensor &t, Problem *p) {
  const int64_t batch = matrices_of(*p, t);
  const bool grouped = p->op == GPUOPT_OP_GEMM_GROUPED;
  if (grouped && &t == &p->t[GPUOPT_OPERAND_LIST])
    refuse(path, "a list holds addresses, which no file knows: it cannot be read from one");
  if (t.dtype == GPUOPT_B128) refuse(path, "elements of 16 bytes cannot be read from a file");
  if (!fits(a.shape, batch, t))
    refuse(path, "it is " + shape_text(a.shape) + ", and the operand " +
                     shape_text(batch == 1 ? std::vector<int64_t>{t.rows, t.cols}
                                           : std::vector<int64_t>{batch, t.rows, t.cols}));
  size_t next = 0;
  for (int64_t m = 0; m < batch; ++m)
    for (int64_t i = 0; i < t.rows; ++i)
      for (int64_t j = 0; j < t.cols; ++j, ++next) {
        const long double x = a.values[next];
        uint8_t *const e = p->image.data() + t.at(m, i, j);
        if (!gpuopt_check::is_integer(t.dtype)) {
          gpuopt_check::encode(t.dtype, static_cast<double>(x), e);
          continue;
        }
        const bool whole = x >= -0x1p63L && x < 0x1p63L && x == std::floor(x);
        if (whole) gpuopt_check::encode_integer(t.dtype, static_cast<int64_t>(x), e);
        if (!whole || gpuopt_check::decode_integer(t.dtype, e) != static_cast<int64_t>(x))
          refuse(path, formatted(static_cast<double>(x), "%.17g") + " is none of the integers of " +
                           gpuopt_dtype_name(t.dtype));
      }
  if (grouped && &t == &p->t[GPUOPT_OPERAND_OFFSETS]) take_offsets(path, a, p);
}

std::string data_text(const std::string &path, const Problem &p, const Tensor &t, const std::vector<uint8_t> &image) {
  const bool npy = is_npy(path);
  const int64_t batch = matrices_of(p, t);
  if (t.dtype == GPUOPT_B128) refuse(path, "elements of 16 bytes cannot be written to a file");
  char kind;
  int32_t size;
  gpuopt_dtype as_type;
  npy_type(t.dtype, &kind, &size, &as_type);
  std::string bytes;
  if (npy)
    bytes = npy_header(kind, size,
                       batch == 1 ? std::vector<int64_t>{t.rows, t.cols} : std::vector<int64_t>{batch, t.rows, t.cols});
  for (int64_t m = 0; m < batch; ++m)
    for (int64_t i = 0; i < t.rows; ++i) {
      for (int64_t j = 0; j < t.cols; ++j) {
        const uint8_t *const e = image.data() + t.at(m, i, j);
        const bool integer = gpuopt_check::is_integer(t.dtype);
        if (npy) {
          char element[8];
          if (as_type == t.dtype)
            std::memcpy(element, e, static_cast<size_t>(size));
          else
            gpuopt_check::encode(as_type, gpuopt_check::decode(t.dtype, e), element);
          bytes.append(element, static_cast<size_t>(size));
        } else {
          bytes += j ? "," : "";
          bytes += integer ? std::to_string(gpuopt_check::decode_integer(t.dtype, e))
                           : formatted(gpuopt_check::decode(t.dtype, e), t.dtype == GPUOPT_F64 ? "%.17g" : "%.9g");
        }
      }
      if (!npy) bytes += '\n';
    }
  return bytes;
}

}  // namespace gpuopt_cli
