// Gradients as native code, from recorded templates, against hand-written ones and byte code; and
// what it costs to compile them.
#include <cmath>
#include <memory>
#include <vector>

#include "figures.hpp"
#include "rattleback/expression/derivative.hpp"
#include "rattleback/expression/native.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/natural_system.hpp"

namespace {

namespace rb = rattleback;

/// Springs between neighbours in the plane, under gravity: V of `size / 2` links. They are
/// stretched by the length, or by its square: then there are sums and products only.
template <bool roots>
struct Springs {
  template <class Q>
  auto operator()(const Q& q) const {
    using std::sqrt;
    using S = typename Q::Scalar;
    S sum(0);
    for (Eigen::Index i = 0; i < q.size(); i += 2) {
      const S x = i == 0 ? q[i] : S(q[i] - q[i - 2]),
              y = i == 0 ? q[i + 1] : S(q[i + 1] - q[i - 1]);
      const S square = x * x + y * y, stretch = (roots ? S(sqrt(square)) : square) - 1;
      sum += stretch * stretch * 50 + q[i + 1] * 9.81;
    }
    return sum;
  }
};
[[gnu::noinline]] void springs_by_hand(const double* q, double* out, int size) {
  for (int i = 0; i < size; i += 2) {
    const double x = i == 0 ? q[i] : q[i] - q[i - 2], y = i == 0 ? q[i + 1] : q[i + 1] - q[i - 1];
    const double length = std::sqrt(x * x + y * y), pull = 100 * (length - 1) / length;
    out[i] = pull * x;
    out[i + 1] = pull * y + 9.81;
    if (i == 0) continue;
    out[i - 2] -= pull * x;
    out[i - 1] -= pull * y;
  }
}

/// Two angles: calls of sin and cos.
struct DoublePendulum {
  template <class Q>
  auto operator()(const Q& q, const Q& p) const {
    using std::cos, std::sin;
    using S = typename Q::Scalar;
    const S c = cos(q[0] - q[1]), s = sin(q[0] - q[1]);
    return S((p[0] * p[0] + p[1] * p[1] * 2 - p[0] * p[1] * c * 2) / ((s * s + 1) * 2) -
             cos(q[0]) * 2 - cos(q[1]));
  }
};
const auto double_pendulum = rb::hamiltonian_system<2>(DoublePendulum{});

rb::Program gradient_program(const rb::SystemDescription& d, rb::Expression f) {
  const int n = d.dimension();
  std::vector<rb::Program::Output> outputs;
  for (const auto& [input, value] : rb::gradient(*d.graph, f, 0, 2 * n))
    outputs.push_back({input / n, input % n, value});
  return {*d.graph, n, outputs};
}
rb::Program springs_program(int links, bool roots) {
  const rb::Vector<double, rb::dynamic> masses = rb::Vector<double, rb::dynamic>::Ones(2 * links);
  const auto d = roots ? rb::record(rb::natural_system(rb::mass(masses), Springs<true>{}))
                       : rb::record(rb::natural_system(rb::mass(masses), Springs<false>{}));
  return gradient_program(d, d.potential);
}
std::vector<double> some_point(int size, int lanes = 1) {
  std::vector<double> q(size * lanes);
  for (int i = 0; i < size * lanes; ++i) q[i] = 0.7 * (i / lanes) + 0.1 * (i / lanes % 3);
  return q;
}

template <class Call>
double per_call(long calls, Call&& call) {
  const double t = bench::seconds([&] {
    for (long i = 0; i < calls; ++i) {
      call();
      benchmark::ClobberMemory();
    }
  });
  return t / static_cast<double>(calls);
}

/// One gradient of a chain: native code, byte code, by hand.
struct Chain {
  explicit Chain(int links, int lanes = 1, bool roots = true)
      : size(2 * links),
        lanes(lanes),
        program(springs_program(links, roots)),
        code(program, lanes),
        q(some_point(size, lanes)),
        out(q.size()) {}
  double native() {
    return per_call(calls(), [&] { code(q.data(), nullptr, out.data(), nullptr); }) / lanes;
  }
  double bytes() {
    return per_call(calls() / 8,
                    [&] { program.run<double>(q.data(), nullptr, out.data(), nullptr); });
  }
  double by_hand() {
    return per_call(calls(), [&] { springs_by_hand(q.data(), out.data(), size); });
  }
  double compile() {
    return per_call(100, [&] { rb::NativeCode(program, lanes); });
  }
  long calls() const { return 2'000'000 / size; }

  int size, lanes;
  rb::Program program;
  rb::NativeCode code;
  std::vector<double> q, out;
};

struct Angles {
  Angles() {
    const auto d = rb::record(double_pendulum);
    code = rb::NativeCode(gradient_program(d, d.hamiltonian));
  }
  double native() {
    return per_call(100'000, [&] { code(q.data(), p.data(), h_q.data(), h_p.data()); });
  }
  double automatic() {
    return per_call(100'000, [&] { double_pendulum.energy_gradient(q, p, h_q, h_p); });
  }
  rb::NativeCode code;
  rb::Vector<double, 2> q{0.7, -0.4}, p{0.3, 0.9}, h_q, h_p;
};

}  // namespace

int main(int argc, char** argv) {
  if (!rb::NativeCode::available()) {
    std::printf("no native code on this machine\n");
    return 0;
  }
  const auto ten = std::make_shared<Chain>(10), hundred = std::make_shared<Chain>(100),
             thirty = std::make_shared<Chain>(30),
             lanes = std::make_shared<Chain>(30, rb::pack_lanes),
             smooth = std::make_shared<Chain>(30, 1, false),
             smooth_lanes = std::make_shared<Chain>(30, rb::pack_lanes, false);
  const auto angles = std::make_shared<Angles>();
  bench::Figures figures;
  figures.add({.name = "gradient of 10 springs",
               .ours = [=] { return ten->native(); },
               .against = [=] { return ten->by_hand(); },
               .goal = 1.25});
  figures.add({.name = "gradient of 100 springs",
               .ours = [=] { return hundred->native(); },
               .against = [=] { return hundred->by_hand(); },
               .goal = 1.25});
  figures.add({.name = "double pendulum in angles, and automatic derivatives",
               .ours = [=] { return angles->native(); },
               .against = [=] { return angles->automatic(); },
               .goal = 1});
  figures.add({.name = "native code and byte code",
               .ours = [=] { return hundred->native(); },
               .against = [=] { return hundred->bytes(); },
               .goal = 5,
               .faster = true});
  // 30 springs: q and V_q of sixteen lanes are 15 kB. Those of 100 springs are 51 kB, and where the
  // nearest cache has 32 this would measure the next one (2.4 instead of 4.6).
  figures.add({.name = "lanes of a pack and one",
               .ours = [=] { return smooth_lanes->native(); },
               .against = [=] { return smooth->native(); },
               .goal = 3,
               .faster = true});
  // Some processors need twice the time for roots and quotients of four lanes as for one, and again
  // for eight.
  figures.add({.name = "lanes of a pack and one, with roots and quotients",
               .ours = [=] { return lanes->native(); },
               .against = [=] { return thirty->native(); },
               .goal = 2,
               .faster = true});
  figures.add({.name = "10 springs to native code, and a millisecond",
               .ours = [=] { return ten->compile(); },
               .against = [] { return 1e-3; },
               .goal = 0.3,
               .unit = 1e6,
               .unit_name = "us"});
  return figures.run(argc, argv);
}
