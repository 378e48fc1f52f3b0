# cmake -DSOURCE=<folder of the project> -P archs.cmake: what CMAKE_CUDA_ARCHITECTURES makes of each class of kernel file, and
# what the registry is told of it. Needs no CUDA.
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/packaging/cmake/GpuoptArchs.cmake)

function(expect what have want)
  if(NOT have STREQUAL want)
    message(SEND_ERROR "${what}:\n${have}\nmust be:\n${want}")
  endif()
endfunction()

# check(<user's architectures> <nvcc> <words> <performance> <fp8> <teaching> <sm90a>): the last four as rows of the table.
function(check user nvcc words)
  gpuopt_find_archs("${user}" ${nvcc})
  expect("words for '${user}'" "${gpuopt_arch_words}" "${words}")
  gpuopt_code_rows(rows)
  set(want "")
  foreach(class performance fp8 teaching sm90a)
    list(POP_FRONT ARGN row)
    string(APPEND want "    {\"${class}\", {${row}}},\n")
  endforeach()
  expect("code for '${user}'" "${rows}" "${want}")
endfunction()

check("80" 13.0 "80" "{80, 0, false}, {80, 0, true}" "" "{80, 0, false}, {80, 0, true}" "")
check("80-real" 13.0 "80" "{80, 0, false}" "" "{80, 0, false}" "")
check("90-real;90a" 13.0 "90, 90a" "{90, 0, false}" "{90, 0, false}" "{90, 0, false}" "{90, 'a', false}")
check("80-real;90-real;90a" 13.0 "80, 90, 90a" "{80, 0, false}, {90, 0, false}" "{90, 0, false}"
      "{80, 0, false}, {90, 0, false}" "{90, 'a', false}")
# 90a code calls code of class performance, which must run there, be it from PTX.
check("90a" 13.0 "90, 90a" "{90, 0, false}" "{90, 0, false}" "{90, 0, false}" "{90, 'a', false}")
check("80-real;90a" 13.0 "80, 90, 90a" "{80, 0, false}, {90, 0, false}" "{90, 0, false}"
      "{80, 0, false}, {90, 0, false}" "{90, 'a', false}")
check("80-virtual;90a-real" 13.0 "80-virtual, 90a" "{80, 0, true}" "" "{80, 0, true}" "{90, 'a', false}")
check("100a;120f-virtual" 13.0 "100a, 120f-virtual" "{100, 'a', false}, {100, 'a', true}, {120, 'f', true}"
      "{100, 'a', false}, {100, 'a', true}, {120, 'f', true}" "{100, 'a', false}, {100, 'a', true}, {120, 'f', true}" "")
check("" 12.4 "75, 80, 90, 90-virtual, 90a, 89 for fp8" "{75, 0, false}, {80, 0, false}, {90, 0, false}, {90, 0, true}"
      "{89, 0, false}, {90, 0, false}, {90, 0, true}" "{75, 0, false}, {80, 0, false}, {90, 0, false}, {75, 0, true}"
      "{90, 'a', false}")
check("" 13.0 "75, 80, 90, 100, 120, 120-virtual, 90a, 89 for fp8"
      "{75, 0, false}, {80, 0, false}, {90, 0, false}, {100, 0, false}, {120, 0, false}, {120, 0, true}"
      "{89, 0, false}, {90, 0, false}, {100, 0, false}, {120, 0, false}, {120, 0, true}"
      "{75, 0, false}, {80, 0, false}, {90, 0, false}, {120, 0, false}, {75, 0, true}" "{90, 'a', false}")

# What the compiler is told: 10.0 shares the front end of 9.0 where that is compiled for.
function(code_is archs want)
  gpuopt_generate_code("${archs}" code)
  string(REPLACE "--generate-code=arch=compute_" "" code "${code}")
  expect("code of '${archs}'" "${code}" "${want}")
endfunction()
code_is("75-real;80;90a-real" "75,code=[sm_75];80,code=[sm_80];80,code=[compute_80];90a,code=[sm_90a]")
code_is("90-real;100-real;120-real;120-virtual" "90,code=[sm_90];90,code=[sm_100];120,code=[sm_120];120,code=[compute_120]")
code_is("90;100" "90,code=[sm_90];90,code=[compute_90];90,code=[sm_100];100,code=[compute_100]")
code_is("90-virtual;100-real;100a-real" "90,code=[compute_90];100,code=[sm_100];100a,code=[sm_100a]")

# The class of a file: stated, or its kind's.
function(class_is file default want)
  gpuopt_kernel_class(${SOURCE}/src/${file} "${default}" class)
  gpuopt_class_index("${class}" index)
  expect("class of ${file}" "${index}" "${want}")
endfunction()
class_is(kernels/gemm/warptile/gemm_warptile_warp_ring.cu performance 0)
class_is(kernels/gemm/mma/gemm_mma_fp8_128x64.cu performance 1)
class_is(kernels/gemm/ladder/gemm_corner_turn.cu performance 2)
class_is(kernels/gemm/wgmma/gemm_wgmma_16bit.cu performance 3)
class_is(kernels/gemm/library/gemm_cublaslt.cpp "" -1)
class_is(cpu/gemm_cpu_blocked.cpp "" -1)

# A host file that includes a launcher of common device code says so: else the registry would let it run where that code does
# not. Those launchers are the headers beside a .cu file in a common folder.
file(GLOB_RECURSE common_code ${SOURCE}/src/kernels/*.cu)
list(FILTER common_code INCLUDE REGEX "/common/")
file(GLOB_RECURSE host_files ${SOURCE}/src/kernels/*.cpp)
list(FILTER host_files EXCLUDE REGEX "/common/")
set(found 0)
foreach(file IN LISTS host_files)
  file(READ ${file} text)
  gpuopt_kernel_class(${file} "" class)
  set(calls FALSE)
  foreach(code IN LISTS common_code)
    get_filename_component(stem ${code} NAME_WE)
    if(text MATCHES "/${stem}\\.h\"")
      set(calls TRUE)
    endif()
  endforeach()
  if(calls)
    math(EXPR found "${found} + 1")
    expect("class of ${file}" "${class}" performance)
  else()
    expect("class of ${file}" "${class}" "")
  endif()
endforeach()
if(found LESS 2)
  message(SEND_ERROR "only ${found} host files call device code: the rule above finds none")
endif()
