// One problem of one op, with all its memory: operands, padding and guard bands lie in one image of bytes, which is
// copied to wherever the handle computes and back. Views are plain numbers, so a problem can be transposed, bound to
// any memory, described in a line, and made again from its seed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "gpuopt_call/call.h"

namespace gpuopt_check {

struct Tensor {
  gpuopt_dtype dtype = 0;  // 0: absent
  int32_t layout = GPUOPT_ROW;
  int64_t rows = 0, cols = 0;
  int64_t ld = 0;      // elements, resolved
  int64_t stride = 0;  // elements between matrices of the batch; 0: shared
  int64_t pos = 0;     // byte of element (0, 0) of matrix 0 in the image
  int64_t scale_pos = -1;
  double scale = 1;
  int32_t block = 0;  // GPUOPT_SCALE_*: a scale for each of these, from scale_pos on, and scale is 1
  int32_t scale_layout = GPUOPT_ROW;
  int64_t scale_ld = 0;  // resolved
  bool state_scale_ld = true;
  bool output = false;
  bool state_ld = true, state_stride = true;  // false: pass 0 and GPUOPT_PACKED, meaning the same

  bool present() const { return dtype != 0; }
  int64_t size() const { return gpuopt_dtype_size(dtype); }
  int64_t scale_rows() const { return block == GPUOPT_SCALE_1X128 ? rows : (rows + 127) / 128; }
  int64_t scale_cols() const { return block == GPUOPT_SCALE_128X1 ? cols : (cols + 127) / 128; }
  int64_t scale_stride() const {  // floats between those of two matrices
    return stride == 0 ? 0 : scale_ld * (scale_layout == GPUOPT_ROW ? scale_rows() : scale_cols());
  }
  int64_t scale_count(int64_t batch) const {
    const int64_t lines = scale_layout == GPUOPT_ROW ? scale_rows() : scale_cols();
    return scale_ld * lines * (stride == 0 ? 1 : batch);
  }
  int64_t scale_at(int64_t p, int64_t i, int64_t j) const {  // byte of an element's scale in the image
    const int64_t r = block == GPUOPT_SCALE_1X128 ? i : i / 128, c = block == GPUOPT_SCALE_128X1 ? j : j / 128;
    return scale_pos + 4 * (p * scale_stride() + (scale_layout == GPUOPT_ROW ? r * scale_ld + c : c * scale_ld + r));
  }
  int64_t at(int64_t p, int64_t i, int64_t j) const {  // byte of an element in the image
    return pos + (p * stride + (layout == GPUOPT_ROW ? i * ld + j : j * ld + i)) * size();
  }
};

struct Stage {
  int32_t kind = 0, form = 0;
  double value[2] = {0, 0};
  Tensor a, b;
};

constexpr int kOperands = 7;

// Has the op A, B, C and D?
inline bool is_product(int32_t op) { return op == GPUOPT_OP_GEMM || op == GPUOPT_OP_GEMM_GROUPED; }

// What the op calls its operands, by GPUOPT_OPERAND_*.
const char *operand_name(int32_t op, int operand);

using gpuopt_call::List;
using gpuopt_call::ProductShape;

struct Problem {
  int32_t op = 0;
  int32_t compute = 0;            // gemm: what the args say; may be DEFAULT
  int32_t variant = 0, axis = 0;  // reduce; norm: variant
  uint32_t flags = 0;
  int64_t batch = 1;
  Tensor t[kOperands];  // by GPUOPT_OPERAND_*
  std::vector<Stage> stages;
  double alpha = 1, beta = 0, eps = 0;
  int64_t alpha_pos = -1, beta_pos = -1;  // in the image, when given by pointer
  std::vector<uint8_t> image;
  void make_image(int64_t bytes);  // what lies in no operand has a pattern: byte i is 0xa5 ^ (29 i)
  std::vector<int64_t> offsets;    // gemm_grouped: batch + 1 of them; in the image too, if they are an operand
  // gemm_grouped of a list: A to D are a batch of matrices as large as any, and a product has the first rows and columns of its own.
  List list = List::none;
  std::vector<ProductShape> shapes;  // batch of them
  int32_t list_align[4] = {};        // what a list of the device promises
  uint64_t seed = 0;
  uint32_t hard_rows = 0;  // what is hard about its values
  // Layer norm: the mean is held to the error class of sums of differences from an element of the row. Its own, the
  // class of sums of the elements, forgives what a row far from 0 loses.
  bool mean_by_spread = false;

  int64_t rows() const;  // of the matrix that stages run over; gemm: m
  int64_t cols() const;
  int64_t inner(int64_t m) const {  // of matrix m
    return list != List::none ? shapes[size_t(m)].k : is_product(op) ? t[GPUOPT_OPERAND_A].cols : 0;
  }
  // Is element (i, j) of the result one of matrix m? Of a grouped product the batch is the groups, and a row lies in one at most.
  bool has(int64_t m, int64_t i, int64_t j) const {
    if (list != List::none) return i < shapes[size_t(m)].m && j < shapes[size_t(m)].n;
    return op != GPUOPT_OP_GEMM_GROUPED || (offsets[size_t(m)] <= i && i < offsets[size_t(m) + 1]);
  }
  // The bytes of a list that lies in the image, which has them only where it is used.
  size_t list_bytes() const { return list == List::device ? size_t(batch) * sizeof(gpuopt_gemm_group) : 0; }
  double decoded(const Tensor &v, int64_t p, int64_t i, int64_t j) const;
  double scaled(const Tensor &v, int64_t p, int64_t i, int64_t j) const;  // by the scale of its block
  std::string text() const;                                               // one line
};

// The transposed problem, which says the same: in it every row-major matrix is column-major.
void transpose_problem(Problem *problem);

// The args of a problem whose image lies at base; they point to the problem.
class Args {
 public:
  Args(const Problem &problem, void *base);
  Args(const Args &) = delete;
  Args &operator=(const Args &) = delete;
  const void *get() const { return args_; }
  gpuopt_status run(gpuopt_handle *handle) const;
  const std::vector<gpuopt_gemm_group> &products() const { return products_; }

 private:
  void take_list(const Problem &problem, uint8_t *base);
  gpuopt_call::Call call_;
  std::vector<gpuopt_gemm_group> products_;
  const void *args_;  // the call's
};

// Resolved compute type of a gemm: the first row of the table for DEFAULT.
int32_t gemm_compute(const Problem &problem);
// The type that the chain of any op is evaluated in: GPUOPT_COMPUTE_F32 or GPUOPT_COMPUTE_F64.
int32_t chain_compute(const Problem &problem);

// All operands of a problem, stage operands included.
template <class Function>
void for_each_tensor(Problem &p, Function &&fn) {
  for (Tensor &t : p.t)
    if (t.present()) fn(t);
  for (Stage &s : p.stages) {
    if (s.a.present()) fn(s.a);
    if (s.b.present()) fn(s.b);
  }
}
template <class Function>
void for_each_tensor(const Problem &p, Function &&fn) {
  for_each_tensor(const_cast<Problem &>(p), [&fn](const Tensor &t) { fn(t); });
}

}  // namespace gpuopt_check
