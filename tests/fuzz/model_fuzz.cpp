// Any bytes as a model file: it is read, or refused.
#include <cstdint>
#include <string>

#include "../../src/text/file.hpp"
#include "../../src/text/reader.hpp"

namespace rb = rattleback;

namespace {

/// Stands for the registry, which would be most of the program.
const rb::text::MethodCheck& methods() {
  static const rb::text::MethodCheck check{
      .check =
          [](const std::string& specification) {
            if (!specification.starts_with("rattle"))
              throw rb::InputError("method", "unknown method");
          },
      .option =
          [](const std::string&, const std::string& name) {
            static const rb::Option base = rb::word_option("base", "", {"verlet", "midpoint"});
            return name == base.name ? &base : nullptr;
          }};
  return check;
}

}  // namespace

void fuzz_model(std::string_view input) {
  constexpr long largest = 5000;
  try {
    const rb::text::Source source("fuzz", rb::text::checked_text(input, "fuzz"));
    const rb::ModelFile file = rb::text::Reader(source, {}, methods(), largest).read();
    if (!file.sweep) return;
    for (const long member : {0L, file.sweep->size() - 1}) {
      file.sweep->settings(member);
      if (file.initial) file.sweep->start(member, *file.initial);
    }
  } catch (const rb::TextError&) {
  }
}

#ifdef RATTLEBACK_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz_model({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
