// From the words of a text to a call: the state between them.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gpuopt_call/call.h"

namespace gpuopt_call {

class Reader {
 public:
  explicit Reader(int32_t op) : call_(op) { call_.stages.reserve(GPUOPT_MAX_STAGES); }
  Reader(const Reader &) = delete;

  void take(std::string_view word);  // one behind the op's name; throws BadWord
  // The call, its operands at addresses that are nobody else's. Where sizes do not fit 64 bits they have none: the library
  // will say what is wrong. Throws BadWord where they do, and not one beside the other.
  Call finish();

 private:
  struct Placed {
    std::string name;
    gpuopt_matrix *matrix;
    int32_t by;
    size_t first;      // of the operands in whose memory it lies, the one that lies in no other's
    int64_t distance;  // from that one, in bytes
  };
  void once(std::string_view name);
  void take_stage(std::string_view value);
  void take_operand_of_stage(char which, std::string_view value);
  void take_operand(const std::string &name, gpuopt_matrix *matrix, std::string_view value);
  bool take_list(std::string_view word);
  bool take_scalar(std::string_view name, std::string_view value);
  void promise_alignment();
  void place();

  Call call_;
  std::vector<Placed> placed_;
  std::set<std::string> said_;
  bool host_offsets_ = false;  // those of the text are not known: even ones take their place
};

}  // namespace gpuopt_call
