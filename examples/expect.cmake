# Runs a program and fails unless it ends with the exit status EXIT and its output has every regular expression of MATCH.
#   cmake -DPROGRAM=path [-DARGS=list] [-DENV=NAME=value;...] [-DEXIT=n] [-DMATCH=list] -P expect.cmake
cmake_minimum_required(VERSION 3.20)
set(settings --unset=GPUOPT_KERNEL --unset=GPUOPT_DISABLE --unset=GPUOPT_VERBOSE ${ENV})
execute_process(COMMAND ${CMAKE_COMMAND} -E env ${settings} ${PROGRAM} ${ARGS}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT status STREQUAL EXIT)
  message(FATAL_ERROR "exit status ${status}, expected ${EXIT}")
endif()
foreach(expression IN LISTS MATCH)
  if(NOT output MATCHES "${expression}")
    message(FATAL_ERROR "the output has no match of: ${expression}")
  endif()
endforeach()
