#include "json.h"

#include <cstdio>

namespace gpuopt_cli {

void print_json(const Json &json) {
  std::printf("%s\n", json.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace gpuopt_cli
