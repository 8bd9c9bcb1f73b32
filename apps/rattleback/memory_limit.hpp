// Memory that is not there is refused when it is asked for; otherwise the system ends the program
// later, and whatever else it likes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rattleback::app {

class OutOfMemory : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// No more than is free now, in the machine or in the control group.
void limit_memory();

/// "out of memory: ..." with what the limit was.
std::string out_of_memory();

/// Throws OutOfMemory where what the file describes will need more than is left.
void require_memory(const std::string& path, std::uint64_t bytes);

/// "1.2 GB", "35 MB"
std::string bytes_in_words(double bytes);

}  // namespace rattleback::app
