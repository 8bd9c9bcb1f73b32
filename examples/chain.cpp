// A hanging chain of 1000 links. The linear algebra of a chain is chosen by its type: two-ended
// elimination, linear in the number of links.
#include <cmath>
#include <cstdio>
#include <rattleback/problem/linked_system.hpp>
#include <rattleback/rattleback.hpp>

int main() {
  namespace rb = rattleback;
  const int links = 1000;
  auto chain = rb::chain_system<2>(links, [](const auto& x) { return x[1]; });
  rb::State<double> start{rb::Vector<double, rb::dynamic>(2 * links),
                          rb::Vector<double, rb::dynamic>::Zero(2 * links)};
  double x = 0, y = 0;
  for (int i = 0; i < links; ++i) {
    const double angle = 0.8 + 0.3 * std::sin(0.3 * i);
    start.q[2 * i] = x += std::sin(angle);
    start.q[2 * i + 1] = y -= std::cos(angle);
  }
  auto run = rb::integrate(chain, rb::Rattle{}, start, {.step = 0.003, .steps = 5000});
  std::printf("%s", run.summary().c_str());
  std::printf("per link and step  %.3g ns\n", 1e9 * run.seconds / (5000.0 * links));
}
