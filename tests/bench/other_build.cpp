// A shared object of nothing but the archive; CMake wants a source for it.
namespace {
[[maybe_unused]] constexpr int kNothing = 0;
}
