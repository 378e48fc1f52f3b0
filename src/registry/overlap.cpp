#include "overlap.h"

#include <algorithm>

namespace gpuopt {
namespace {

__extension__ typedef __int128 Wide;  // products of two 63-bit numbers

constexpr int64_t kMostPairs = 4096, kMostBatches = 1000000;

// The sum of floor((a * i + b) / m) over 0 <= i < n; all of n, a, b not negative and below 2^63, m positive. Euclid's steps:
// each exchanges the roles of a and m, so there are logarithmically many.
Wide floor_sum(Wide n, Wide m, Wide a, Wide b) {
  Wide sum = 0;
  while (n > 0) {
    sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
    a %= m;
    b %= m;
    const Wide top = a * n + b;
    if (top < m) break;
    n = top / m;
    b = top % m;
    std::swap(a, m);
  }
  return sum;
}

Wide floor_divide(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
Wide ceil_divide(Wide a, Wide b) { return -floor_divide(-a, b); }

// Is there an i with 0 <= i < n and (a * i + c) mod m <= w? 0 <= w < m - 1 and 0 <= c < m.
bool reaches(Wide n, Wide m, Wide a, Wide c, Wide w) {
  // Each such i steps over one multiple of m more when m - 1 - w is added.
  return floor_sum(n, m, a, c + m - 1 - w) < floor_sum(n, m, a, c) + n;
}

// One matrix each, the lines of b a positive pitch apart. Line i of a and line j of b share a byte when
//   least <= i * a.pitch - j * b.pitch <= most
bool matrices_share(const ByteLines &a, Wide a_base, const ByteLines &b, Wide b_base) {
  if (b.lines == 1 && a.lines > 1) return matrices_share(b, b_base, a, a_base);
  const Wide least = b_base - a_base - a.length + 1, most = b_base - a_base + b.length - 1;
  if (b.lines == 1) return least <= 0 && 0 <= most;
  // The lines of a that are neither all before b's first nor all after its last; for these any whole j will do.
  Wide first = 0, last = a.lines - 1;
  if (a.pitch > 0) {
    first = std::max<Wide>(first, ceil_divide(least, a.pitch));
    last = std::min<Wide>(last, floor_divide(most + Wide{b.lines - 1} * b.pitch, a.pitch));
  } else if (least > 0 || most + Wide{b.lines - 1} * b.pitch < 0) {
    return false;
  }
  if (first > last) return false;
  const Wide width = most - least;
  if (width >= b.pitch - 1) return true;
  Wide start = (first * a.pitch - least) % b.pitch;
  if (start < 0) start += b.pitch;
  return reaches(last - first + 1, b.pitch, a.pitch, start, width);
}

// The same bytes with fewer or plainer batches: packed ones are one matrix, and matrices side by side in one line (heads of
// one buffer) are a batch of lines.
ByteLines plainer(ByteLines m) {
  if (m.lines == 1) m.pitch = m.stride, m.lines = m.batch, m.batch = 1, m.stride = 0;
  if (m.batch > 1 && m.stride == m.pitch * m.lines) m.lines *= m.batch, m.batch = 1, m.stride = 0;
  if (m.batch > 1 && Wide{m.batch - 1} * m.stride + m.length <= m.pitch) {
    std::swap(m.pitch, m.stride);
    std::swap(m.lines, m.batch);
  }
  return m;
}

Wide span(const ByteLines &m) { return Wide{m.lines - 1} * m.pitch + m.length; }
bool in_order(const ByteLines &m) { return m.batch == 1 || m.stride >= span(m); }

}  // namespace

bool batches_share_a_byte(const ByteLines &m) {
  if (m.batch <= 1) return false;
  if (m.stride < m.length) return true;
  if (m.lines == 1) return false;
  // Matrices d apart share a byte where d * stride = i * pitch + y with |i| < lines and |y| < length: y from 0 on, or below.
  const auto meets = [&](Wide most_distance, Wide offset, Wide width) {
    const Wide last = std::min<Wide>(m.batch - 1, most_distance / m.stride);
    return last >= 1 &&
           (width >= m.pitch - 1 || reaches(last, m.pitch, m.stride % m.pitch, (m.stride + offset) % m.pitch, width));
  };
  return meets(Wide{m.lines} * m.pitch - 1, 0, m.length - 1) ||
         (m.length > 1 && meets(Wide{m.lines - 1} * m.pitch - 1, m.length - 1, m.length - 2));
}

bool share_a_byte(const ByteLines &given_a, const ByteLines &given_b) {
  const ByteLines a = plainer(given_a), b = plainer(given_b);
  const auto start = [](const ByteLines &m, int64_t i) { return Wide{m.base} + Wide{i} * m.stride; };
  if (a.batch > 1 && b.batch > 1 && a.stride == b.stride) {
    // What a pair shares depends on how many steps one is ahead of the other alone.
    const Wide stride = a.stride, apart = start(b, 0) - start(a, 0);
    const Wide first = std::max<Wide>(1 - a.batch, ceil_divide(1 - span(b) - apart, stride)),
               last = std::min<Wide>(b.batch - 1, floor_divide(span(a) - 1 - apart, stride));
    if (last - first < kMostPairs) {
      for (Wide ahead = first; ahead <= last; ++ahead)
        if (matrices_share(a, start(a, 0), b, start(b, 0) + ahead * stride)) return true;
      return false;
    }
  }
  if (!in_order(a) || !in_order(b)) {
    if (Wide{a.batch} * b.batch > kMostPairs) return false;
    for (int64_t i = 0; i < a.batch; ++i)
      for (int64_t j = 0; j < b.batch; ++j)
        if (matrices_share(a, start(a, i), b, start(b, j))) return true;
    return false;
  }
  // Both in order: whichever ends first is done with.
  int64_t i = 0, j = 0;
  const Wide a_first = start(a, 0), b_first = start(b, 0);
  if (a.batch > 1 && a_first + span(a) <= b_first)
    i = static_cast<int64_t>(std::min<Wide>(a.batch - 1, (b_first - a_first - span(a)) / a.stride));
  if (b.batch > 1 && b_first + span(b) <= a_first)
    j = static_cast<int64_t>(std::min<Wide>(b.batch - 1, (a_first - b_first - span(b)) / b.stride));
  for (int64_t steps = 0; i < a.batch && j < b.batch && steps < 2 * kMostBatches; ++steps) {
    const Wide x = start(a, i), y = start(b, j);
    if (x < y + span(b) && y < x + span(a) && matrices_share(a, x, b, y)) return true;
    if (x + span(a) < y + span(b))
      ++i;
    else
      ++j;
  }
  return false;
}

}  // namespace gpuopt
