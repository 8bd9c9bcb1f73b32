// Families, their options and the methods found by specification.
#include "rattleback/integrators/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rattleback {
namespace {

std::string refusal_of(const std::string& specification,
                       const std::vector<std::string>& also = {}) {
  try {
    return "found " + find_method(specification, also).info().name;
  } catch (const InputError& error) {
    return error.what();
  }
}

struct MakeNothing {
  template <class S>
  AnyStepperPointer<S> operator()(const Values&, const AnySystem&, const SolveOptions&) const {
    return nullptr;
  }
};

/// One option of each type, and one that belongs to a word of another.
Family sample_family() {
  Option kind = word_option("kind", "of all kinds", {"plain", "curved"});
  kind.in_name = true;
  return {
      .name = "sample",
      .text = "to test with",
      .options = {kind,
                  {.name = "stages", .standard = 2L, .samples = {1L, 3L}, .least = 1, .most = 9},
                  {.name = "theta",
                   .standard = 0.5,
                   .samples = {0.25},
                   .least = 0,
                   .most = 1,
                   .only_with = {"kind", "curved"}},
                  {.name = "c", .standard = std::vector<double>{1}, .least = -10}},
      .claims = [](const Values& v) -> Claims {
        if (v.whole("stages") == 3) return Refusal{"three stages are too many"};
        return MethodInfo{.order = static_cast<int>(v.whole("stages"))};
      },
      .make = MakeNothing{}};
}

TEST(Options, AreReadByTheirTypes) {
  const Family family = sample_family();
  const auto reads = [&](const char* option, const char* text) {
    const auto value = family.find(option)->read(text);
    return value ? to_string(*value) : "refused";
  };
  EXPECT_EQ(reads("kind", "curved"), "curved");
  EXPECT_EQ(reads("kind", "Curved"), "refused");
  EXPECT_EQ(reads("stages", "9"), "9");
  for (const char* wrong : {"0", "10", "2.5", "1e0", "", "two", "+3", " 3", "99999999999999999999"})
    EXPECT_EQ(reads("stages", wrong), "refused") << wrong;
  EXPECT_EQ(reads("theta", "0.1"), "0.1");
  EXPECT_EQ(reads("theta", "1e-3"), "0.001");
  for (const char* wrong : {"-0.1", "1.1", "nan", "inf", "0.1x", "[0.1]", "1e999"})
    EXPECT_EQ(reads("theta", wrong), "refused") << wrong;
  EXPECT_EQ(reads("c", "[0.1;-2;1e300]"), "[0.1;-2;1e+300]");
  EXPECT_EQ(reads("c", "[]"), "[]");
  for (const char* wrong : {"0.1", "[1;]", "[;1]", "[1", "1]", "[1,2]", "[1;-11]", "[a]", "["})
    EXPECT_EQ(reads("c", wrong), "refused") << wrong;
}

TEST(Options, NumbersReadBackTheSame) {
  const Family family = sample_family();
  for (const double number : {1.0 / 3, 0.1, 5e-324, 0.30000000000000004}) {
    const auto back = family.find("theta")->read(to_string(OptionValue(number)));
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(std::get<double>(*back), number);
  }
}

TEST(Options, OfAnotherTypeOrNameAreMistakesOfTheProgram) {
  const Values values = sample_family().values();
  EXPECT_THROW((void)values.word("stages"), std::logic_error);
  EXPECT_THROW((void)values.number("thetta"), std::logic_error);
}

TEST(Families, NameWhatIsNotStandard) {
  const Family family = sample_family();
  EXPECT_EQ(family.name_of(family.values()), "sample:kind=plain");
  EXPECT_EQ(family.name_of(family.values({{"stages", 1L}, {"c", std::vector<double>{0.5, 0.5}}})),
            "sample:kind=plain,stages=1,c=[0.5;0.5]");
}

TEST(Families, RefuseWithTheReason) {
  const Family family = sample_family();
  const auto reason = [&](const Values& chosen) {
    const Claims claims = claims_of(family, family.values(chosen));
    return std::holds_alternative<Refusal>(claims) ? std::get<Refusal>(claims).reason : "";
  };
  EXPECT_EQ(reason({}), "");
  EXPECT_EQ(reason({{"stages", 3L}}), "three stages are too many");
  EXPECT_EQ(reason({{"theta", 0.25}}), "'theta' belongs to kind=curved, and kind is 'plain'");
  EXPECT_EQ(reason({{"theta", 0.25}, {"kind", "curved"}}), "");
  try {
    const Method method(family, family.values({{"stages", 3L}}));
    FAIL() << method.info().name;
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "method: 'sample:kind=plain,stages=3' is refused: three stages are too many");
  }
}

TEST(Methods, AreFoundBySpecification) {
  EXPECT_EQ(find_method("rattle").info().name, "rattle:base=verlet");
  EXPECT_EQ(find_method("rattle:project=output,base=midpoint").info().name,
            "rattle:base=midpoint,project=output");
  EXPECT_EQ(find_method("rattle:base=verlet,project=every"), find_method("rattle"));
  EXPECT_NE(find_method("rattle:project=output"), find_method("rattle"));
  EXPECT_NE(find_method("shake"), find_method("rattle"));
  EXPECT_EQ(find_method("rattle").with("base", "midpoint"), find_method("rattle:base=midpoint"));
}

TEST(Methods, AreRefusedBySpecification) {
  EXPECT_EQ(refusal_of("rattle:base"),
            "method: expected option=value, got 'base' in 'rattle:base'");
  EXPECT_EQ(refusal_of("rattle:base=verlet,base=verlet"),
            "method: option 'base' is given twice in 'rattle:base=verlet,base=verlet'");
  EXPECT_NE(refusal_of("shake:bse=verlet").find("did you mean 'base'?"), std::string::npos);
  EXPECT_NE(refusal_of("shake:base=verlett").find("did you mean 'verlet'?"), std::string::npos);
  EXPECT_NE(refusal_of("ratle").find("did you mean 'rattle'?"), std::string::npos);
  EXPECT_EQ(refusal_of("atuo").find("auto"), std::string::npos);
  EXPECT_NE(refusal_of("atuo", {"auto"}).find("did you mean 'auto'?"), std::string::npos);
}

/// One at a time would skip a sample that is refused with the others at their standard.
TEST(Methods, OfTheLawsHaveEverySample) {
  for (const Family& family : families())
    for (const Option& option : family.options)
      for (const OptionValue& sample : option.law_samples()) {
        const auto& all = law_methods();
        EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                                [&](const Method& m) {
                                  return &m.family() == &family &&
                                         m.values().at(option.name) == sample;
                                }))
            << family.name << ": no law runs " << option.name << "=" << to_string(sample);
      }
}

TEST(Methods, AreNamedSoThatTheyAreFoundAgain) {
  for (const Method& method : law_methods())
    EXPECT_EQ(find_method(method.info().name), method) << method.info().name;
}

}  // namespace
}  // namespace rattleback
