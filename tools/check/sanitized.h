// Is this build watched by a sanitizer? As macros, for what is included only then; C and C++.
#pragma once

#if defined(__has_feature)
#define GPUOPT_HAS_FEATURE_(name) __has_feature(name)
#else
#define GPUOPT_HAS_FEATURE_(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || GPUOPT_HAS_FEATURE_(address_sanitizer)
#define GPUOPT_ADDRESS_SANITIZED 1
#else
#define GPUOPT_ADDRESS_SANITIZED 0
#endif
#if defined(__SANITIZE_THREAD__) || GPUOPT_HAS_FEATURE_(thread_sanitizer)
#define GPUOPT_THREAD_SANITIZED 1
#else
#define GPUOPT_THREAD_SANITIZED 0
#endif
