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
# 9.0's machine code is for Hopper, and so is 90a's, named or not; its PTX is for later devices.
check("90" 13.0 "90, 90a" "{90, 0, false}, {90, 0, true}" "{90, 0, false}, {90, 0, true}" "{90, 0, false}, {90, 0, true}"
      "{90, 'a', false}")
check("80-real;90-real" 13.0 "80, 90, 90a" "{80, 0, false}, {90, 0, false}" "{90, 0, false}" "{80, 0, false}, {90, 0, false}"
      "{90, 'a', false}")
check("90-virtual" 13.0 "90-virtual" "{90, 0, true}" "{90, 0, true}" "{90, 0, true}" "")
# 90a code calls code of class performance, which must run there, be it from PTX.
check("90a" 13.0 "90, 90a" "{90, 0, false}" "{90, 0, false}" "{90, 0, false}" "{90, 'a', false}")
check("80-real;90a" 13.0 "80, 90, 90a" "{80, 0, false}, {90, 0, false}" "{90, 0, false}"
      "{80, 0, false}, {90, 0, false}" "{90, 'a', false}")
check("80-virtual;90a-real" 13.0 "80-virtual, 90a" "{80, 0, true}" "" "{80, 0, true}" "{90, 'a', false}")
check("100a;120f-virtual" 13.0 "100a, 120f-virtual" "{100, 'a', false}, {100, 'a', true}, {120, 'f', true}"
      "{100, 'a', false}, {100, 'a', true}, {120, 'f', true}" "{100, 'a', false}, {100, 'a', true}, {120, 'f', true}" "")
# Left alone, each class has its own list.
check("" 12.4 "75, 80, 90, 90-virtual, 90a, 89 for fp8" "{75, 0, false}, {80, 0, false}, {90, 0, false}, {90, 0, true}"
      "{89, 0, false}, {90, 0, false}, {90, 0, true}" "{75, 0, false}, {80, 0, false}, {90, 0, false}, {75, 0, true}"
      "{90, 'a', false}")
check("" 13.0 "75, 80, 90, 100, 120, 120-virtual, 90a, 89 for fp8"
      "{75, 0, false}, {80, 0, false}, {90, 0, false}, {100, 0, false}, {120, 0, false}, {120, 0, true}"
      "{89, 0, false}, {90, 0, false}, {100, 0, false}, {120, 0, false}, {120, 0, true}"
      "{75, 0, false}, {80, 0, false}, {90, 0, false}, {120, 0, false}, {75, 0, true}" "{90, 'a', false}")

# The words for lists: those of CMake 3.25 know nothing of CUDA 13, so they are spelt out of nvcc's own.
set(nvcc_12_4 50 52 53 60 61 62 70 72 75 80 86 87 89 90)
set(nvcc_13_0 75 80 86 87 88 89 90 100 110 103 120 121)
function(names given known native want want_note)
  gpuopt_name_archs("${given}" "${known}" "${native}" names note)
  expect("architectures of '${given}'" "${names}" "${want}")
  if(NOT note MATCHES "${want_note}" OR (NOT want_note AND note))
    message(SEND_ERROR "note on '${given}': '${note}' must have: '${want_note}'")
  endif()
endfunction()
names("" "${nvcc_13_0}" "" "" "")
names("OFF" "${nvcc_13_0}" "90-real" "" "")
names("80;90a" "${nvcc_13_0}" "90-real" "80;90a" "")
names("native" "${nvcc_13_0}" "90-real" "90-real" "")
names("native" "${nvcc_13_0}" "80-real;120-real" "80-real;120-real" "")
names("native" "${nvcc_13_0}" "" "" "there is no GPU.*own choice")
names("native" "${nvcc_12_4}" "61-real;80-real" "80-real" "compiled for 61-real")
names("all-major" "${nvcc_13_0}" "" "75-real;80-real;90-real;100-real;110-real;120-real;120-virtual" "")
names("all-major" "${nvcc_12_4}" "" "75-real;80-real;90-real;90-virtual" "")
names("all" "${nvcc_12_4}" "" "75-real;80-real;86-real;87-real;89-real;90-real;90-virtual" "")
names("all" "${nvcc_13_0}" ""
      "75-real;80-real;86-real;87-real;88-real;89-real;90-real;100-real;103-real;110-real;120-real;121-real;121-virtual" "")
names("52;70-real;80" "${nvcc_12_4}" "" "80" "compiled for 52, 70-real")

# What CMake puts there for want of a choice is nobody's; the same number given by somebody is his.
function(is_default given cached help want)
  gpuopt_is_default_arch("${given}" "${cached}" "${help}" "${ARGN}" default)
  expect("'${given}' where the cache has '${cached}' is CMake's default" "${default}" "${want}")
endfunction()
is_default("75" "75" "CUDA architectures" TRUE ${nvcc_13_0})
is_default("52" "52" "CUDA architectures" TRUE ${nvcc_12_4})
is_default("75" "75" "No help, variable specified on the command line." FALSE ${nvcc_13_0})
is_default("75" "" "" FALSE ${nvcc_13_0})
is_default("80" "75" "CUDA architectures" FALSE ${nvcc_13_0})
is_default("80" "80" "CUDA architectures" FALSE ${nvcc_13_0})

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

# A host file that includes a launcher of common device code, or has a list of entry functions, says so: else the registry would
# let it run where that code does not. Those launchers are the headers beside a .cu file in a common folder.
file(GLOB_RECURSE common_code ${SOURCE}/src/kernels/*.cu)
list(FILTER common_code INCLUDE REGEX "/common/")
file(GLOB_RECURSE host_files ${SOURCE}/src/kernels/*.cpp)
list(FILTER host_files EXCLUDE REGEX "/common/")
set(found 0)
foreach(file IN LISTS host_files)
  file(READ ${file} text)
  gpuopt_kernel_class(${file} "" class)
  set(calls FALSE)
  if(text MATCHES "gpuopt_resource ")
    set(calls TRUE)
  endif()
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
