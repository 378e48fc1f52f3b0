#pragma once
#include "emu.h"
namespace gpuopt { inline float wgmma_power_of_two(int32_t e) { return __int_as_float((e + 127) << 23); } }
