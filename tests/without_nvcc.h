/* What the toolkit's compiler knows by itself, for headers of kernels that a test includes without it. */
#pragma once

#define __host__
#define __device__
#define __forceinline__ inline
