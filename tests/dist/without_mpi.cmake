# cmake -DSOURCE=<folder of the project> -DGENERATOR=<its generator> -DWORK=<a folder> -P without_mpi.cmake: on a machine without
# MPI nothing is compiled that needs it.
file(REMOVE_RECURSE ${WORK})
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DGPUOPT_CUDA=OFF -DGPUOPT_BUILD_TESTS=OFF
          -DGPUOPT_BUILD_TOOLS=OFF -DGPUOPT_BUILD_BENCH=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
          -DMPI_SKIP_COMPILER_WRAPPER=ON -DMPI_SKIP_GUESSING=ON -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
  OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE code)
if(code OR NOT said MATCHES "dist without MPI")
  message(FATAL_ERROR "configured with ${code}, or with an MPI:\n${said}")
endif()
file(STRINGS ${WORK}/compile_commands.json commands REGEX "\"command\":.*tensor_parallel.*main\\.cpp")
if(NOT commands OR commands MATCHES "MPI")
  message(FATAL_ERROR "the example is not there, or asks for MPI:\n${commands}")
endif()
