// The values that a correct kernel may hold at one point of a computation: an interval, and whether NaN is possible.
//
// Every stage of a chain maps a range to a range: its ends move through the stage and spread by the stage's own
// rounding. So errors are amplified exactly as far as the chain amplifies them, and a jump (STEP) that lies within
// the error admits both sides. At the end both ends are rounded to the output type, and since rounding is monotone,
// a result is right when it lies between the rounded ends.
#pragma once
#include <string>

#include "gpuopt/gpuopt.h"

namespace gpuopt_check {

struct Range {
  double lo = 0, hi = 0;
  bool nan = false;    // NaN is possible
  bool number = true;  // a number is possible
};

Range exactly(double x);  // NaN gives the range that holds NaN alone
Range around(double x, double error);
Range anything();  // every number and NaN

// How the running value of a chain is held.
struct Arithmetic {
  double unit;      // largest relative error of one rounding: 2^-24, 2^-53
  double tiny;      // absolute error where results may be flushed to zero
  double far_tail;  // absolute error of functions that vanish for large -x, whose exp(-x) may overflow or be clamped
  double overflow;  // numbers beyond it may be infinity (or not: a chain may be evaluated in a wider type)
};
Arithmetic arithmetic_f32();
Arithmetic arithmetic_f64();

// x moved apart by relative * |end| + absolute at each end, then overflowed.
Range widened(Range x, double relative, double absolute, const Arithmetic &arithmetic);
// Ends ordered from the images of both ends; a NaN image makes everything possible.
Range spanned(double y0, double y1, Range x);
Range times(Range x, double lo, double hi);  // by any factor within [lo, hi]

// One stage on x at some element: a, b are the operands' values there (0 where unused).
Range apply_stage(const Arithmetic &arithmetic, const gpuopt_stage &stage, Range x, double a, double b);

// May an element of this type, read back as got, be the rounding of a value in x?
bool accepts(gpuopt_dtype type, double got, const Range &x);
std::string to_text(gpuopt_dtype type, const Range &x);  // "[1.24, 1.25] as bf16"

}  // namespace gpuopt_check
