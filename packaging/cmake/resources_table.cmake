# cmake -DOBJECTS=<file with one object path a line> -DOUTPUT=<cpp> -P resources_table.cmake
# Reads <object>.ptxas of every object and writes the table of src/registry/resources.h, only when it changes. An entry is
# known by the address of its host stub, which has the mangled name of the device function; functions of unnamed
# namespaces have no name to refer to and are left out. References are weak: a static function's stub, or one that the linker
# has no other use for, is then absent rather than an error.
file(STRINGS ${OBJECTS} objects)
set(rows "")
set(stubs "")
foreach(object IN LISTS objects)
  if(NOT EXISTS ${object}.ptxas)
    continue()
  endif()
  file(STRINGS ${object}.ptxas lines REGEX "Compiling entry function|Used [0-9]+ registers|bytes spill")
  set(symbol "")
  foreach(line IN LISTS lines)
    if(line MATCHES "Compiling entry function '([^']+)' for 'sm_([0-9]+)[a-z]?'")
      set(symbol ${CMAKE_MATCH_1})
      set(arch ${CMAKE_MATCH_2})
      set(spill 0)
    elseif(line MATCHES "([0-9]+) bytes spill stores")
      set(spill ${CMAKE_MATCH_1})
    elseif(symbol AND line MATCHES "Used ([0-9]+) registers")
      set(registers ${CMAKE_MATCH_1})
      set(smem 0)
      if(line MATCHES "([0-9]+) bytes smem")
        set(smem ${CMAKE_MATCH_1})
      endif()
      if(NOT symbol MATCHES "_GLOBAL__N_|_INTERNAL_")
        list(APPEND stubs "__attribute__((weak)) void ${symbol}()")
        list(APPEND rows "    {${symbol}, \"${symbol}\", ${arch}, ${registers}, ${smem}, ${spill}},")
      endif()
      set(symbol "")
    endif()
  endforeach()
endforeach()
list(SORT rows)
list(REMOVE_DUPLICATES rows)
list(LENGTH rows count)
list(JOIN rows "\n" rows)
list(REMOVE_DUPLICATES stubs)
list(JOIN stubs ";\n" stubs)
if(count EQUAL 0)
  set(rows "    {nullptr, nullptr, 0, 0, 0, 0},")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Generated from ptxas' reports.
#include \"resources.h\"

extern \"C\" {
${stubs};
}

namespace gpuopt {
const CompiledEntry kCompiledEntries[] = {
${rows}
};
const size_t kCompiledEntryCount = ${count};
}  // namespace gpuopt
" @ONLY)
