# Sources of one folder compiled together, a few at a time: most of a small source's compile time is
# what it has in common with its neighbours. Names in them must then differ within a folder, also
# those of anonymous namespaces. RATTLEBACK_UNITY=OFF compiles each by itself, as clang-tidy needs it.
option(RATTLEBACK_UNITY "Compile small sources several at a time" ON)

# compile_together(TARGET NAME COUNT SOURCE...): so many of these at a time; NAME is unique to the list.
function(compile_together target name count)
  if(NOT RATTLEBACK_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(place 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${place} / ${count}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
    math(EXPR place "${place} + 1")
  endforeach()
endfunction()
