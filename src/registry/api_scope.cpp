#include "api_scope.h"

namespace gpuopt {

__thread ApiScope *ApiScope::innermost = nullptr;

}  // namespace gpuopt
