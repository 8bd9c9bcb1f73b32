#include "memory_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>

namespace rattleback::app {

namespace {

/// The number after this word in a file of the kernel's, in bytes.
std::optional<double> bytes(const char* file, const std::string& word) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line))
    if (line.starts_with(word)) return 1024 * std::atof(line.c_str() + word.size());
  return std::nullopt;
}

/// A file that holds one number; "max" is none.
std::optional<double> number(const char* file) {
  std::ifstream stream(file);
  double value = 0;
  return stream >> value ? std::optional(value) : std::nullopt;
}

double free_memory() {
  double free =
      bytes("/proc/meminfo", "MemAvailable:").value_or(std::numeric_limits<double>::infinity());
  const auto most = number("/sys/fs/cgroup/memory.max");
  const auto taken = number("/sys/fs/cgroup/memory.current");
  if (most && taken) free = std::min(free, std::max(0.0, *most - *taken));
  return free;
}

}  // namespace

void limit_memory() {
  rlimit limit{};
  const auto taken = bytes("/proc/self/status", "VmData:");
  if (!taken || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const double most = *taken + free_memory();
  if (!(most < static_cast<double>(std::numeric_limits<long>::max()))) return;
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(most));
  ::setrlimit(RLIMIT_DATA, &limit);
}

std::string bytes_in_words(double bytes) {
  char text[40];
  const bool many = bytes >= 1e9;
  std::snprintf(text, sizeof text, "%.3g %s", bytes / (many ? 1e9 : 1e6), many ? "GB" : "MB");
  return text;
}

std::string out_of_memory() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "out of memory";
  return "out of memory: more than " + bytes_in_words(static_cast<double>(limit.rlim_cur)) +
         " would be needed";
}

void require_memory(const std::string& path, std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const double taken = rattleback::app::bytes("/proc/self/status", "VmData:").value_or(0);
  const double left = static_cast<double>(limit.rlim_cur) - taken;
  if (static_cast<double>(bytes) > left)
    throw OutOfMemory(path + ": out of memory: about " +
                      bytes_in_words(static_cast<double>(bytes)) + " will be needed, and " +
                      bytes_in_words(std::max(left, 0.0)) + " are free");
}

}  // namespace rattleback::app
