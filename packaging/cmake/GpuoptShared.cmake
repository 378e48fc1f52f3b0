# What makes a shared object of the library: its name's version, and that it exports the functions of the public headers and
# nothing else.

# The functions that the public headers declare with GPUOPT_API.
function(gpuopt_public_functions result)
  set(functions "")
  foreach(header gpuopt.h kernel.h)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/gpuopt/${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/include/gpuopt/${header} lines REGEX "^GPUOPT_API ")
    foreach(line IN LISTS lines)
      if(NOT line MATCHES "(gpuopt_[a-z0-9_]+)\\(")
        message(FATAL_ERROR "${header}: no function in: ${line}")
      endif()
      list(APPEND functions ${CMAKE_MATCH_1})
    endforeach()
  endforeach()
  set(${result} "${functions}" PARENT_SCOPE)
endfunction()

# Before 1.0 another minor version is another interface.
function(gpuopt_make_shared target)
  set(interface ${PROJECT_VERSION_MAJOR})
  if(PROJECT_VERSION_MAJOR EQUAL 0)
    string(APPEND interface .${PROJECT_VERSION_MINOR})
  endif()
  gpuopt_public_functions(functions)
  list(JOIN functions ";\n    " functions)
  set(script ${PROJECT_BINARY_DIR}/generated/gpuopt.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "GPUOPT_${interface} {
  global:
    @functions@;
  local:
    *;
};
" @ONLY)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME gpuopt VERSION ${PROJECT_VERSION} SOVERSION ${interface}
                        LINKER_LANGUAGE CXX LINK_DEPENDS ${script})
  target_link_options(${target} PRIVATE -Wl,--version-script=${script} -Wl,--no-undefined)
endfunction()
