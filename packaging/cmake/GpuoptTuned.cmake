# Tuned-choice files (docs/tuning.md), each named after its device, become text in the target: what src/registry/tuned/ holds,
# in the library.
function(gpuopt_add_tuned_tables target folder)
  file(GLOB tables CONFIGURE_DEPENDS ${folder}/*.tune)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tables})
  list(SORT tables)
  set(GPUOPT_TUNED_ROWS "")
  foreach(table IN LISTS tables)
    get_filename_component(device ${table} NAME_WLE)
    file(READ ${table} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")  # a literal a line: neighbours become one
    string(APPEND GPUOPT_TUNED_ROWS "    {\"${device}\",\n     \"${text}\"},\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/src/registry/tuning/shipped_tables.cpp.in
                 ${CMAKE_CURRENT_BINARY_DIR}/generated/shipped_tables.cpp @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/shipped_tables.cpp)
endfunction()
