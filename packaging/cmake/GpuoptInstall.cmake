# Install rules and packages.
#   component gpuopt_development   the archive, the headers, the CMake package, gpuopt.pc, the docs
#   component gpuopt_runtime       with GPUOPT_SHARED, the shared object
#   component gpuopt_tools         the command line; installed by tools/gpuopt
# cpack makes one TGZ of all, and the DEB packages libgpuopt-dev, libgpuopt<version> and gpuopt-tools.
include(CMakePackageConfigHelpers)

set(gpuopt_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpuopt)
install(TARGETS gpuopt EXPORT gpuoptTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT gpuopt_development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT gpuopt_runtime NAMELINK_COMPONENT gpuopt_development)
install(DIRECTORY include/gpuopt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT gpuopt_development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN dist.h EXCLUDE)
install(EXPORT gpuoptTargets NAMESPACE gpuopt:: DESTINATION ${gpuopt_cmake_dir} COMPONENT gpuopt_development)
# An export of its own: who does not ask for the component needs no MPI.
if(gpuopt_have_dist)
  install(FILES include/gpuopt/dist.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpuopt COMPONENT gpuopt_development)
  install(TARGETS gpuopt_dist EXPORT gpuoptDistTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT gpuopt_development)
  install(EXPORT gpuoptDistTargets NAMESPACE gpuopt:: DESTINATION ${gpuopt_cmake_dir} COMPONENT gpuopt_development)
endif()
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT gpuopt_development)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT gpuopt_development
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.html")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT gpuopt_development)

# ---- CMake package ---------------------------------------------------------------------------------------------------
# Before 1.0 a new minor version may break callers, so another minor version is not compatible.
if(gpuopt_have_cuda)
  set(gpuopt_config_cuda ON)
else()
  set(gpuopt_config_cuda OFF)
endif()
configure_package_config_file(packaging/cmake/gpuoptConfig.cmake.in generated/gpuoptConfig.cmake
  INSTALL_DESTINATION ${gpuopt_cmake_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/generated/gpuoptConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/gpuoptConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/generated/gpuoptConfigVersion.cmake
        DESTINATION ${gpuopt_cmake_dir} COMPONENT gpuopt_development)

# ---- pkg-config ------------------------------------------------------------------------------------------------------
# The folder of the .pc file leads to the prefix, so that an unpacked TGZ works wherever it lies.
file(RELATIVE_PATH gpuopt_pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" gpuopt_pc_to_prefix ${gpuopt_pc_to_prefix})
set(gpuopt_pc_needs "-lstdc++ -lm -lpthread ")
if(CMAKE_DL_LIBS)
  string(APPEND gpuopt_pc_needs "-l${CMAKE_DL_LIBS} ")
endif()
set(gpuopt_pc_cuda_libdir "")
if(GPUOPT_SHARED)
  set(gpuopt_pc_needs "")
elseif(gpuopt_have_cuda)
  set(gpuopt_pc_cuda_libdir "cuda_libdir=${CUDAToolkit_LIBRARY_DIR}\n")
  string(PREPEND gpuopt_pc_needs "-L\${cuda_libdir} -lcudart_static -lrt ")
  if(GPUOPT_CUBLAS STREQUAL "LINK")
    string(PREPEND gpuopt_pc_needs "-L\${cuda_libdir} -lcublasLt ")
  endif()
endif()
string(STRIP "${gpuopt_pc_needs}" gpuopt_pc_needs)
configure_file(packaging/gpuopt.pc.in generated/gpuopt.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/gpuopt.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT gpuopt_development)

if(gpuopt_have_dist)
  set(gpuopt_pc_mpi "")
  if(gpuopt_have_mpi)
    foreach(library IN LISTS MPI_C_LIBRARIES)
      get_filename_component(folder ${library} DIRECTORY)
      get_filename_component(name ${library} NAME_WE)
      string(REGEX REPLACE "^lib" "-l" name ${name})
      string(APPEND gpuopt_pc_mpi " -L${folder} ${name}")
    endforeach()
  endif()
  configure_file(packaging/gpuopt-dist.pc.in generated/gpuopt-dist.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/gpuopt-dist.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT gpuopt_development)
endif()

# ---- Packages --------------------------------------------------------------------------------------------------------
if(PROJECT_IS_TOP_LEVEL)
  include(GpuoptPackages)
endif()
