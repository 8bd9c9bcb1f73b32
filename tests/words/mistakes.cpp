// Usual mistakes in a system written in C++, one at a time; 0 is none. The tests look at what the
// compiler says.
#include <cmath>
#include <rattleback/rattleback.hpp>

#ifndef MISTAKE
#define MISTAKE 0
#endif

namespace rb = rattleback;

auto pendulum() {
  const auto masses = rb::mass(1.0, 1.0);
  const auto circle = [](const auto& q) { return (q.squaredNorm() - 1) / 2; };
#if MISTAKE == 1  // the potential is for one type
  return rb::natural_system(
      masses, [](const Eigen::Vector2d& q) { return q[1]; }, circle);
#elif MISTAKE == 2  // so is the constraint
  return rb::natural_system(
      masses, [](const auto& q) { return q[1]; },
      [](const Eigen::Vector2d& q) { return q.squaredNorm() - 1; });
#elif MISTAKE == 3  // three coordinates, and two masses
  return rb::natural_system(
      masses, []<class S>(const rb::Vector<S, 3>& q) { return q[1]; }, circle);
#elif MISTAKE == 4  // H is a function of two vectors
  return rb::hamiltonian_system<2>([](const auto& q) { return q[1]; }, circle);
#elif MISTAKE == 5
  return rb::natural_system(
      masses, [](const auto& q) { return std::sin(q[1]); }, circle);
#elif MISTAKE == 6
  return rb::natural_system(
      masses, [](const auto& q) { return std::pow(q[1], 2); }, circle);
#else
  return rb::natural_system(
      masses,
      [](const auto& q) {
        using std::sin;
        return sin(q[1]) + pow(q[1], 2) + cos(q[0]);
      },
      circle);
#endif
}

int main() {
  const auto system = pendulum();
#if MISTAKE == 7  // a start in space
  const rb::State<double, 3> start{{1, 0, 0}, {0, -2, 0}};
#else
  const rb::State<double, 2> start{{1, 0}, {0, -2}};
#endif
  return rb::integrate(system, rb::Rattle{}, start, {.step = 0.01, .steps = 10}).ok() ? 0 : 1;
}
