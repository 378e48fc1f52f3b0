// Which operand set a call uses.
#pragma once

namespace gpuopt_bench {

// Each in turn, whoever calls, so that one comes again only after all others: one that an untimed call has used lies in the
// cache as one does that a sample has used.
class SetRotation {
 public:
  explicit SetRotation(int sets) : sets_(sets > 0 ? sets : 1) {}
  int next() {
    const int set = next_;
    next_ = (next_ + 1) % sets_;
    return set;
  }

 private:
  int sets_, next_ = 0;
};

}  // namespace gpuopt_bench
