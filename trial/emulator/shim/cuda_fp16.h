#pragma once
#include "emu.h"
struct __half { _Float16 v; };
struct alignas(4) __half2 { __half x, y; };
inline __half __float2half_rn(float f) { return {(_Float16)f}; }
inline float __half2float(__half h) { return (float)h.v; }
inline __half2 __floats2half2_rn(float a, float b) { return {__float2half_rn(a), __float2half_rn(b)}; }
inline float2 __half22float2(__half2 h) { return {__half2float(h.x), __half2float(h.y)}; }
inline __half __habs(__half h) { uint16_t u; memcpy(&u, &h, 2); u &= 0x7fff; memcpy(&h, &u, 2); return h; }
inline __half2 __habs2(__half2 h) { return {__habs(h.x), __habs(h.y)}; }
inline uint16_t __half_as_ushort(__half h) { uint16_t u; memcpy(&u, &h, 2); return u; }
inline __half sat1(double d) { if (!(d > 0)) return {(_Float16)0}; return {(_Float16)(d > 1 ? 1.0 : d)}; }
inline __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return {sat1((double)a.x.v * (double)b.x.v + (double)c.x.v), sat1((double)a.y.v * (double)b.y.v + (double)c.y.v)}; }
inline __half2 __hadd2(__half2 a, __half2 b) { return {{(_Float16)((float)a.x.v + (float)b.x.v)}, {(_Float16)((float)a.y.v + (float)b.y.v)}}; }
inline __half hmin1(__half a, __half b) { return a.v != a.v ? b : b.v != b.v ? a : a.v < b.v ? a : b; }
inline __half2 __hmin2(__half2 a, __half2 b) { return {hmin1(a.x, b.x), hmin1(a.y, b.y)}; }
inline bool __hbge2(__half2 a, __half2 b) { return a.x.v >= b.x.v && a.y.v >= b.y.v; }
inline float __low2float(__half2 h) { return (float)h.x.v; }
inline float __high2float(__half2 h) { return (float)h.y.v; }
