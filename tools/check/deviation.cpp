#include "deviation.h"

#include <algorithm>
#include <cmath>

#include "values.h"

namespace gpuopt_check {
namespace {

void add_element(gpuopt_dtype type, double got, const Range &right, double *magnitude, Deviation *d) {
  ++d->checked;
  const double middle = (right.lo + right.hi) / 2;
  if (!right.number || !std::isfinite(middle) || !std::isfinite(got)) return;
  const double low = round_to(type, right.lo), high = round_to(type, right.hi), off = std::fabs(got - middle);
  const double allowed = std::max(high - middle, middle - low);
  *magnitude = std::max(*magnitude, std::fabs(middle));
  d->largest = std::max(d->largest, off);
  if (allowed > 0 && std::isfinite(allowed)) d->share = std::max(d->share, off / allowed);
}

}  // namespace

Deviation deviation(const Problem &p, const Truth &truth, const std::vector<uint8_t> &after) {
  Deviation d;
  d.wrong = compare(p, truth, after);
  double magnitude = 0;
  if (p.op == GPUOPT_OP_TRANSPOSE) d.checked = p.batch * p.rows() * p.cols();
  for (const Output &o : truth.outputs) {
    const Tensor &t = *o.tensor;
    d.sampled = d.sampled || static_cast<int64_t>(truth.rows.size()) < t.rows;
    size_t k = 0;
    for (int64_t m = 0; m < p.batch; ++m)
      for (int64_t i : truth.rows)
        for (int64_t j = 0; j < t.cols && p.has(m, i, j); ++j, ++k) {
          if (o.exact)
            ++d.checked;
          else
            add_element(t.dtype, decode(t.dtype, after.data() + t.at(m, i, j)), o.ranges[k], &magnitude, &d);
        }
  }
  d.relative = magnitude > 0 ? d.largest / magnitude : 0;
  return d;
}

}  // namespace gpuopt_check
