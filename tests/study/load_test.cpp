// Models are found by ending and kind, from one table.
#include <filesystem>
#include <fstream>

#include "models.hpp"

namespace rattleback::study {
namespace {

TEST(Load, a_model_file_with_its_settings) {
  const ModelFile file = load(example("pendulum"), {{"g0", "3"}});
  EXPECT_EQ(file.system.name, "planar pendulum");
  EXPECT_EQ(file.parameters.at("g0").at(0), 3);
}

TEST(Load, an_unknown_ending_is_refused_with_those_that_are_known) {
  const std::string said = thrown<TextError>([] { (void)load_text(pendulum(), "robot.urdg", {}); });
  expect_words(said, "robot.urdg: ");
  expect_words(said, "'.urdg'");
  for (const Format& format : formats()) expect_words(said, format.ending);
  expect_words(thrown<TextError>([] { (void)load_text("", "a.tml", {}); }),
               "did you mean '.toml'?");
}

TEST(Load, what_has_no_ending_is_toml) {
  EXPECT_EQ(load_text(pendulum(), "/dev/fd/63").system.coordinates.size(), 2U);
}

TEST(Load, a_missing_file_is_called_missing_whatever_its_ending) {
  for (const char* path : {"none.toml", "none.urdf", "none"})
    expect_words(thrown<TextError>([&] { (void)load(path); }), "there is no such file");
}

TEST(Load, an_unknown_kind_is_refused_at_its_place_with_those_that_are_known) {
  const std::string text = "[model]\nname = \"a\"\nkind = \"expresions\"\n";
  const std::string said = thrown<TextError>([&] { (void)load_text(text, "a.toml"); });
  expect_words(said, "a.toml:3:8: unknown kind of model 'expresions'");
  expect_words(said, "did you mean 'expressions'?");
  for (const Format& format : formats())
    if (format.ending == ".toml") expect_words(said, format.kind);
  expect_words(thrown<TextError>([] { (void)load_text("[model]\nkind = 3\n", "a.toml"); }),
               "a.toml:2:8: 'kind' must be a string");
}

TEST(Load, the_usual_kind_may_be_said) {
  std::string text = pendulum();
  text.insert(text.find('\n') + 1, "kind = \"expressions\"\n");
  EXPECT_EQ(load_text(text, "a.toml").system.constraints.size(), 1U);
}

}  // namespace
}  // namespace rattleback::study
