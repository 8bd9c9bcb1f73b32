// Ensembles: independent copies of one system with different starts and different parameters, in
// SIMD packs and threads.
//
//   integrate_ensemble(system, Rattle{}, starts, {.step = 0.01, .steps = 1000})
//   integrate_ensemble([](const auto& x) { return natural_system(...); }, Rattle{}, parameters,
//                      starts, options)
//
// The second form makes the system from parameters x in any scalar: x[0] is a double or a pack of
// them, one a copy. Copies 0..7 are the first pack, 8..15 the second, and so on, whatever the
// number of threads: the results do not depend on it, to the last bit. The last pack is filled up
// with repetitions of the last copy. Newton iterates until all lanes of a pack have converged, so
// that a copy may get an iteration more than it would alone: results differ from those of
// integrate() at round-off. Run-time systems, one a copy, form packs where they differ in
// their constants only.
//
// Where a lane fails, its pack stops, and the copies of that pack start again one by one in double
// precision scalars: those that can finish do, and the others say why they cannot. Also this
// does not depend on the threads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rattleback/integrators/ensemble_runner.hpp"
#include "rattleback/problem/known_scalars.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

template <int N>
std::string Ensemble<N>::summary() const {
  std::vector<const RunFigures*> figures;
  long alone = 0;
  for (const auto& c : copies) figures.push_back(&c), alone += c.alone;
  return detail::ensemble_summary(*this, figures, alone);
}

/// Copies of the same system with different starts. Run-time systems run in threads without packs.
template <ConstrainedSystem Sys, class M>
auto integrate_ensemble(const Sys& system, const M& method,
                        const std::vector<StateOf<Sys, double>>& starts,
                        const EnsembleOptions<StateOf<Sys, double>>& options) {
  using S = std::conditional_t<detail::knows_all_scalars<Sys>, Pack, double>;
  detail::EnsembleRunner<Sys::dimension_at_compile_time> runner(starts, options,
                                                                method.info().name);
  return runner.template run<S>(method, detail::SameSystem<Sys>{system},
                                runner.template batches<S>());
}

class AnySystem;
class Method;
/// Copies with a system each, known at run time only: those of one shape (expression_system.hpp) in
/// packs, in the order of the copies, the others alone.
Ensemble<dynamic> integrate_ensemble(std::span<const AnySystem> systems, const Method& method,
                                     const std::vector<State<double>>& starts,
                                     const EnsembleOptions<State<double>>& options,
                                     const SolveOptions& solve = {});

/// Copies with different parameters: make(x) is the system with parameters x, in any scalar.
template <class Make, class M, int P, int N>
auto integrate_ensemble(const Make& make, const M& method,
                        const std::vector<Vector<double, P>>& parameters,
                        const std::vector<State<double, N>>& starts,
                        const EnsembleOptions<State<double, N>>& options) {
  if (parameters.size() != starts.size())
    throw InputError("parameters", "there are " + std::to_string(starts.size()) + " starts and " +
                                       std::to_string(parameters.size()) + " sets of parameters");
  for (std::size_t i = 1; i < parameters.size(); ++i)
    if (parameters[i].size() != parameters[0].size())
      throw InputError("parameters", "copy " + std::to_string(i) + " has " +
                                         std::to_string(parameters[i].size()) + ", copy 0 has " +
                                         std::to_string(parameters[0].size()));
  detail::EnsembleRunner<N> runner(starts, options, method.info().name);
  return runner.template run<Pack>(method, detail::SystemOfParameters<Make, P>{make, parameters},
                                   runner.template batches<Pack>());
}

}  // namespace rattleback
