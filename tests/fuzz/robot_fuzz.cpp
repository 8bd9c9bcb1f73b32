// Any bytes as a robot file: read and made bodies of, or refused.
#include <cstdint>
#include <string>
#include <string_view>

#include "rattleback/text/robot.hpp"

namespace rb = rattleback;

void fuzz_robot(std::string_view input) {
  try {
    const rb::RobotFile file = rb::parse_robot(input, "fuzz", {.drop = {"all"}});
    if (file.robot.joints.size() > 30) return;  // closing loops takes their number cubed
    const rb::Mechanism m = rb::mechanism_of(file.robot);
    for (const auto& coordinate : m.coordinates) {
      (void)rb::value_of(coordinate, m.bodies);
      (void)rb::velocity_of(coordinate, m.bodies);
    }
    for (const auto& link : m.links) (void)rb::frame_of(link, m.bodies);
  } catch (const rb::Error&) {
  }
}

#ifdef RATTLEBACK_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz_robot({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
