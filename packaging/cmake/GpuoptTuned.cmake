# Tuned-choice files (docs/tuning.md), each named after its device, become text in the target: what src/registry/tuned/ holds,
# in the library; of a target with the property gpuopt_only_kernels the lines that speak of those kernels.
function(gpuopt_add_tuned_tables target folder)
  file(GLOB tables CONFIGURE_DEPENDS ${folder}/*.tune)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tables})
  list(SORT tables)
  get_target_property(stems ${target} gpuopt_only_kernels)
  set(GPUOPT_TUNED_ROWS "")
  set(GPUOPT_TUNED_LINES "")
  foreach(table IN LISTS tables)
    get_filename_component(device ${table} NAME_WLE)
    file(READ ${table} text)
    if(stems)
      gpuopt_tuned_lines(text "${stems}" ${table})
    endif()
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\",\n    \"" text "${text}")  # a literal a line
    string(APPEND GPUOPT_TUNED_LINES "const char *const ${device}[] = {\n    \"${text}\", nullptr};\n")
    string(APPEND GPUOPT_TUNED_ROWS "    {\"${device}\", ${device}},\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/src/registry/tuning/shipped_tables.cpp.in
                 ${CMAKE_CURRENT_BINARY_DIR}/generated/shipped_tables.cpp @ONLY)
  # Its own file of the archive: a program may bring tables instead.
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/generated/shipped_tables.cpp
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/shipped_tables.cpp)
endfunction()

# gpuopt_tuned_lines(<result> <stems> <table>): the text of a table without comments and without what can tell a build nothing that
# has only the kernels of some files: an entry that chooses another, or times of less than two of them.
function(gpuopt_tuned_lines result stems table)
  list(JOIN stems "|" stems)
  file(STRINGS ${table} lines REGEX "^(gpuopt tune|(exact|class) .* kernel=(${stems})|measured .* time=[^ ]*:(${stems}).* time=[^ ]*:(${stems}))")
  list(JOIN lines "\n" text)
  set(${result} "${text}\n" PARENT_SCOPE)
endfunction()
