# Installs the build into a fresh prefix, moves that prefix, and builds and runs the consumer from
# there twice: with find_package, and with the flags pkg-config gives. No warning may be seen.
cmake_minimum_required(VERSION 3.22)

function(run)
  string(JOIN " " command ${ARGV})
  message(STATUS "${command}")
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  message(STATUS "${out}")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${command}")
  endif()
  if(out MATCHES "warning:")
    message(FATAL_ERROR "warnings from: ${command}")
  endif()
endfunction()

set(source ${CMAKE_CURRENT_LIST_DIR})
set(strict "-O2 -Wall -Wextra")
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
file(RENAME ${WORK_DIR}/first ${prefix})

# LIBDIR is what the build was configured with: lib, or lib/<architecture>.
run(${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${strict}" -Drattleback_DIR=${prefix}/${LIBDIR}/cmake/rattleback)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs rattleback
  RESULT_VARIABLE code OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "pkg-config does not know rattleback")
endif()
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(strict)
run(${CXX} ${strict} ${source}/main.cpp -o ${WORK_DIR}/consumer_pkg_config ${flags})
run(${WORK_DIR}/consumer_pkg_config)
