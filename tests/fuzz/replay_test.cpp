// What ./dev fuzz starts from and what it once found, without clang: nothing may crash or hang.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

void fuzz_expression(std::string_view input);
void fuzz_model(std::string_view input);
void fuzz_robot(std::string_view input);

namespace {

template <class Target>
int replay(const std::string& corpus, Target target) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(
           std::filesystem::path(RATTLEBACK_SOURCE_DIR) / "tests/fuzz/corpus" / corpus)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(stream), {});
    // Also cut and doubled, which costs nothing.
    for (std::size_t length = 0; length <= input.size(); ++length)
      target(std::string_view(input).substr(0, length));
    target(input + input);
    ++count;
  }
  return count;
}

}  // namespace

TEST(Fuzz, ReplayOfExpressions) { EXPECT_GE(replay("expression", fuzz_expression), 10); }
TEST(Fuzz, ReplayOfModels) { EXPECT_GE(replay("model", fuzz_model), 9); }
TEST(Fuzz, ReplayOfRobots) { EXPECT_GE(replay("robot", fuzz_robot), 10); }
