// gpuopt.hpp, compiled with exceptions here and without in without_exceptions.cpp, both in one program.
#include "support.h"

#include "gpuopt/gpuopt.hpp"
#include "without_exceptions.h"

using namespace gpuopt_test;

namespace {

template <class Function>
std::string thrown(Function &&function) {
  try {
    function();
  } catch (const gpuopt::error &e) {
    CHECK(e);
    return std::string(gpuopt_status_name(e.status())) + ": " + e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("face: a failure is an exception with status and words") {
  gpuopt::handle h(gpuopt::options::on(GPUOPT_DEVICE_CPU));
  gpuopt::buffer<float> a(h, {1, 2, 3, 4, 5, 6});
  CHECK(h);
  CHECK(contains(thrown([&] { a.view(3, 3); }), "INVALID_ARGUMENT: buffer::view: more elements"));
  CHECK(contains(thrown([&] { a.upload(std::vector<float>(7)); }), "buffer::upload: more elements"));
  CHECK(contains(thrown([&] { a.view(2, 3).block(1, 1, 2, 1); }), "matrix::block: not inside"));
  CHECK(contains(thrown([&] { gpuopt::matrix<double>(gpuopt_mat(nullptr, 1, 1, GPUOPT_F32)); }),
                 "dtype is not that of T"));
  CHECK(contains(thrown([&] { gpuopt::pretend_device("sm_0"); }), "gpuopt_pretend_device: 'sm_0' is not one of"));
  CHECK(thrown([&] { h.set_kernel(""); }) == "");
  gpuopt_norm_args norm = gpuopt::handle::norm_args(GPUOPT_NORM_SOFTMAX, a.view(2, 3), a.view(2, 3));
  h.norm(norm);
  CHECK(a.download()[0] + a.download()[1] + a.download()[2] == doctest::Approx(1));
}

TEST_CASE("face: a handle that is assigned over gets its last lines to its own function") {
  std::string lines;
  const auto logging = [&](const std::string &name) {
    gpuopt::handle h(gpuopt::options::on(GPUOPT_DEVICE_CPU));
    h.set_verbose("profile");
    h.set_log([name, &lines](const char *line) { lines += name + " " + line + "\n"; });
    gpuopt::buffer<float> x(h, {1, 2, 3, 4});
    h.norm(GPUOPT_NORM_SOFTMAX, x.view(2, 2), x.view(2, 2));
    return h;
  };
  {
    gpuopt::handle h = logging("first, of a name that no small string holds");
    h = logging("second, of a name that no small string holds");
    CHECK_MESSAGE(contains(lines, "first, of a name that no small string holds gpuopt,v2,profile,norm,"), lines);
    lines.clear();
    gpuopt::handle &same = h;
    h = std::move(same);
    CHECK(lines.empty());
    CHECK(h);
  }
  CHECK_MESSAGE(lines.rfind("second, of a name that no small string holds gpuopt,v2,profile,norm,", 0) == 0, lines);
}

TEST_CASE("face: a buffer of more bytes than can be counted is refused, and nothing of it is there") {
  gpuopt::handle h(gpuopt::options::on(GPUOPT_DEVICE_CPU));
  const size_t count = SIZE_MAX / sizeof(double) + 2;
  CHECK(contains(thrown([&] { gpuopt::buffer<double> b(h, count); }),
                 "OUT_OF_MEMORY: buffer: count=" + std::to_string(count) + " elements of 8 bytes"));
}

TEST_CASE("face: without exceptions calls work as with them") {
  CHECK(without_exceptions::product() == std::vector<float>{4, 5, 10, 11});
}

TEST_CASE("face: without exceptions a failure is kept for the thread, and taken with status and words") {
  const std::vector<std::string> all = without_exceptions::failures();
  const char *const want[] = {"NO_DEVICE: gpuopt_create",
                              "",
                              "INVALID_ARGUMENT: gpuopt_gemm: a is 2x3 and b is 2x3",
                              "INVALID_ARGUMENT: buffer::view: more elements",
                              "INVALID_ARGUMENT: matrix::block: not inside",
                              "INVALID_ARGUMENT: buffer::upload: more elements",
                              "INVALID_ARGUMENT: matrix: dtype is not that of T",
                              "INVALID_ARGUMENT: gpuopt_set_kernel",
                              "INVALID_ARGUMENT: gpuopt_pretend_device: 'sm_0'",
                              "OUT_OF_MEMORY: buffer: count=9223372036854775807 elements of 4 bytes",
                              "INVALID_ARGUMENT: buffer::view: more elements"};
  REQUIRE(all.size() == std::size(want));
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK_MESSAGE(all[i].rfind(want[i], 0) == 0, all[i]);
    CHECK(all[i].empty() == (want[i][0] == 0));
  }
}

TEST_CASE("face: without exceptions the first failure is the one that is taken, once, and of this thread") {
  const std::vector<std::string> two = without_exceptions::first_failure_wins();
  CHECK_MESSAGE(contains(two[0], "gpuopt_set_verbose: unknown token 'nothing'"), two[0]);
  CHECK(two[1] == "");
  CHECK(without_exceptions::of_another_thread() == "");
}

TEST_CASE("face: without exceptions nothing is left of what failed, and it may be used") {
  CHECK(without_exceptions::nothing_is_left_of_a_failure());
}
