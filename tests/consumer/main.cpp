// The smallest use of an installed Rattleback: a derivative by a dual number.
#include <iostream>
#include <rattleback/problem/dual.hpp>

int main() {
  using Dual = rattleback::Dual<double, 2>;
  const Dual x = Dual::variable(3.0, 0);
  const Dual y = Dual::variable(4.0, 1);
  const Dual radius = sqrt(x * x + y * y);
  std::cout << radius.value << ' ' << radius.partials[0] << ' ' << radius.partials[1] << '\n';
  return radius.value == 5.0 ? 0 : 1;
}
