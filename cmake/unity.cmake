# Sources compiled together, a few at a time: most of a source's compile time is what it has in common
# with its neighbours. Names in them must then differ within a folder, also those of anonymous
# namespaces. RATTLEBACK_UNITY=OFF compiles each by itself.
option(RATTLEBACK_UNITY "Compile sources several at a time" ON)

# compile_together(TARGET NAME COUNT PATTERN): so many at a time of TARGET's sources that match and are
# in no group yet, nor have options of their own (SKIP_UNITY_BUILD_INCLUSION).
function(compile_together target name count pattern)
  if(NOT RATTLEBACK_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX ${pattern})
  set(place 0)
  foreach(source IN LISTS sources)
    get_source_file_property(group ${source} UNITY_GROUP)
    get_source_file_property(apart ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(group OR apart)
      continue()
    endif()
    math(EXPR group "${place} / ${count}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
    math(EXPR place "${place} + 1")
  endforeach()
endfunction()
