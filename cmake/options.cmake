# march: the option that names the processor, or nothing.
set(march "")
if(RATTLEBACK_MARCH)
  set(march -march=${RATTLEBACK_MARCH})
endif()

# rattleback_options: the warnings and sanitizers of our own targets; never exported.
add_library(rattleback_options INTERFACE)
target_compile_options(rattleback_options INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual
  -Wno-missing-field-initializers  # g++ 12 means designated initializers too, our option structs
  # g++ 12 misreads Eigen's fixed-size copies and std::string.
  -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
  -Werror=return-type -Werror=unused-result -Werror=delete-non-virtual-dtor)
# g++ 12 minds vectors that are moved before they are set, as members of small structs are here, and
# Eigen's own for AVX-512; the pragmas of problem/eigen.hpp do not reach through precompiled headers.
# clang-tidy and the sanitizers look for what is truly not set.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(rattleback_options INTERFACE -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
# g++ collects garbage at every doubling of 128 MB; without it compilers take 5 to 8 % less time, and
# up to a gigabyte.
target_compile_options(rattleback_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=2000000>)
include(unity)
if(RATTLEBACK_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Sources compiled together are to g++ what headers are, where it minds anonymous namespaces.
  target_compile_options(rattleback_options INTERFACE -Wno-subobject-linkage)
endif()
if(RATTLEBACK_SANITIZE)
  target_compile_options(rattleback_options INTERFACE
    -fsanitize=${RATTLEBACK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(rattleback_options INTERFACE -fsanitize=${RATTLEBACK_SANITIZE})
endif()
