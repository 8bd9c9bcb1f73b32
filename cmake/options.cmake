# rattleback_options: the warnings and sanitizers of our own targets; never exported.
add_library(rattleback_options INTERFACE)
target_compile_options(rattleback_options INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual
  -Wno-missing-field-initializers  # g++ 12 means designated initializers too, our option structs
  -Wno-array-bounds -Wno-restrict  # g++ 12 misreads Eigen's fixed-size copies and std::string
  -Werror=return-type -Werror=unused-result -Werror=delete-non-virtual-dtor)
if(RATTLEBACK_SANITIZE)
  target_compile_options(rattleback_options INTERFACE
    -fsanitize=${RATTLEBACK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(rattleback_options INTERFACE -fsanitize=${RATTLEBACK_SANITIZE})
endif()
