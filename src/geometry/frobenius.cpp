#include "rattleback/geometry/frobenius.hpp"

#include <algorithm>
#include <random>

#include "constraint_set.hpp"
#include "rattleback/geometry/tidy.hpp"

namespace rattleback {

namespace {

using detail::Sized;

/// One-forms on (q, t), each with its curl as expressions.
struct Form {
  int constraint;
  bool closed;                          ///< the gradient of a position constraint
  std::vector<Expression> coefficient;  ///< a, then b
};

/// Nothing where g is neither a function of q nor affine in v.
std::vector<Form> forms_of(Graph& graph, int n, const std::vector<Expression>& g,
                           Integrability& result) {
  std::vector<Form> forms;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const bool closed = !detail::depends(graph, g[i], 2 * n, 3 * n);
    Form form{static_cast<int>(i), closed, std::vector<Expression>(n + 1, graph.constant(0))};
    const int first = closed ? 0 : 2 * n;
    bool linear = !detail::depends(graph, g[i], n, 2 * n);
    for (const auto& [input, value] : gradient(graph, g[i], first, first + n)) {
      form.coefficient[input - first] = value;
      linear = linear && !detail::depends(graph, value, n, 3 * n);
    }
    if (!linear) continue;
    if (!closed) {
      form.coefficient[n] = tidied(graph, graph.substitute(std::span(&g[i], 1), [&](int k) {
        return k >= 2 * n ? graph.constant(0) : graph.input(k);
      })[0]);
      result.affine = result.affine || !graph.is_constant(form.coefficient[n], 0);
      result.linear.push_back(static_cast<int>(i));
    }
    forms.push_back(std::move(form));
  }
  return forms;
}

using Vectors = std::vector<std::vector<double>>;

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// Orthonormal basis of what is orthogonal to all rows.
Vectors kernel(const Vectors& rows, int size, double tolerance) {
  Vectors basis;
  const auto add = [&](std::vector<double> x) {
    const double before = std::sqrt(dot(x, x));
    for (int pass = 0; pass < 2; ++pass)
      for (const auto& b : basis) {
        const double c = dot(b, x);
        for (int k = 0; k < size; ++k) x[k] -= c * b[k];
      }
    const double after = std::sqrt(dot(x, x));
    if (!(after > tolerance * before)) return;
    for (double& v : x) v /= after;
    basis.push_back(std::move(x));
  };
  for (const auto& r : rows) add(r);
  const auto own = static_cast<std::ptrdiff_t>(basis.size());
  for (int k = 0; k < size && static_cast<int>(basis.size()) < size; ++k) {
    std::vector<double> unit(size);
    unit[k] = 1;
    add(std::move(unit));
  }
  return {basis.begin() + own, basis.end()};
}

/// d(coefficient)/dq_input of a component of a form: output `index` of the program below.
struct Curl {
  int form, component, input, index;
};

/// Coefficients of the forms, then the curls of those that are not closed.
Program program_of(Graph& graph, int n, const std::vector<Form>& forms, int size,
                   std::vector<Curl>& curls) {
  std::vector<Program::Output> outputs;
  for (const auto& form : forms)
    for (int k = 0; k < size; ++k)
      outputs.push_back({0, static_cast<int>(outputs.size()), form.coefficient[k]});
  for (std::size_t f = 0; f < forms.size(); ++f)
    for (int k = 0; k < size && !forms[f].closed; ++k)
      for (const auto& [input, value] : gradient(graph, forms[f].coefficient[k], 0, n)) {
        curls.push_back({static_cast<int>(f), k, input, static_cast<int>(outputs.size())});
        outputs.push_back({0, static_cast<int>(outputs.size()), value});
      }
  return Program(graph, 2 * n, outputs);
}

/// The largest |da(X, Y)|/|a| of a form over allowed X and Y, from the program's values at a point.
void measure(const std::vector<Form>& forms, int size, const std::vector<Curl>& curls,
             const std::vector<double>& values, double tolerance, Integrability& result) {
  Vectors rows;
  std::vector<double> length;
  for (std::size_t f = 0; f < forms.size(); ++f) {
    rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(f) * size,
                      values.begin() + static_cast<std::ptrdiff_t>(f + 1) * size);
    length.push_back(std::sqrt(dot(rows.back(), rows.back())));
  }
  const Vectors allowed = kernel(rows, size, tolerance);
  std::vector<double> d(forms.size());
  for (std::size_t x = 0; x < allowed.size(); ++x)
    for (std::size_t y = x + 1; y < allowed.size(); ++y) {
      std::fill(d.begin(), d.end(), 0.0);
      // da(X, Y) = sum da_k/dq_l (X_l Y_k - Y_l X_k)
      for (const Curl& c : curls)
        d[c.form] += values[c.index] * (allowed[x][c.input] * allowed[y][c.component] -
                                        allowed[y][c.input] * allowed[x][c.component]);
      for (std::size_t f = 0; f < forms.size(); ++f)
        if (const double defect = std::abs(d[f]) / length[f]; defect > result.defect) {
          result.defect = defect;
          result.worst = forms[f].constraint;
        }
    }
}

}  // namespace

Integrability integrability(Graph& graph, int n, const std::vector<Expression>& velocities,
                            const std::vector<State<double>>& points, double tolerance) {
  Integrability result;
  const std::vector<Form> forms = forms_of(graph, n, velocities, result);
  result.applies = !result.linear.empty();
  if (!result.applies || n > 300) return result;
  const int size = result.affine ? n + 1 : n;
  std::vector<Curl> curls;
  const Program program = program_of(graph, n, forms, size, curls);
  for (const State<double>& point : points) {
    std::vector<double> z(3 * n), values(forms.size() * size + curls.size());
    for (int i = 0; i < n; ++i) z[i] = point.q[i], z[n + i] = point.p[i];
    program.run(z.data(), z.data() + 2 * n, values.data(), values.data());
    measure(forms, size, curls, values, tolerance, result);
  }
  result.integrable = result.defect <= tolerance;
  return result;
}

}  // namespace rattleback
