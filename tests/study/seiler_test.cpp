// [Seiler 8] again: every figure that can be matched is.
#include "rattleback/study/seiler.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/error.hpp"
#include "rattleback/report/series.hpp"
#include "rattleback/study/pendulum_reference.hpp"

namespace rattleback {
namespace {

class SeilerExperiments : public ::testing::TestWithParam<seiler::Entry> {};

TEST_P(SeilerExperiments, AgreeWithThePaper) {
  const PaperExperiment e = GetParam().run();
  EXPECT_EQ(e.id, GetParam().id);
  for (const auto& figure : e.figures)
    EXPECT_TRUE(figure.agrees || !figure.comparable)
        << figure.what << ": " << figure.paper << " in the paper, " << figure.measured;
  long compared = 0;
  for (const auto& figure : e.figures) compared += figure.comparable;
  EXPECT_GE(compared, 3);
  EXPECT_GE(e.rows.size(), 10u);
  for (const auto& row : e.rows) EXPECT_EQ(row.size(), e.columns.size());
}

INSTANTIATE_TEST_SUITE_P(Paper, SeilerExperiments,
                         ::testing::ValuesIn(seiler::experiments().begin(),
                                             seiler::experiments().end()),
                         [](const auto& info) {
                           std::string name = info.param.id;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Seiler, CountsExactly155Projections) {
  const auto record =
      seiler::run({"formulation=classical,project=momentum,threshold=1e-6", seiler::exact_start()});
  EXPECT_EQ(record.projections.momentum, 155);
  EXPECT_NEAR(record.g.back(), 5.17e-4, 0.02 * 5.17e-4);
}

// Against dop853: turning over and swinging.
TEST(PendulumReference, IsTheMotion) {
  for (const double speed : {-2.0, 0.9}) {
    State<double> z = seiler::exact_start();
    z.p[1] = speed;
    const PendulumReference truth(z);
    const auto record = seiler::run({"formulation=dirac,ode=dop853,project=both", z, 0.03125, 32});
    EXPECT_LE(record.error.back(), 1e-11);
    const State<double> back = truth.at(truth.period());
    EXPECT_LE((back.q - z.q).norm() + (back.p - z.p).norm(), 1e-13);
  }
  State<double> top = seiler::exact_start();
  top.p[1] = std::sqrt(2.0);  // E = 1
  EXPECT_THROW(PendulumReference{top}, InputError);
}

TEST(Series, FitsWhatItWasMadeOf) {
  std::vector<double> t, line, cubic, wave;
  for (int k = 1; k <= 512; ++k) {
    t.push_back(k);
    line.push_back(3 + 0.5 * k + (k % 2 == 0 ? 0.01 : -0.01));
    cubic.push_back(2e-9 * k * k * k * std::sin(0.7 * k));
    wave.push_back(0.6 * std::sin(2 * M_PI * 0.125 * k));
  }
  const LineFit fit = fit_line(t, line);
  EXPECT_NEAR(fit.slope, 0.5, 1e-5);
  EXPECT_NEAR(fit.uncertainty, 0.01 / std::sqrt(512.0 * 512 * 512 / 12), 1e-7);
  const LineFit growth = fit_growth(t, cubic, {.from = 20});
  EXPECT_NEAR(growth.slope, 3, 0.05);
  EXPECT_LT(growth.uncertainty, 0.05);
  const Periodogram p = periodogram(wave, 1);
  EXPECT_NEAR(p.frequency[p.peak()], 0.125, 1e-15);
  EXPECT_NEAR(p.power[p.peak()], 0.6 * 0.6 / 2, 1e-12);
  EXPECT_THROW((void)fit_line(std::vector<double>{1, 2}, std::vector<double>{1, 2}), InputError);
}

}  // namespace
}  // namespace rattleback
