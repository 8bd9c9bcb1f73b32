#include "rattleback/integrators/composition.hpp"

#include "composition_coefficients.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {

namespace {

/// k substeps c before and after one of 1 - 2 k c, with 2 k c^n + (1 - 2 k c)^n = 0: where the
/// parts have the order n - 1, all of them have n + 1.
std::vector<Quad> around_the_middle(int k, int n) {
  const Quad count = 2 * k, c = 1 / (count - pow(count, Quad(1) / n));
  std::vector<Quad> all(2 * k + 1, c);
  all[k] = 1 - count * c;
  return all;
}

/// The same again and again, from order 2.
std::vector<Quad> repeated(int k, int order) {
  std::vector<Quad> all{Quad(1)};
  for (int n = 3; n < order; n += 2) {
    std::vector<Quad> next;
    for (const Quad& outer : around_the_middle(k, n))
      for (const Quad& inner : all) next.push_back(outer * inner);
    all = std::move(next);
  }
  return all;
}

/// From the outer ones; the middle one makes their sum 1.
std::vector<Quad> mirrored(const std::vector<const char*>& outer) {
  std::vector<Quad> all;
  Quad middle = 1;
  for (const char* digits : outer) middle -= 2 * all.emplace_back(digits);
  all.push_back(middle);
  for (std::size_t k = outer.size(); k-- > 0;) all.push_back(all[k]);
  return all;
}

std::vector<Quad> in_quad(Composition scheme) {
  const std::string_view name = info(scheme).name;
  if (name.starts_with("triplejump")) return repeated(1, info(scheme).order);
  if (name.starts_with("suzuki")) return repeated(2, info(scheme).order);
  return mirrored(detail::outer_coefficients(scheme));
}

}  // namespace

template <class R>
std::vector<R> coefficients(Composition scheme) {
  std::vector<R> all;
  for (const Quad& c : in_quad(scheme)) all.push_back(static_cast<R>(c));
  return all;
}
template std::vector<double> coefficients(Composition);
template std::vector<Quad> coefficients(Composition);

std::string obstacle_to_composition(const MethodInfo& inner, Composition scheme) {
  const CompositionInfo& by = info(scheme);
  if (!inner.symmetric) return inner.name + " is not symmetric, and only symmetric methods compose";
  if (inner.momentum_order)
    return "its momenta have order " + std::to_string(*inner.momentum_order) +
           ", which no composition raises";
  if (inner.order >= by.order)
    return std::string(by.name) + " gives order " + std::to_string(by.order) + ", and " +
           inner.name + " has order " + std::to_string(inner.order) + " without it";
  return {};
}

MethodInfo composed_info(MethodInfo inner, Composition scheme) {
  const CompositionInfo& by = info(scheme);
  inner.name += (inner.name.find(':') == std::string::npos ? ":" : ",") + std::string("compose=") +
                std::string(by.name);
  inner.order = by.order;
  inner.momentum_order.reset();
  inner.cite += ", " + std::string(by.cite);
  return inner;
}

}  // namespace rattleback
