# Finds CUDA as GPUOPT_CUDA asks, and decides which architectures each class of kernel file is compiled for.
#   gpuopt_have_cuda          TRUE when CUDA kernels are built
#   gpuopt_cuda_info          words for gpuopt_build_info()
#   gpuopt_archs_<class>      what GpuoptArchs.cmake finds
#   gpuopt_archs_helpers      of kernels that are not the library's
include(GpuoptArchs)
set(gpuopt_have_cuda FALSE)
set(gpuopt_cuda_info "no CUDA")
if(GPUOPT_CUDA STREQUAL "OFF")
  return()
endif()

# CMake takes CUDAARCHS where nothing else is said; as it would, for later runs too.
if(NOT "$ENV{CUDAARCHS}" STREQUAL "")
  set(gpuopt_environment_chose ON CACHE INTERNAL "CUDAARCHS was set when gpuopt was configured")
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES "$ENV{CUDAARCHS}" CACHE STRING "CUDA architectures")
  endif()
endif()
set(gpuopt_given_archs "${CMAKE_CUDA_ARCHITECTURES}")
if(NOT CMAKE_CUDA_ARCHITECTURES OR CMAKE_CUDA_ARCHITECTURES STREQUAL "native")
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

execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE gpuopt_known_archs)
string(REGEX MATCHALL "sm_[0-9]+\n" gpuopt_known_archs "${gpuopt_known_archs}")
list(TRANSFORM gpuopt_known_archs REPLACE "[^0-9]" "")
# A project around this one that enables CUDA and says nothing has what CMake put there: one old architecture.
get_property(gpuopt_archs_help CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
gpuopt_is_default_arch("${gpuopt_given_archs}" "$CACHE{CMAKE_CUDA_ARCHITECTURES}" "${gpuopt_archs_help}"
                       "${gpuopt_known_archs}" gpuopt_nobody_chose)
if(gpuopt_nobody_chose AND NOT gpuopt_environment_chose)
  set(gpuopt_given_archs "")
endif()
gpuopt_name_archs("${gpuopt_given_archs}" "${gpuopt_known_archs}" "${CMAKE_CUDA_ARCHITECTURES_NATIVE}" gpuopt_user_archs
                  gpuopt_archs_note)
if(gpuopt_archs_note)
  message(WARNING "gpuopt: CMAKE_CUDA_ARCHITECTURES=${gpuopt_given_archs}: ${gpuopt_archs_note}")
endif()
gpuopt_find_archs("${gpuopt_user_archs}" ${CMAKE_CUDA_COMPILER_VERSION})
# Kernels of the tools and benchmarks are few; where the user names no architecture, Hopper's machine code and PTX for the rest
# will do.
set(gpuopt_archs_helpers 75-virtual 90-real)
if(gpuopt_user_archs)
  set(gpuopt_archs_helpers ${gpuopt_archs_performance})
endif()
set(gpuopt_cuda_info "CUDA ${CMAKE_CUDA_COMPILER_VERSION} (sm ${gpuopt_arch_words})")
if(GPUOPT_CUBLAS STREQUAL "DLOPEN")
  string(APPEND gpuopt_cuda_info ", cuBLASLt loaded on demand")
elseif(GPUOPT_CUBLAS STREQUAL "LINK")
  string(APPEND gpuopt_cuda_info ", cuBLASLt linked")
else()
  string(APPEND gpuopt_cuda_info ", no cuBLASLt")
endif()
message(STATUS "gpuopt: ${gpuopt_cuda_info}")
