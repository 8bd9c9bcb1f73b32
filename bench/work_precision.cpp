// Work against precision: the multistep method of order 8, on the chain Taylor's method too,
// against Boost.Odeint's fixed-step 7(8) with projection, and on the chain against SUNDIALS IDA.
// Either side gets the fewest steps (the loosest tolerance) with which it is as accurate as asked
// at the end; errors are the largest of q and p, on the chain of q, against Odeint at far smaller
// steps, on surfaces in long double.
#include "baseline/odeint.hpp"
#include "chain_odeint.hpp"
#include "chain_run.hpp"
#include "figures.hpp"
#include "rattleback/integrators/multistep.hpp"
#include "rattleback/integrators/taylor.hpp"
#include "rattleback/problem/natural_system.hpp"
#ifdef RATTLEBACK_BENCH_SUNDIALS
#include "baseline/chain_ida.hpp"
#endif

namespace {

namespace rb = rattleback;

// -- particles on surfaces --

struct SphericalPendulum {
  static constexpr std::size_t dimension = 3;
  static constexpr bool quadratic = true;
  static constexpr const char* name = "spherical pendulum";
  template <class Q>
  static Q force(const Q&) {
    return {0, 0, -1};
  }
  template <class Q>
  static auto g(const Q& q) {
    return (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2;
  }
  template <class Q>
  static Q gradient(const Q& q) {
    return q;
  }
  template <class Q>
  static auto curvature(const Q&, const Q& v) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  }
  template <class R>
  static std::array<R, 6> start() {
    const R root = std::sqrt(R(3));
    return {root / 2, 0, R(-0.5), R(0.25), R(0.9), root / 4};
  }
};

/// x^4 + y^4 + z^4 = 1, under gravity.
struct Quartic {
  static constexpr std::size_t dimension = 3;
  static constexpr bool quadratic = false;
  static constexpr const char* name = "quartic surface";
  template <class Q>
  static Q force(const Q&) {
    return {0, 0, -1};
  }
  template <class Q>
  static auto g(const Q& q) {
    const auto x = q[0] * q[0], y = q[1] * q[1], z = q[2] * q[2];
    return (x * x + y * y + z * z - 1) / 4;
  }
  template <class Q>
  static Q gradient(const Q& q) {
    return {q[0] * q[0] * q[0], q[1] * q[1] * q[1], q[2] * q[2] * q[2]};
  }
  template <class Q>
  static auto curvature(const Q& q, const Q& v) {
    const auto x = q[0] * v[0], y = q[1] * v[1], z = q[2] * v[2];
    return 3 * (x * x + y * y + z * z);
  }
  template <class R>
  static std::array<R, 6> start() {
    using std::pow;
    const R x = R(3) / 5, y = R(1) / 2, z = -pow(1 - x * x * x * x - y * y * y * y, R(1) / 4);
    const R v[3] = {R(3) / 10, R(-1) / 2, R(7) / 10}, e[3] = {x * x * x, y * y * y, z * z * z};
    const R mu =
        (e[0] * v[0] + e[1] * v[1] + e[2] * v[2]) / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    return {x, y, z, v[0] - mu * e[0], v[1] - mu * e[1], v[2] - mu * e[2]};
  }
};

using Six = std::array<double, 6>;

/// The same for us; derivatives by hand on either side.
template <class P>
struct Surface {
  template <class Q>
  typename Q::Scalar operator()(const Q& q) const {
    return P::g(q);
  }
  template <class Q, class J>
  void jacobian(const Q& q, J& out) const {
    const std::array<typename Q::Scalar, 3> e = P::gradient(std::array{q[0], q[1], q[2]});
    for (int i = 0; i < 3; ++i) out(0, i) = e[i];
  }
};
struct Height {
  template <class Q>
  typename Q::Scalar operator()(const Q& q) const {
    return q[2];
  }
  template <class Q, class G>
  void gradient(const Q&, G& out) const {
    out[0] = out[1] = 0, out[2] = 1;
  }
};
template <class P>
auto system_of() {
  const Height height;
  if constexpr (P::quadratic)
    return rb::natural_system(rb::mass(1.0, 1.0, 1.0), height, rb::quadratic(Surface<P>{}));
  else
    return rb::natural_system(rb::mass(1.0, 1.0, 1.0), height, Surface<P>{});
}

template <class P>
Six by_multistep(double time, long steps) {
  static const auto system = system_of<P>();
  const Six start = P::template start<double>();
  rb::State<double, 3> z{rb::Vector<double, 3>(start.data()), rb::Vector<double, 3>(&start[3])};
  auto stepper = rb::Multistep{.order = 8}.stepper<double>(system);
  const bool ok{stepper.advance(system, z, time / static_cast<double>(steps), steps).status};
  if (!ok) z.q[0] = std::nan("");
  return {z.q[0], z.q[1], z.q[2], z.p[0], z.p[1], z.p[2]};
}
template <class P>
Six by_odeint(double time, long steps) {
  Six y = P::template start<double>();
  baseline::OnSurface<P>::run(y, time, steps);
  return y;
}
template <class P>
Six reference(double time) {
  auto y = P::template start<long double>();
  baseline::OnSurface<P, long double>::run(y, time, std::lround(time / 0.01));
  Six out;
  for (std::size_t i = 0; i < 6; ++i) out[i] = static_cast<double>(y[i]);
  return out;
}
template <class V>
double distance(const V& a, const V& b) {
  double most = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.size()); ++i)
    most = rb::larger(most, std::abs(a[i] - b[i]));
  return most;
}

/// The fewest steps, to 4 %, that are as accurate as asked and stay so with a few more.
template <class Error>
long steps_for(double target, long first, Error&& error) {
  const auto reaches = [&](long steps) { return error(steps) <= target; };
  for (long steps = first; steps < 1000 * first; steps += steps / 25 + 1)
    if (reaches(steps) && reaches(steps + steps / 25 + 1) && reaches(steps + steps / 10 + 1))
      return steps;
  return 1000 * first;
}

/// Runs often enough that the clock sees it; seconds per unit of time.
template <class Work>
double per_time(double time, Work&& work) {
  const int times = time < 1000 ? 50 : 1;
  return bench::seconds([&] {
           for (int k = 0; k < times; ++k) benchmark::DoNotOptimize(work());
         }) /
         (time * times);
}

template <class P>
void add_surface(bench::Figures& figures, double time, const std::vector<double>& targets,
                 double goal, const auto& wanted) {
  Six truth{};
  for (const double target : targets) {
    char name[96];
    std::snprintf(name, sizeof name, "%s, T = %g, error %.0e", P::name, time, target);
    if (!wanted(name)) continue;
    if (truth[0] == 0) truth = reference<P>(time);
    const auto first = static_cast<long>(time / 2);
    const long ours =
        steps_for(target, first, [&](long n) { return distance(by_multistep<P>(time, n), truth); });
    const long theirs =
        steps_for(target, first, [&](long n) { return distance(by_odeint<P>(time, n), truth); });
    std::printf("%s: %ld steps against %ld\n", name, ours, theirs);
    figures.add(
        {.name = name,
         .ours = [=] { return per_time(time, [=] { return by_multistep<P>(time, ours); }); },
         .against = [=] { return per_time(time, [=] { return by_odeint<P>(time, theirs); }); },
         .goal = goal,
         .faster = true,
         .repetitions = 9,
         .unit = 1e6,
         .unit_name = "us"});
  }
}

// -- the chain --

constexpr int links = 100;
const double chain_time = std::sqrt(10.0);
using Position = rb::Vector<double, rb::dynamic>;

template <class M>
Position chain_by(const M& method, long steps) {
  static const auto system = bench::hanging_chain(links);
  auto z = bench::start_of(baseline::Chain(links));
  auto stepper = method.template stepper<double>(system);
  const bool ok{stepper.advance(system, z, chain_time / static_cast<double>(steps), steps).status};
  if (!ok) z.q[0] = std::nan("");
  return z.q;
}
template <class Runner>
Position chain_by_odeint(long steps) {
  static Runner runner;
  return runner.run(chain_time, steps);
}
using FromBothEnds = bench::ChainByOdeint<links>;
using InStrands = bench::ChainInStrandsByOdeint<links>;

#ifdef RATTLEBACK_BENCH_SUNDIALS
double ida_error(double tolerance, const Position& truth, double* seconds = nullptr) {
  baseline::Chain chain(links);
  baseline::ChainIda ida(links);
  double t = 0, most = 0;
  if (!ida.run(chain, chain_time, tolerance, [&](auto&& work) { t = bench::seconds(work); }))
    return std::numeric_limits<double>::infinity();
  if (seconds) *seconds = t;
  for (int i = 0; i < links; ++i)
    most = std::max(
        {most, std::abs(chain.x[i] - truth[2 * i]), std::abs(chain.y[i] - truth[2 * i + 1])});
  return most;
}
#endif

/// Of taylor, with the order that is fastest there, against Odeint with the elimination of chains
/// from both ends and with that in strands, which taylor has, and against IDA; of multistep too.
struct ChainGoals {
  double target;
  int order;
  double taylor, taylor_in_strands, multistep;
};
void add_chain(bench::Figures& figures, const ChainGoals& goals, const Position& truth) {
  const double target = goals.target;
  const rb::Taylor taylor{.order = goals.order};
  const rb::Multistep multistep{.order = 8};
  char name[96];
  std::snprintf(name, sizeof name, "chain of %d, T = sqrt(10), error %.0e", links, target);
  const auto steps_of = [&](long first, auto&& run) {
    return steps_for(target, first, [&](long n) { return distance(run(n), truth); });
  };
  const long by_taylor = steps_of(20, [&](long n) { return chain_by(taylor, n); });
  const long by_multistep = steps_of(60, [&](long n) { return chain_by(multistep, n); });
  const long theirs = steps_of(20, chain_by_odeint<FromBothEnds>);
  std::printf("%s: %ld steps of taylor, %ld of multistep against %ld\n", name, by_taylor,
              by_multistep, theirs);
  const auto timed = [](auto&& work) { return per_time(1, work); };
  bench::Figure figure{.ours = [=] { return timed([=] { return chain_by(taylor, by_taylor); }); },
                       .faster = true,
                       .repetitions = 9,
                       .unit = 1e3,
                       .unit_name = "ms"};
  const auto add = [&](const char* what, double goal) {
    figure.name = std::string(name) + ", " + what;
    figure.goal = goal;
    figures.add(figure);
  };
  figure.against = [=] { return timed([=] { return chain_by_odeint<FromBothEnds>(theirs); }); };
  add("taylor, Odeint", goals.taylor);
  const auto by_taylor_timed = figure.ours;
  figure.ours = [=] { return timed([=] { return chain_by(multistep, by_multistep); }); };
  add("multistep, Odeint", goals.multistep);
  figure.ours = by_taylor_timed;
  figure.against = [=] { return timed([=] { return chain_by_odeint<InStrands>(theirs); }); };
  add("taylor, Odeint in strands", goals.taylor_in_strands);
#ifdef RATTLEBACK_BENCH_SUNDIALS
  double tolerance = 1e-3;
  while (tolerance > 1e-14 && ida_error(tolerance, truth) > target) tolerance /= 2;
  figure.against = [=] {
    double t = 0;
    ida_error(tolerance, truth, &t);
    return t;
  };
  add("taylor, IDA", 30);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  const auto wanted = [&](const std::string& name) {
    bool any = argc == 1;
    for (int k = 1; k < argc; ++k) any = any || name.rfind(argv[k], 0) == 0;
    return any;
  };
  add_surface<SphericalPendulum>(figures, 100, {1e-3, 1e-6, 1e-10}, 1.3, wanted);
  add_surface<SphericalPendulum>(figures, 1e4, {1e-3, 1e-6, 1e-8}, 2, wanted);
  add_surface<Quartic>(figures, 100, {1e-3, 1e-6, 1e-10}, 1.3, wanted);
  add_surface<Quartic>(figures, 1e4, {1e-3, 1e-6, 1e-8}, 2, wanted);
  if (wanted("chain")) {
    const Position truth = chain_by_odeint<FromBothEnds>(4000);
    add_chain(figures, {1e-6, 8, 3, 2, 1.5}, truth);
    add_chain(figures, {1e-9, 12, 3, 3, 2.5}, truth);
  }
  return figures.run(argc, argv);
}
