#include "gpuopt_lab/verdict.h"

namespace gpuopt_lab {

Verdict judge(double claimed, double measured) {
  constexpr double kWithin = 1.25, kSame = 1.05;
  if (!(measured > 0)) return Verdict::not_run;
  if (claimed <= 0) return Verdict::shown;
  if (claimed < 1) return judge(1 / claimed, 1 / measured);
  if (measured >= claimed / kWithin && measured <= claimed * kWithin) return Verdict::confirmed;
  if (measured > claimed) return Verdict::more;
  if (measured > kSame) return Verdict::less;
  return measured * kSame >= 1 ? Verdict::no_difference : Verdict::opposite;
}

const char *text_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::not_run:
      return "not run";
    case Verdict::shown:
      return "shown";
    case Verdict::confirmed:
      return "as claimed";
    case Verdict::more:
      return "more than claimed";
    case Verdict::less:
      return "less than claimed";
    case Verdict::no_difference:
      return "no difference";
    case Verdict::opposite:
      return "the opposite";
  }
  return "?";
}

bool disagrees(Verdict verdict) {
  return verdict != Verdict::not_run && verdict != Verdict::shown && verdict != Verdict::confirmed;
}

}  // namespace gpuopt_lab
