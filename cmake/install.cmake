# Installed tree: headers, library, CMake package (find_package(rattleback)) and pkg-config file.
# Both may be moved after installation: they find their prefix from where they are.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rattleback)
install(TARGETS rattleback rattleback_testing EXPORT rattleback_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp")
install(EXPORT rattleback_targets NAMESPACE rattleback:: DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rattleback-config.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/rattleback-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/rattleback-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/rattleback-config.cmake
  ${PROJECT_BINARY_DIR}/cmake/rattleback-config-version.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH pc_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
set(pc_cflags "-std=gnu++20")
list(JOIN HDF5_LINK_LIBRARIES " " pc_hdf5)
set(pc_libs "-L\${libdir} -lrattleback_testing -lrattleback -ltbb -lquadmath ${pc_hdf5} -lpugixml")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  string(APPEND pc_cflags " -Wno-psabi")
endif()
string(APPEND pc_cflags " ${march}")
if(RATTLEBACK_HAS_METIS)
  string(APPEND pc_cflags " -DRATTLEBACK_HAS_METIS=1")
  string(APPEND pc_libs " -lmetis")
endif()
if(ASMJIT_LIBRARY)
  string(APPEND pc_libs " -lasmjit")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/rattleback.pc.in ${PROJECT_BINARY_DIR}/cmake/rattleback.pc
  @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/rattleback.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
