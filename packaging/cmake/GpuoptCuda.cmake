# Finds CUDA as GPUOPT_CUDA asks, and decides which architectures each class of kernel file is compiled for.
#   gpuopt_have_cuda          TRUE when CUDA kernels are built
#   gpuopt_cuda_info          words for gpuopt_build_info()
#   gpuopt_archs_<class>      what GpuoptArchs.cmake finds
include(GpuoptArchs)
set(gpuopt_have_cuda FALSE)
set(gpuopt_cuda_info "no CUDA")
if(GPUOPT_CUDA STREQUAL "OFF")
  return()
endif()

# The user's choice filters every class. Left alone, each class has its own list; CMake's default would be sm_75 alone.
set(gpuopt_user_archs "${CMAKE_CUDA_ARCHITECTURES}")
if(NOT gpuopt_user_archs AND DEFINED ENV{CUDAARCHS})
  set(gpuopt_user_archs "$ENV{CUDAARCHS}")
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90-real)  # for the compiler check; targets set their own
endif()

include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(GPUOPT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GPUOPT_CUDA=ON and no CUDA compiler was found: set CMAKE_CUDA_COMPILER or put nvcc on PATH")
  endif()
  message(STATUS "gpuopt: no CUDA compiler; building the CPU kernels only (GPUOPT_CUDA=AUTO)")
  return()
endif()
enable_language(CUDA)
find_package(CUDAToolkit 12.4 REQUIRED)
set(gpuopt_have_cuda TRUE)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_SEPARABLE_COMPILATION OFF)  # device linking would have to be repeated by every user of the archive

gpuopt_find_archs("${gpuopt_user_archs}" ${CMAKE_CUDA_COMPILER_VERSION})
set(gpuopt_cuda_info "CUDA ${CMAKE_CUDA_COMPILER_VERSION} (sm ${gpuopt_arch_words})")
if(GPUOPT_CUBLAS STREQUAL "DLOPEN")
  string(APPEND gpuopt_cuda_info ", cuBLASLt loaded on demand")
elseif(GPUOPT_CUBLAS STREQUAL "LINK")
  string(APPEND gpuopt_cuda_info ", cuBLASLt linked")
else()
  string(APPEND gpuopt_cuda_info ", no cuBLASLt")
endif()
message(STATUS "gpuopt: ${gpuopt_cuda_info}")
