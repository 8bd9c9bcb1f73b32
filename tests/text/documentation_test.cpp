// Every example of docs/model_files.md is read: whole files as they are, parts after a [model].
#include <gtest/gtest.h>

#include <fstream>
#include <rattleback/study/load.hpp>

namespace rb = rattleback;

TEST(Documentation, ItsExamplesAreRead) {
  std::ifstream page(RATTLEBACK_SOURCE_DIR "/docs/model_files.md");
  ASSERT_TRUE(page);
  int count = 0;
  std::string example;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```toml") {
      inside = true;
      example.clear();
    } else if (inside && line == "```") {
      inside = false;
      ++count;
      EXPECT_NO_THROW(
          try {
            (void)rb::study::load_text(example, "example.toml");
          } catch (const rb::Error& error) {
            ADD_FAILURE() << error.what();
            throw;
          });
    } else if (inside) {
      example += line + '\n';
    }
  }
  EXPECT_GE(count, 5);
}
