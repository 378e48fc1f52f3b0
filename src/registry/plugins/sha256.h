// SHA-256 (FIPS 180-4), for images that a manifest names by what they hold.
#pragma once
#include <string>
#include <string_view>

namespace gpuopt {

std::string sha256_hex(std::string_view bytes);  // 64 digits, small letters

}  // namespace gpuopt
