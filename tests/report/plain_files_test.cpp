// Runs as CSV and as NumPy arrays.
#include <cstdlib>
#include <fstream>

#include "run_checks.hpp"

namespace rattleback::testing {
namespace {

TEST(PlainFiles, csv_reads_back_to_the_same_doubles) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  MemorySink memory(run.header());
  (void)run.to(memory);
  (void)run.to(folder / "a.csv");
  std::ifstream file(folder / "a.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "t,q1,q2,p_q1,p_q2,energy,constraint,hidden,newton,lambda_1");
  long rows = 0;
  for (; std::getline(file, line); ++rows) {
    std::vector<double> numbers;
    for (const char* at = line.c_str(); *at;) {
      char* end = nullptr;
      numbers.push_back(std::strtod(at, &end));
      at = *end == ',' ? end + 1 : end;
    }
    ASSERT_EQ(numbers.size(), 10u);
    EXPECT_EQ(numbers[0], memory.data().time[rows]);
    EXPECT_EQ(numbers[1], memory.data().field("q")(rows, 0));
    EXPECT_EQ(numbers[4], memory.data().field("p")(rows, 1));
    EXPECT_EQ(numbers[5], memory.data().energy[rows]);
    EXPECT_TRUE(rows == 0 || numbers[9] == memory.data().multipliers(rows, 0));
  }
  EXPECT_EQ(rows, 101);
}

TEST(PlainFiles, npy_holds_the_shape_and_the_numbers) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  MemorySink memory(run.header());
  (void)run.to(memory);
  (void)run.to(folder / "a.npy");
  std::ifstream file(folder / "a.npy", std::ios::binary);
  std::string header(128, ' ');
  file.read(header.data(), 128);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_NE(header.find("'shape': (101, 10)"), std::string::npos);
  std::vector<double> numbers(1010);
  file.read(reinterpret_cast<char*>(numbers.data()), 8080);
  ASSERT_TRUE(file.good());
  EXPECT_EQ(file.peek(), EOF);
  for (long row = 0; row < 101; ++row) {
    EXPECT_EQ(numbers[10 * row], memory.data().time[row]);
    EXPECT_EQ(numbers[10 * row + 2], memory.data().field("q")(row, 1));
    EXPECT_EQ(numbers[10 * row + 8], static_cast<double>(memory.data().newton[row]));
  }
}

TEST(PlainFiles, a_full_disk_is_said) {
  SampleRun run("planar_pendulum");
  EXPECT_EQ(message([&] { (void)make_csv_sink("/dev/full", run.header()); }),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(message([&] { (void)make_npy_sink("/dev/full", run.header()); }),
            "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace rattleback::testing
