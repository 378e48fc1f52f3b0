// gpuopt.hpp - a C++17 face over gpuopt.h. Header-only; this header is its manual; gpuopt.h is that of the operations.
//
//     #include <gpuopt/gpuopt.hpp>
//     using namespace gpuopt;
//     handle h;                                              // first CUDA device, else the CPU
//     buffer<float> a(h, {1, 2, 3, 4, 5, 6}), b(h, {1, 0, 0, 1, 1, 1}), bias(h, {10, 20}), d(h, 4);
//     h.gemm(a.view(2, 3), b.view(3, 2), d.view(2, 2), {add(per_col(bias.view(1, 2))), relu()});
//     std::vector<float> result = d.download();
//
// Rules
// - Every failure is a gpuopt::error with the status and the message of gpuopt_last_error(). Destructors never throw.
// - Compiled with -fno-exceptions nothing throws or aborts. A call that fails does nothing, gives nothing - an empty vector,
//   zeros, a handle, buffer or matrix without anything in it, with which the next call fails - and its error is kept for the
//   thread, the first since
//       if (gpuopt::error e = gpuopt::take_error()) std::puts(e.what());
//   which gives and forgets it. What the C++ library throws for want of host memory ends such a program, here as elsewhere.
//   Both kinds of code may be linked into one program.
// - A matrix<T> is a view: data, extents, leading dimension. It owns nothing and is copied like a pointer. T names the
//   data type: float, double, the integers, or the tags f16, bf16, e4m3, e5m2, b128 of matrix.hpp; where
//   cuda_fp16.h, cuda_bf16.h or cuda_fp8.h is included first, also __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
//   A matrix<const T> may be an input only; that, and that the types of a gemm are a row of GPUOPT_GEMM_TABLE, is
//   checked when the program compiles.
// - A buffer<T> owns device memory (plain memory on a CPU handle) and must not outlive its handle.
// - A stages list holds the element-wise steps: relu(), clamp(0, 6), add(0.5), mul(per_row(v)), sub(m), store(saved),
//   relu_grad(saved) and so on; matrix.hpp has them all.
// - As in C, calls on a GPU are asynchronous; download() and handle::synchronize() wait.
// - What has no function here is reached through handle::get() and the args structs of gpuopt.h.
#ifndef GPUOPT_GPUOPT_HPP
#define GPUOPT_GPUOPT_HPP

#include <cstddef>
#include <cstdint>
#include <exception>  // exception_ptr
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpuopt/kernel.h"
#include "gpuopt/matrix.hpp"

namespace gpuopt {
inline namespace GPUOPT_FACE_ {

// D = stages(alpha * A * B + beta * c); c is read only when beta is not 0.
struct gemm_options {
  double alpha = 1, beta = 0;
  gpuopt_matrix c = GPUOPT_MATRIX_INIT;
  std::int32_t compute = GPUOPT_COMPUTE_DEFAULT;
  std::int64_t batch = 1;
  std::uint32_t flags = 0;
};

struct options : gpuopt_options {
  options() : gpuopt_options(GPUOPT_OPTIONS_INIT) {}
  // on(GPUOPT_DEVICE_CPU), on(0)
  static options on(std::int32_t device_ordinal) {
    options o;
    o.device = device_ordinal;
    return o;
  }
};

// A gpuopt_candidate that owns its strings.
struct candidate {
  std::string kernel, text;
  std::int32_t verdict, how, reject, operand;
  std::int64_t have, need;
  double predicted_us;
  std::size_t workspace_bytes;
  bool chosen() const { return verdict == GPUOPT_VERDICT_CHOSEN; }
};

// The handle.

class handle {
 public:
  explicit handle(const gpuopt_options &o = options()) {
    gpuopt_handle *created = nullptr;
    check(gpuopt_create(&created, &o));
    raw_.reset(created);
  }
  handle(handle &&other) noexcept = default;
  // The handle before the function, which gets its last lines.
  handle &operator=(handle &&other) noexcept {
    raw_ = std::move(other.raw_);
    log_ = std::move(other.log_);
    return *this;
  }
  gpuopt_handle *get() const noexcept { return raw_.get(); }
  explicit operator bool() const noexcept { return raw_ != nullptr; }

  // The six operations, with a struct of gpuopt.h ...
  void gemm(const gpuopt_gemm_args &args) { check(gpuopt_gemm(get(), &args)); }
  void transpose(const gpuopt_transpose_args &args) { check(gpuopt_transpose(get(), &args)); }
  void reduce(const gpuopt_reduce_args &args) { check(gpuopt_reduce(get(), &args)); }
  void fused_act(const gpuopt_fused_act_args &args) { check(gpuopt_fused_act(get(), &args)); }
  void norm(const gpuopt_norm_args &args) { check(gpuopt_norm(get(), &args)); }
  void gemm_grouped(const gpuopt_gemm_grouped_args &args) { check(gpuopt_gemm_grouped(get(), &args)); }

  // ... or with typed views.
  template <class A, class B, class D>
  void gemm(matrix<A> a, matrix<B> b, matrix<D> d, const stages &after = {}, const gemm_options &o = {}) {
    gemm(gemm_args(a, b, d, &after, o));
  }
  template <class S, class D>
  void transpose(matrix<S> src, matrix<D> dst, std::int64_t batch = 1) {
    transpose(transpose_args(src, dst, batch));
  }
  template <class X, class Y>
  void reduce(std::int32_t reduction, std::int32_t axis, matrix<X> x, matrix<Y> out, std::int64_t batch = 1) {
    reduce(reduce_args(reduction, axis, x, out, batch));
  }
  template <class X, class D>
  void fused_act(matrix<X> x, matrix<D> out, const stages &chain, std::int64_t batch = 1) {
    fused_act(fused_act_args(x, out, &chain, batch));
  }
  // Layer norm, RMS norm or softmax of each row: GPUOPT_NORM_*. gamma, beta, residual and more: fields of norm_args().
  template <class X, class D>
  void norm(std::int32_t kind, matrix<X> x, matrix<D> out, std::int64_t batch = 1) {
    norm(norm_args(kind, x, out, batch));
  }

  // Rows offsets[g] up to offsets[g + 1] of a times matrix g of b, of which there are offsets.cols - 1; offsets is a row, or
  // numbers of the host; or products of a list of the host, for which a, b and d are as large as any and have no data. Of the
  // options batch says nothing.
  template <class A, class B, class D, class Offsets>
  void gemm_grouped(matrix<A> a, matrix<B> b, matrix<D> d, const Offsets &offsets, const stages &after = {},
                    const gemm_options &o = {}) {
    gemm_grouped(gemm_grouped_args(a, b, d, offsets, &after, o));
  }

  // The args of those calls, for explain, prepare and workspace_size, or to set further fields. They point to the
  // stages, which must live as long; null: none.
  template <class A, class B, class D>
  static gpuopt_gemm_args gemm_args(matrix<A> a, matrix<B> b, matrix<D> d, const stages *after = nullptr,
                                    const gemm_options &o = {}) {
    static_assert(!std::is_const<D>::value, "gemm writes to d");
    static_assert(is_gemm_types<A, B, D>(), "no row of GPUOPT_GEMM_TABLE has these types of a, b and d");
    gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
    args.a = a, args.b = b, args.c = o.c, args.d = d;
    args.alpha = o.alpha, args.beta = o.beta;
    args.compute = o.compute, args.batch = o.batch, args.flags = o.flags;
    if (after) args.stages = after->data(), args.stage_count = static_cast<std::int32_t>(after->size());
    return args;
  }
  template <class S, class D>
  static gpuopt_transpose_args transpose_args(matrix<S> src, matrix<D> dst, std::int64_t batch = 1) {
    static_assert(!std::is_const<D>::value, "transpose writes to dst");
    static_assert(dtype_of<S>::value == dtype_of<D>::value, "transpose does not convert");
    gpuopt_transpose_args args = GPUOPT_TRANSPOSE_ARGS_INIT;
    args.src = src, args.dst = dst, args.batch = batch;
    return args;
  }
  template <class X, class Y>
  static gpuopt_reduce_args reduce_args(std::int32_t reduction, std::int32_t axis, matrix<X> x, matrix<Y> out,
                                        std::int64_t batch = 1) {
    static_assert(!std::is_const<Y>::value, "reduce writes to out");
    gpuopt_reduce_args args = GPUOPT_REDUCE_ARGS_INIT;
    args.reduce = reduction, args.axis = axis, args.x = x, args.out = out, args.batch = batch;
    return args;
  }
  template <class X, class D>
  static gpuopt_fused_act_args fused_act_args(matrix<X> x, matrix<D> out, const stages *chain, std::int64_t batch = 1) {
    static_assert(!std::is_const<D>::value, "fused_act writes to out");
    gpuopt_fused_act_args args = GPUOPT_FUSED_ACT_ARGS_INIT;
    args.x = x, args.out = out, args.batch = batch;
    if (chain) args.stages = chain->data(), args.stage_count = static_cast<std::int32_t>(chain->size());
    return args;
  }

  template <class X, class D>
  static gpuopt_norm_args norm_args(std::int32_t kind, matrix<X> x, matrix<D> out, std::int64_t batch = 1) {
    static_assert(!std::is_const<D>::value, "norm writes to out");
    gpuopt_norm_args args = GPUOPT_NORM_ARGS_INIT;
    args.norm = kind, args.x = x, args.out = out, args.batch = batch;
    return args;
  }

  template <class A, class B, class D, class I>
  static gpuopt_gemm_grouped_args gemm_grouped_args(matrix<A> a, matrix<B> b, matrix<D> d, matrix<I> offsets,
                                                    const stages *after = nullptr, const gemm_options &o = {}) {
    gpuopt_gemm_grouped_args args = grouped_args(a, b, d, after, o);
    args.offsets = offsets, args.groups = args.offsets.cols - 1;
    return args;
  }
  // offsets must live as long.
  template <class A, class B, class D>
  static gpuopt_gemm_grouped_args gemm_grouped_args(matrix<A> a, matrix<B> b, matrix<D> d,
                                                    const std::vector<std::int64_t> &offsets,
                                                    const stages *after = nullptr, const gemm_options &o = {}) {
    gpuopt_gemm_grouped_args args = grouped_args(a, b, d, after, o);
    args.host_offsets = offsets.data(), args.groups = static_cast<std::int64_t>(offsets.size()) - 1;
    return args;
  }
  // So must list.
  template <class A, class B, class D>
  static gpuopt_gemm_grouped_args gemm_grouped_args(matrix<A> a, matrix<B> b, matrix<D> d,
                                                    const std::vector<gpuopt_gemm_group> &list,
                                                    const stages *after = nullptr, const gemm_options &o = {}) {
    gpuopt_gemm_grouped_args args = grouped_args(a, b, d, after, o);
    static const gpuopt_gemm_group none = {};
    args.host_list = list.empty() ? &none : list.data(), args.groups = static_cast<std::int64_t>(list.size());
    return args;
  }

  // Args is one of the six args structs.
  template <class Args>
  void prepare(const Args &args) {
    check(gpuopt_prepare(get(), &args));
  }
  template <class Args>
  std::size_t workspace_size(const Args &args) {
    std::size_t bytes = 0;
    check(gpuopt_workspace_size(get(), &args, &bytes));
    return bytes;
  }
  // Every kernel's verdict, the chosen one first. Where no kernel can run there is no chosen one; a call that is not
  // valid at all throws.
  template <class Args>
  std::vector<candidate> explain(const Args &args, const gpuopt_explain_options &o = GPUOPT_EXPLAIN_OPTIONS_INIT) {
    collector seen;
    const gpuopt_status status = gpuopt_explain(get(), &args, &o, collect, &seen);
#if defined(__cpp_exceptions)
    if (seen.failure) std::rethrow_exception(seen.failure);
#endif
    if (seen.candidates.empty()) check(status);
    return std::move(seen.candidates);
  }

  // The call as a line of text (docs/call-text.md).
  template <class Args>
  static std::string call_text(const Args &args, const gpuopt_explain_options &o = GPUOPT_EXPLAIN_OPTIONS_INIT) {
    char text[GPUOPT_CALL_TEXT_BYTES];
    std::size_t length = 0;
    check(gpuopt_call_text(&args, &o, text, sizeof text, &length));
    return std::string(text, length);
  }

  gpuopt_run_info last_kernel() const {
    gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
    check(gpuopt_last_kernel(get(), &info));
    return info;
  }
  std::vector<gpuopt_counter> counters() {
    std::size_t count = 0;
    if (!check(gpuopt_counters(get(), nullptr, 0, &count))) return {};
    std::vector<gpuopt_counter> all(count);
    if (!check(gpuopt_counters(get(), all.data(), all.size(), &count))) return {};
    return all;
  }
  void reset_counters() { check(gpuopt_reset_counters(get())); }
  gpuopt_device_facts device() const {
    gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
    check(gpuopt_get_device(get(), &facts));
    return facts;
  }

  void synchronize() { check(gpuopt_synchronize(get())); }
  void set_stream(CUstream_st *stream) { check(gpuopt_set_stream(get(), stream)); }
  // A kernel name or "op=name,op=name"; "" goes back to automatic choice.
  void set_kernel(const std::string &kernel) { check(gpuopt_set_kernel(get(), kernel.c_str())); }
  void set_disabled(const std::string &globs) { check(gpuopt_set_disabled(get(), globs.c_str())); }
  void set_verbose(const std::string &tokens) { check(gpuopt_set_verbose(get(), tokens.c_str())); }
  void set_workspace(void *workspace, std::size_t bytes) { check(gpuopt_set_workspace(get(), workspace, bytes)); }
  void set_profiling(bool on) { check(gpuopt_set_profiling(get(), on)); }
  // fn gets each log line, and what it throws is dropped; an empty function goes back to stderr or the log file.
  void set_log(std::function<void(const char *)> fn) {
    auto next = fn ? std::make_unique<std::function<void(const char *)>>(std::move(fn)) : nullptr;
    if (check(gpuopt_set_log(get(), next ? forward_line : nullptr, next.get()))) log_ = std::move(next);
  }

 private:
  template <class A, class B, class D>
  static gpuopt_gemm_grouped_args grouped_args(matrix<A> a, matrix<B> b, matrix<D> d, const stages *after,
                                               const gemm_options &o) {
    static_assert(!std::is_const<D>::value, "gemm_grouped writes to d");
    static_assert(is_gemm_types<A, B, D>(), "no row of GPUOPT_GEMM_TABLE has these types of a, b and d");
    gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;
    args.a = a, args.b = b, args.c = o.c, args.d = d;
    args.alpha = o.alpha, args.beta = o.beta;
    args.compute = o.compute, args.flags = o.flags;
    if (after) args.stages = after->data(), args.stage_count = static_cast<std::int32_t>(after->size());
    return args;
  }
  struct destroy {
    void operator()(gpuopt_handle *h) const noexcept { gpuopt_destroy(h); }
  };
  struct collector {
    std::vector<candidate> candidates;
    std::exception_ptr failure;
    void add(const gpuopt_candidate &c) {
      candidates.push_back({c.kernel, c.text ? c.text : "", c.verdict, c.how, c.reject, c.operand, c.have, c.need,
                            c.predicted_us, c.workspace_bytes});
    }
  };
  // The library calls these two; it keeps no exception.
  static void collect(void *user, const gpuopt_candidate *c) noexcept {
    auto *seen = static_cast<collector *>(user);
#if defined(__cpp_exceptions)
    try {
      seen->add(*c);
    } catch (...) {
      seen->failure = std::current_exception();
    }
#else
    seen->add(*c);
#endif
  }
  static void forward_line(void *user, const char *line) {
    (*static_cast<std::function<void(const char *)> *>(user))(line);
  }

  // Declared before the handle, so that the handle is destroyed first: it may log until then.
  std::unique_ptr<std::function<void(const char *)>> log_;
  std::unique_ptr<gpuopt_handle, destroy> raw_;
};

// Memory.

template <class T>
class buffer {
 public:
  // count elements, undefined ...
  buffer(handle &h, std::size_t count) : handle_(h.get()) {
    if (count > SIZE_MAX / sizeof(T)) {
      report(GPUOPT_OUT_OF_MEMORY, ("buffer: count=" + std::to_string(count) + " elements of " +
                                    std::to_string(sizeof(T)) + " bytes are more than memory has")
                                       .c_str());
      return;
    }
    void *memory = nullptr;
    if (!check(gpuopt_malloc(handle_, &memory, count * sizeof(T)))) return;
    data_ = static_cast<T *>(memory);
    size_ = count;
  }
  // ... or copied from the host.
  buffer(handle &h, const std::vector<T> &values) : buffer(h, values.size()) { upload(values); }
  buffer(handle &h, std::initializer_list<T> values) : buffer(h, std::vector<T>(values)) {}
  buffer(buffer &&other) noexcept
      : handle_(other.handle_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  buffer &operator=(buffer &&other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~buffer() {
    if (data_) gpuopt_free(handle_, data_);
  }

  T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  // The first rows * cols elements as a matrix.
  matrix<T> view(std::int64_t rows, std::int64_t cols) const {
    if (rows < 0 || cols < 0 || (cols > 0 && static_cast<std::size_t>(rows) > size_ / static_cast<std::size_t>(cols))) {
      report(GPUOPT_INVALID_ARGUMENT, "buffer::view: more elements than the buffer has");
      return matrix<T>(nullptr, 0, 0);
    }
    return matrix<T>(data_, rows, cols);
  }
  void upload(const std::vector<T> &values) {
    if (values.size() > size_)
      return report(GPUOPT_INVALID_ARGUMENT, "buffer::upload: more elements than the buffer has");
    check(gpuopt_copy(handle_, data_, values.data(), values.size() * sizeof(T)));
  }
  // Waits for everything before it on the stream.
  std::vector<T> download() const {
    std::vector<T> values(size_);
    if (!check(gpuopt_copy(handle_, values.data(), data_, size_ * sizeof(T))) || !check(gpuopt_synchronize(handle_)))
      return {};
    return values;
  }
  void fill(int byte) { check(gpuopt_fill(handle_, data_, byte, size_ * sizeof(T))); }

 private:
  gpuopt_handle *handle_;
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

// The registry.

inline std::vector<const gpuopt_kernel *> kernels() {
  std::vector<const gpuopt_kernel *> all;
  while (const gpuopt_kernel *kernel = gpuopt_kernel_get(all.size())) all.push_back(kernel);
  return all;
}
inline void register_kernel(const gpuopt_kernel &kernel) { check(gpuopt_register_kernel(&kernel)); }
inline void load_plugin(const std::string &path) { check(gpuopt_load_plugin(path.c_str())); }
inline gpuopt_device_facts pretend_device(const std::string &name) {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  check(gpuopt_pretend_device(name.c_str(), &facts));
  return facts;
}

}  // namespace GPUOPT_FACE_
}  // namespace gpuopt
#endif
