# Kernel files become object libraries, one per architecture class, and one generated manifest that refers to the span of
# descriptors each of them exports. Every file below src/kernels/<op>/ and in src/cpu/ is a kernel file; one below a folder
# named common/ never is.
#
# A CUDA file states its class in a comment near its top, "arch class: teaching", "arch class: fp8" (what needs sm_89) or
# "arch class: sm90a"; none means performance. A host file that calls device code of common/ states "performance", a host
# file without it nothing. GpuoptArchs.cmake has the architectures of each class; the manifest tells them to the registry.

# The per-file definitions, shared by all object libraries.
function(gpuopt_kernel_target target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src/kernels
                             ${PROJECT_SOURCE_DIR}/src/cpu)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${gpuopt_warnings}> ${gpuopt_unloadable})
endfunction()

function(gpuopt_cuda_target target archs)
  gpuopt_kernel_target(${target})
  gpuopt_generate_code("${archs}" code)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES OFF)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${code}>")
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -Xptxas=-v -Xcompiler=-Wall,-Wextra>
    # Machine code compresses to a seventh at no cost; left alone, only PTX is compressed. Every program carries all of it.
    $<$<COMPILE_LANGUAGE:CUDA>:-Xfatbin=-compress-all>
    $<$<AND:$<BOOL:${GPUOPT_STRICT}>,$<COMPILE_LANGUAGE:CUDA>>:-Werror=all-warnings -Xcompiler=-Werror>)
  # nvcc 13 makes the host stubs of kernel templates local; the resources table refers to them.
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--static-global-template-stub=false>)
  endif()
  # The launcher keeps ptxas' report beside each object for the resources table, and fails a strict build on spills.
  set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER
    "${PROJECT_SOURCE_DIR}/packaging/cmake/ptxas_report.sh;$<IF:$<BOOL:${GPUOPT_STRICT}>,strict,lenient>")
endfunction()

function(gpuopt_add_kernels library)
  file(GLOB cpu_kernels CONFIGURE_DEPENDS src/cpu/*.cpp)
  file(GLOB cpu_common CONFIGURE_DEPENDS src/cpu/common/*.cpp src/cpu/common/isa/*.cpp)
  set(kernel_files ${cpu_kernels})
  add_library(gpuopt_cpu OBJECT ${cpu_kernels} ${cpu_common})
  gpuopt_kernel_target(gpuopt_cpu)
  # GCC 12's own AVX-512 header trips this warning (GCC bug 105593).
  set(gpuopt_gcc_avx512_quirk $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  foreach(file IN LISTS cpu_common)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      if(file MATCHES "_avx512\\.cpp$")
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
          "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx2;-mfma;-mf16c;${gpuopt_gcc_avx512_quirk}")
      elseif(file MATCHES "_avx2\\.cpp$")
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-mf16c")
      endif()
    endif()
  endforeach()
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:gpuopt_cpu>)

  if(gpuopt_have_cuda)
    file(GLOB_RECURSE all_cuda_kernels CONFIGURE_DEPENDS src/kernels/*.cu)
    file(GLOB_RECURSE host_kernels CONFIGURE_DEPENDS src/kernels/*.cpp)
    set(cuda_performance ${all_cuda_kernels})  # device code that kernels of every class share is built like the fast ones
    list(FILTER cuda_performance INCLUDE REGEX "/src/kernels/(.*/)?common/")
    list(FILTER all_cuda_kernels EXCLUDE REGEX "/src/kernels/(.*/)?common/")
    set(host_common ${host_kernels})
    list(FILTER host_common INCLUDE REGEX "/src/kernels/(.*/)?common/")
    list(FILTER host_kernels EXCLUDE REGEX "/src/kernels/(.*/)?common/")
    foreach(file IN LISTS all_cuda_kernels)
      gpuopt_kernel_class(${file} performance class)
      if(gpuopt_archs_${class})
        list(APPEND cuda_${class} ${file})
        list(APPEND kernel_files ${file})
      endif()
    endforeach()
    set(report_targets "")
    foreach(class performance fp8 teaching sm90a)
      if(cuda_${class})
        add_library(gpuopt_cuda_${class} OBJECT ${cuda_${class}})
        gpuopt_cuda_target(gpuopt_cuda_${class} "${gpuopt_archs_${class}}")
        target_sources(${library} PRIVATE $<TARGET_OBJECTS:gpuopt_cuda_${class}>)
        list(APPEND report_targets gpuopt_cuda_${class})
      endif()
    endforeach()
    if(host_kernels)
      list(APPEND kernel_files ${host_kernels})
      add_library(gpuopt_cuda_host OBJECT ${host_kernels} ${host_common})
      gpuopt_kernel_target(gpuopt_cuda_host)
      target_link_libraries(gpuopt_cuda_host PRIVATE CUDA::cudart_static)
      target_compile_definitions(gpuopt_cuda_host PRIVATE GPUOPT_CUBLAS_DIR="${CUDAToolkit_LIBRARY_DIR}"
        $<$<NOT:$<STREQUAL:${GPUOPT_CUBLAS},DLOPEN>>:GPUOPT_CUBLAS_${GPUOPT_CUBLAS}>)
      target_sources(${library} PRIVATE $<TARGET_OBJECTS:gpuopt_cuda_host>)
    endif()
    if(host_kernels MATCHES "/gemm_cublaslt\\.cpp")
      set_source_files_properties(src/registry/cublaslt_probe.cpp PROPERTIES COMPILE_DEFINITIONS GPUOPT_HAVE_CUBLASLT)
    endif()
    if(GPUOPT_CUBLAS STREQUAL "LINK")
      target_link_libraries(${library} PUBLIC CUDA::cublasLt)
    endif()
    target_link_libraries(${library} PUBLIC CUDA::cudart_static)
    gpuopt_add_resources(${library} "${report_targets}")
  else()
    target_sources(${library} PRIVATE src/registry/resources_none.cpp)
  endif()

  # The manifest: a constant that names every kernel file's span and the class of its device code.
  list(SORT kernel_files)
  set(GPUOPT_MANIFEST_DECLARATIONS "")
  set(GPUOPT_MANIFEST_ENTRIES "")
  set(stems "")
  foreach(file IN LISTS kernel_files)
    get_filename_component(stem ${file} NAME_WE)
    if(stem IN_LIST stems)
      message(FATAL_ERROR "two kernel files are named ${stem}; names are unique across operations")
    endif()
    list(APPEND stems ${stem})
    set(default "")
    if(file MATCHES "\\.cu$")
      set(default performance)
    endif()
    gpuopt_kernel_class(${file} "${default}" class)
    gpuopt_class_index("${class}" index)
    set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS GPUOPT_KERNEL_FILE=${stem})
    string(APPEND GPUOPT_MANIFEST_DECLARATIONS "extern const gpuopt_kernel_span gpuopt_kernels_${stem};\n")
    string(APPEND GPUOPT_MANIFEST_ENTRIES "    {&gpuopt_kernels_${stem}, ${index}},\n")
  endforeach()
  set(GPUOPT_CODE_ROWS "")
  if(gpuopt_have_cuda)
    gpuopt_code_rows(GPUOPT_CODE_ROWS)
  endif()
  configure_file(src/registry/manifest.cpp.in generated/manifest.cpp @ONLY)
  target_sources(${library} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/manifest.cpp)
endfunction()

# Generates the table of registers, shared memory and spills per entry function and architecture out of ptxas' reports.
function(gpuopt_add_resources library report_targets)
  set(objects "")
  foreach(target IN LISTS report_targets)
    list(APPEND objects "$<TARGET_OBJECTS:${target}>")
  endforeach()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/generated/resources_table.cpp)
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/generated/cuda_objects.txt)
  file(GENERATE OUTPUT ${list_file} CONTENT "$<JOIN:${objects},\n>\n")
  add_custom_target(gpuopt_resources
    COMMAND ${CMAKE_COMMAND} -DOBJECTS=${list_file} -DOUTPUT=${table}
            -P ${PROJECT_SOURCE_DIR}/packaging/cmake/resources_table.cmake
    BYPRODUCTS ${table} COMMENT "Collecting ptxas reports" VERBATIM)
  if(report_targets)
    add_dependencies(gpuopt_resources ${report_targets})
  endif()
  add_dependencies(${library} gpuopt_resources)
  target_sources(${library} PRIVATE ${table})
endfunction()
