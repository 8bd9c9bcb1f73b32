// Model files: what they become.
#include <gtest/gtest.h>

#include <cmath>
#include <rattleback/text/model.hpp>

namespace rb = rattleback;
using Form = rb::SystemDescription::Form;
using Numbers = std::vector<double>;

namespace {

std::string written(const rb::ModelFile& file, rb::Expression e) {
  return file.system.graph->text(e, [&](int i) { return file.system.input_name(i); });
}

std::vector<std::string> written(const rb::ModelFile& file,
                                 const std::vector<rb::Expression>& all) {
  std::vector<std::string> texts;
  for (const rb::Expression e : all) texts.push_back(written(file, e));
  return texts;
}

rb::ModelFile parse(const std::string& text, const rb::Settings& settings = {}) {
  return rb::parse_model(text, "test.toml", settings);
}

using Words = std::vector<std::string>;

const char* const chain = R"toml(
[model]
coordinates = ["x[1..N]", "y[1..N]"]
parameters  = { N = 3, g0 = 2, L = "1/N", m = [1, 2, 4] }
mass        = ["m[i]"]
potential   = "sum(i, 1, N, m[i]*g0*y[i])"
constraints = [
  "x[1]^2 + y[1]^2 - L^2",
  "each(i, 2, N, (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - L^2)",
]
[initial]
q = { x = "L*i", y = 0 }
)toml";

}  // namespace

TEST(Models, ThePendulum) {
  const auto file = rb::read_model(RATTLEBACK_SOURCE_DIR "/examples/pendulum.toml");
  EXPECT_EQ(file.system.name, "planar pendulum");
  EXPECT_EQ(file.system.form, Form::natural);
  EXPECT_EQ(file.system.coordinates, (Words{"x", "y"}));
  EXPECT_EQ(written(file, file.system.mass), (Words{"1", "1"}));
  EXPECT_EQ(written(file, file.system.potential), "y");
  EXPECT_EQ(written(file, file.system.constraints), (Words{"0.5*(x*x + y*y - 1)"}));
  EXPECT_EQ(file.system.constraint_labels, (Words{"(x^2 + y^2 - L^2)/2"}));
  EXPECT_EQ(file.parameters.at("g0"), Numbers{1});
  EXPECT_EQ(file.initial->q, (Numbers{1, 0}));
  EXPECT_EQ(file.initial->p, (Numbers{0, -2}));
  EXPECT_TRUE(file.initial->v.empty());
  EXPECT_EQ(file.method->specification, "rattle");
  EXPECT_EQ(file.run.step, 0.01);
  EXPECT_EQ(file.run.steps, 1'000'000);
}

TEST(Models, Families) {
  const auto file = parse(chain);
  EXPECT_EQ(file.system.coordinates, (Words{"x[1]", "x[2]", "x[3]", "y[1]", "y[2]", "y[3]"}));
  EXPECT_EQ(written(file, file.system.mass), (Words{"1", "2", "4", "1", "2", "4"}));
  EXPECT_EQ(written(file, file.system.potential), "2*y[1] + 4*y[2] + 8*y[3]");
  EXPECT_EQ(file.system.constraints.size(), 3u);
  EXPECT_EQ(file.system.constraint_labels[0], "x[1]^2 + y[1]^2 - L^2");
  EXPECT_EQ(file.system.constraint_labels[2],
            "(x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - L^2 at i = 3");
  EXPECT_EQ(file.initial->q, (Numbers{1.0 / 3, 1.0 / 3 * 2, 1.0 / 3 * 3, 0, 0, 0}));
  EXPECT_EQ(file.initial->p, Numbers(6, 0));  // at rest
}

TEST(Models, SettingsReplaceParameters) {
  const auto file = parse(chain, {{"N", "2"}, {"m", "[3, g0]"}, {"g0", "5*N"}});
  EXPECT_EQ(file.system.dimension(), 4);
  EXPECT_EQ(file.parameters.at("m"), (Numbers{3, 10}));
  EXPECT_EQ(file.parameters.at("L"), Numbers{0.5});
}

TEST(Models, LongChainsTakeWorkInProportion) {
  const auto nodes = [](int links) {
    std::string masses = "[1";
    for (int i = 1; i < links; ++i) masses += ", 1";
    const auto file = parse(chain, {{"N", std::to_string(links)}, {"m", masses + "]"}});
    EXPECT_EQ(file.system.constraints.size(), links);
    return file.system.graph->size();
  };
  EXPECT_LE(nodes(2000), 2 * nodes(1000));
}

TEST(Models, StartsByFamilies) {
  const auto start = [](const std::string& q) {
    return parse(
               "[model]\ncoordinates = ['x[0..2]', 'z']\nparameters = { L = 2 }\n"
               "hamiltonian = 'z'\n[initial]\nq = " +
               q + "\n")
        .initial->q;
  };
  EXPECT_EQ(start("[1, 'L', 3, '-L^2']"), (Numbers{1, 2, 3, -4}));
  EXPECT_EQ(start("{ z = 7, x = 'L*i' }"), (Numbers{0, 2, 4, 7}));
  EXPECT_EQ(start("{ x = [1, 2, 'L + 1'], z = '1/L' }"), (Numbers{1, 2, 3, 0.5}));
}

TEST(Models, ForceOfHabit) {  // byte order mark, CRLF, dotted keys, comments
  const auto file = parse(
      "\xef\xbb\xbf[model]\r\nname = 'θ'\r\ncoordinates = ['θ']  # Greek\r\n"
      "hamiltonian = \"\"\"\r\np_θ^2/2 \\\r\n + a*θ\"\"\"\r\nparameters.a = 3\r\n");
  EXPECT_EQ(written(file, file.system.hamiltonian), "0.5*(p_θ*p_θ) + 3*θ");
  EXPECT_EQ(file.system.name, "θ");
}

TEST(Models, Lagrangian) {
  const auto file = parse(R"(
[model]
coordinates = ["x", "y"]
lagrangian = "x_dot^2/2 - y_dot*x"
constraints = ["y_dot - x"]
[initial]
q = [0, 1]
)");
  EXPECT_EQ(file.system.form, Form::lagrangian);
  EXPECT_EQ(written(file, file.system.lagrangian), "0.5*(x_dot*x_dot) - y_dot*x");
  EXPECT_EQ(written(file, file.system.constraints), Words{"y_dot - x"});
  EXPECT_TRUE(file.initial->p.empty());
  EXPECT_EQ(file.initial->v, (Numbers{0, 0}));
}

TEST(Models, VelocitiesInConstraintsBecomeMomenta) {
  const std::string start = "[model]\ncoordinates = ['x', 'y']\nconstraints = ['x_dot - y']\n";
  const auto natural = parse(start + "mass = [4, 1]\npotential = '0'\n");
  EXPECT_EQ(written(natural, natural.system.constraints), Words{"0.25*p_x - y"});
  const auto hamiltonian = parse(start + "hamiltonian = 'x*p_x^2'\n");
  const rb::Expression g = hamiltonian.system.constraints[0];
  EXPECT_EQ(hamiltonian.system.graph->inputs_of(g), (std::vector<int>{0, 1, 2}));
  const auto full = parse(start + "mass = [[2, 1], [1, 2]]\npotential = '0'\n");
  EXPECT_EQ(written(full, full.system.constraints), Words{"x_dot - y"});
}

TEST(Models, Masses) {
  const auto mass = [](const std::string& text) {
    const auto file = parse(
        "[model]\ncoordinates = ['x[0..1]', 'z']\nparameters = { m = [5, 6] }\nmass = " + text +
        "\npotential = 'z'\n");
    return written(file, file.system.mass);
  };
  EXPECT_EQ(mass("[2]"), (Words{"2", "2", "2"}));
  EXPECT_EQ(mass("['m[i+1]', 7]"), (Words{"5", "6", "7"}));
  EXPECT_EQ(mass("[1, '1 + z^2', 3]"), (Words{"1", "1 + z*z", "3"}));
  EXPECT_EQ(mass("[[2, 'z', 0], ['z', 2, 0], [0, 0, 1]]"),
            (Words{"2", "z", "0", "z", "2", "0", "0", "0", "1"}));
}

TEST(Models, MethodsAndRuns) {
  const std::string start = "[model]\ncoordinates = ['x']\nhamiltonian = 'p_x^2'\n";
  const auto file = parse(start +
                          "[method]\nname = 'rattle'\nbase = 'midpoint'\nproject = 'output'\n"
                          "[run]\nstep = 'pi/100'\ntime = 10\nevery = 5\ntolerance = 1e-12\n");
  EXPECT_EQ(file.method->specification, "rattle:base=midpoint,project=output");
  EXPECT_EQ(file.method->position.line, 5);
  EXPECT_DOUBLE_EQ(*file.run.step, 0.031415926535897934);
  EXPECT_EQ(file.run.time, 10);
  EXPECT_EQ(file.run.every, 5);
  EXPECT_EQ(file.run.tolerance, 1e-12);
  EXPECT_FALSE(file.run.steps);
  // A combination is judged as a whole, whatever the order of its keys.
  EXPECT_EQ(parse(start + "[method]\nname = 'rattle'\ntheta = 0.1\nbase = 'theta'\n")
                .method->specification,
            "rattle:theta=0.1,base=theta");
  EXPECT_EQ(parse(start + "[method]\nname = 'auto'\n").method->specification, "auto");
  EXPECT_EQ(parse(start + "[method]\nname = 'auto'\naccuracy = 1e-6\n").method->specification,
            "auto:accuracy=1e-06");
}

TEST(Models, AProjectedStartMayBeAnywhere) {
  const std::string text =
      "[model]\ncoordinates = ['x']\nmass = [1]\npotential = '1/x'\n[initial]\nq = [0]\n";
  EXPECT_THROW(parse(text), rb::TextError);
  EXPECT_TRUE(parse(text + "project = true\n").initial->project);
}

TEST(Models, Sweeps) {
  const auto file = parse(R"(
[model]
coordinates = ["x", "y"]
parameters = { a = 1, b = 2 }
mass = [1]
potential = "a*x + b*y"
[initial]
q = ["a", 0]
[sweep]
parameters = { a = [1, 2], b = { from = 1, to = 100, count = 3, scale = "log" } }
initial = { p_y = { from = -1, to = 1, count = 2 } }
random = { count = 5, seed = 7, spread = { q = 0.5 } }
)");
  const auto& sweep = file.sweep.value();
  EXPECT_EQ(sweep.size(), 2 * 3 * 2 * 5);
  EXPECT_EQ(sweep.values(0), (Numbers{1, 1, -1}));
  EXPECT_EQ(sweep.values(5), (Numbers{1, 1, 1}));
  EXPECT_EQ(sweep.values(59), (Numbers{2, 100, 1}));
  EXPECT_EQ(sweep.settings(59), (rb::Settings{{"a", "2"}, {"b", "100"}}));
  const auto start = sweep.start(59, *file.initial);
  EXPECT_EQ(start.p, (Numbers{0, 1}));
  EXPECT_LE(std::abs(start.q[0] - 1), 0.5);
  EXPECT_NE(start.q[0], 1);
  EXPECT_EQ(start.q, sweep.start(59, *file.initial).q);
  EXPECT_NE(start.q, sweep.start(58, *file.initial).q);
}

TEST(Models, ThePositionOfAnErrorIsKnown) {
  try {
    parse("[model]\ncoordinates = ['x']\nhamiltonian = 'p_x + y'\n");
    FAIL();
  } catch (const rb::TextError& error) {
    EXPECT_EQ(error.position().line, 3);
    EXPECT_EQ(error.position().column, 22);
    EXPECT_EQ(error.where(), "test.toml:3:22");
  }
}
