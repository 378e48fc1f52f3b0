# What cpack makes: one TGZ of everything, and a DEB of each component.
set(GPUOPT_PACKAGE_MAINTAINER "gpuopt maintainers <gpuopt@localhost>" CACHE STRING "Who stands for the packages: Name <address>")
set(CPACK_PACKAGE_NAME gpuopt)
set(CPACK_PACKAGE_VENDOR gpuopt)
set(CPACK_PACKAGE_CONTACT "${GPUOPT_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "operations on matrices on GPUs and CPUs")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL gpuopt_development)
if(GPUOPT_SHARED)
  list(APPEND CPACK_COMPONENTS_ALL gpuopt_runtime)
endif()
if(TARGET gpuopt_cli)
  list(APPEND CPACK_COMPONENTS_ALL gpuopt_tools)
endif()

# ---- DEB -------------------------------------------------------------------------------------------------------------
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# What Debian wants of every package beside its files: copyright and changelog, under the package's own name.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/cmake/debian_files.cmake)
set(CPACK_GPUOPT_SOURCE ${PROJECT_SOURCE_DIR})

# What runs needs at least the C and C++ runtimes that it was built with; those two versions come from the compiler.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE gpuopt_glibc OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(gpuopt_runtimes "libc6, libstdc++6, libgcc-s1")
if(gpuopt_glibc MATCHES "([0-9]+\\.[0-9]+)$")
  string(REPLACE "libc6," "libc6 (>= ${CMAKE_MATCH_1})," gpuopt_runtimes "${gpuopt_runtimes}")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(REGEX MATCH "^[0-9]+" gpuopt_gcc_major ${CMAKE_CXX_COMPILER_VERSION})
  string(REPLACE "libstdc++6" "libstdc++6 (>= ${gpuopt_gcc_major})" gpuopt_runtimes "${gpuopt_runtimes}")
endif()

# gpuopt_deb(<component> <package> <section> <depends> <description>)
macro(gpuopt_deb component package section depends description)
  string(TOUPPER ${component} gpuopt_upper)
  set(CPACK_DEBIAN_${gpuopt_upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${gpuopt_upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${gpuopt_upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${gpuopt_upper}_DESCRIPTION "${description}")
endmacro()

set(gpuopt_what "Products, transposes, reductions, chains of activations and norms, each through
many kernels, from a naive loop to the tensor cores. Every call runs the
kernel whose predicted time is the least of those that can run the problem
on the machine at hand; without a GPU it computes on the CPU.")
if(GPUOPT_SHARED)
  get_target_property(gpuopt_interface gpuopt SOVERSION)
  set(gpuopt_runtime_package libgpuopt${gpuopt_interface})
  gpuopt_deb(gpuopt_runtime ${gpuopt_runtime_package} libs "${gpuopt_runtimes}"
             "The shared library.\n\n${gpuopt_what}")
  set(gpuopt_development_needs "${gpuopt_runtime_package} (= ${PROJECT_VERSION}-1)")
  string(PREPEND gpuopt_runtimes "${gpuopt_runtime_package} (= ${PROJECT_VERSION}-1), ")
else()
  # Who links the archive needs the C++ runtime's development files, and with CUDA the toolkit's static runtime, which many
  # install without apt; hence only recommended.
  set(gpuopt_development_needs "libc6-dev, libstdc++-dev")
  if(gpuopt_gcc_major)
    set(gpuopt_development_needs "libc6-dev, libstdc++-${gpuopt_gcc_major}-dev | libstdc++-dev")
  endif()
  if(gpuopt_have_cuda)
    set(CPACK_DEBIAN_GPUOPT_DEVELOPMENT_PACKAGE_RECOMMENDS
        "cuda-cudart-dev-${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR}")
  endif()
endif()
gpuopt_deb(gpuopt_development libgpuopt-dev libdevel "${gpuopt_development_needs}"
           "The library, its headers for C and C++, a CMake package, a pkg-config file\nand docs.\n\n${gpuopt_what}")
gpuopt_deb(gpuopt_tools gpuopt-tools utils "${gpuopt_runtimes}"
           "The command gpuopt: it lists the kernels, explains a choice, checks kernels\nand times them.\n\n${gpuopt_what}")
include(CPack)
