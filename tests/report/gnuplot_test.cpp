// Texts in pictures: whatever they contain, gnuplot sees digits.
#include "../../src/report/gnuplot.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "rattleback/report/plot.hpp"
#include "sample_run.hpp"

namespace rattleback::testing {
namespace {

using detail::gnuplot_text;

/// What gnuplot makes of "\ooo...".
std::string decoded(const std::string& quoted) {
  std::string text;
  for (std::size_t i = 1; i + 1 < quoted.size(); i += 4)
    text += static_cast<char>(std::stoi(quoted.substr(i + 1, 3), nullptr, 8));
  return text;
}

TEST(Gnuplot, texts_are_digits_and_nothing_else) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const std::string quoted = gnuplot_text(text);
    ASSERT_EQ(quoted.front(), '"');
    ASSERT_EQ(quoted.back(), '"');
    ASSERT_EQ(quoted.find_first_not_of("\\01234567", 1), quoted.size() - 1) << quoted;
    ASSERT_EQ(quoted.size() % 4, 2u);
  }
}

TEST(Gnuplot, texts_are_shown_as_they_are_where_a_picture_can_hold_them) {
  for (const std::string text : {"", "a 'b' \"c\" `d` |e| <f> {g}_h ^i @j $k \\n \\101 %s",
                                 "grün ·", "\u65e5\u672c", "\U0001f980"})
    EXPECT_EQ(decoded(gnuplot_text(text)), text);
  EXPECT_EQ(decoded(gnuplot_text(std::string("a\nb\tc\0d", 7))), "a b c d");
  EXPECT_EQ(decoded(gnuplot_text("a\xff\xc3(\x7f")), "a\ufffd\ufffd(\ufffd");
  EXPECT_EQ(decoded(gnuplot_text("\xed\xa0\x80")), "\ufffd\ufffd\ufffd");  // a surrogate
  EXPECT_EQ(decoded(gnuplot_text("\xef\xbf\xbf")), "\ufffd\ufffd\ufffd");  // not in XML
  EXPECT_EQ(decoded(gnuplot_text("\xe2\x82")), "\ufffd\ufffd");            // cut off
  EXPECT_EQ(decoded(gnuplot_text(std::string(500, 'x'))), std::string(160, 'x') + "…");
}

TEST(Gnuplot, labels_titles_and_curves_run_nothing) {
  const Folder folder;
  const std::string canary = folder / "canary", command = "touch " + canary;
  SampleRun sample("double_pendulum");
  sample.options = {.step = 0.02, .steps = 50, .every = 1};
  MemorySink sink(sample.header());
  (void)sample.to(sink);
  const std::vector<std::string> nasties{
      "`" + command + "`",    "'; system('" + command + "') #", "\"; system(\"" + command + "\") #",
      "\n!" + command + "\n", "'\n!" + command + "\n'",         "|" + command,
      "<" + command,          "EOD\n!" + command + "\n",        "\\\n!" + command,
      "\x1b\xff\xc3",         "@ARG1 $0 ${x} {a}_b </svg>"};
  for (const std::string& nasty : nasties) {
    RunData run = sink.data();
    run.header.model = run.header.method = nasty;
    auto& labels = run.header.layout.fields[0].labels;
    const std::string x = nasty + "x", y = nasty + "y";
    labels = {x + "_1", y + "_1", x + "_2", y + "_2"};
    for (const std::string ending : {".svg", ".png"}) {
      plot_run(run, folder / ("families" + ending));
      plot_run(run, folder / ("named" + ending), {.axes = {labels[0], labels[3]}, .title = nasty});
      EXPECT_GT(std::filesystem::file_size(folder / ("families" + ending)), 8000u);
      EXPECT_GT(std::filesystem::file_size(folder / ("named" + ending)), 8000u);
    }
    EXPECT_FALSE(std::filesystem::exists(canary)) << nasty;
  }
}

/// Where it would find files, drivers and fonts, and what it would draw on.
TEST(Gnuplot, is_not_told_what_the_user_set_for_it) {
  const Folder folder;
  const std::string program = folder / "draws", picture = folder / "a.svg";
  std::ofstream(program) << "#!/bin/sh\nenv\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ::setenv("GNUTERM", "dumb", 1);
  ::setenv("GNUPLOT_LIB", "/nowhere", 1);
  detail::draw_picture(picture, program, "");
  ::unsetenv("GNUTERM");
  ::unsetenv("GNUPLOT_LIB");
  std::ifstream file(picture);
  const std::string told(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(told.find("PATH="), std::string::npos);
  EXPECT_EQ(told.find("GNU"), std::string::npos) << told;
}

TEST(Gnuplot, the_name_of_the_picture_is_not_in_the_script) {
  SampleRun sample("planar_pendulum");
  MemorySink sink(sample.header());
  (void)sample.to(sink);
  const std::string script = plot_script(sink.data(), "|touch pwned.svg");
  EXPECT_EQ(script.find("pwned"), std::string::npos);
  EXPECT_EQ(script.find("set output"), std::string::npos);
}

}  // namespace
}  // namespace rattleback::testing
