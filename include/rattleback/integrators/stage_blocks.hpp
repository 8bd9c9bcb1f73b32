// The Newton matrix of the stages of a driven field (driven_stages.hpp), sparse, in blocks: the
// stages of a coordinate and its momentum are one, those of the multipliers of a constraint
// another. With a' = h H_zz + D_zz and the slopes of what is kept,
//
//   rows of z      1 - A x J a'     -A x J D_zl
//   rows of kept   kept_z           kept_l
//
// Coordinates are eliminated in an order that fills little, a constraint after the coordinates that
// it contains. What then stands in its diagonal block is regular: in the limit h -> 0, up to what
// earlier constraints took from it, A x {phi,phi} on (6), A^2 x {{g,H},g} on (2), A x {rho,g} on
// (17), {phi,phi} on (8).
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "rattleback/expression/driven_derivatives.hpp"
#include "rattleback/solve/sparse_block_lu.hpp"
#include "rattleback/solve/tableau.hpp"

namespace rattleback {

template <class T>
class StageBlocks {
 public:
  /// Derivatives at a stage, in the order of their places.
  struct Values {
    std::vector<T> energy, drive, kept;
    std::vector<T> end;  ///< drive where the constraints are kept; empty: at the stage
  };

  StageBlocks(const SparseDerivatives& energy, const DrivenDerivatives& drive, int stages)
      : n_(energy.dimension),
        m_(energy.constraints),
        s_(stages),
        width_(2 * n_ + drive.multipliers * m_),
        lu_(make(energy, drive)),
        values_(stages, Values{std::vector<T>(energy.hessian_places.size()),
                               std::vector<T>(drive.hessian_places.size()),
                               std::vector<T>(drive.kept_places.size()),
                               {}}) {
    start_.resize(width_);
    for (int v = 0; v < width_; ++v) start_[v] = lu_.first(node(v)) + component(v) * s_;
  }
  SparseBlockLu<T>& lu() { return lu_; }
  Values& values(int stage) { return values_[stage]; }

  /// The unknowns of all stages, in the order of elimination.
  template <class Vec>
  void gather(const Vec& x, Vec& ordered) const {
    for (int j = 0; j < s_; ++j)
      for (int v = 0; v < width_; ++v) ordered[start_[v] + j] = x[j * width_ + v];
  }
  template <class Vec>
  void subtract(const Vec& ordered, Vec& x) const {
    for (int j = 0; j < s_; ++j)
      for (int v = 0; v < width_; ++v) x[j * width_ + v] -= ordered[start_[v] + j];
  }

  /// From values(): momenta are scaled by kappa, D is times `weight`.
  template <class R>
  void assemble(const Tableau<R>& tableau, const R& h, const R& kappa, const R& weight) {
    lu_.clear();
    for (const std::size_t own : diagonal_)
      for (int i = 0; i < 2 * s_; ++i) lu_.block(own)[i * (2 * s_ + 1)] = T(1);
    // By column: a position or a multiplier, a momentum.
    const R energy[2][2] = {{R(h * kappa), h}, {h, R(h / kappa)}};
    const R drive[2] = {weight, R(weight / kappa)}, kept[2] = {R(1), R(R(1) / kappa)};
    for (int j = 0; j < s_; ++j) {
      for (const Term& t : energy_terms_)
        add_driven(t, tableau, j,
                   T(values_[j].energy[t.value] * T(energy[t.momentum_row][t.momentum_column])));
      for (const Term& t : drive_terms_)
        add_driven(t, tableau, j, T(values_[j].drive[t.value] * T(drive[t.momentum_column])));
      const auto& end = values_[j].end.empty() ? values_[j].drive : values_[j].end;
      for (const Term& t : kept_terms_) {
        const auto& from = t.of_drive ? end : values_[j].kept;
        *at(t, j, j) += from[t.value] * T(kept[t.momentum_column]);
      }
    }
  }

 private:
  /// Of the matrix: where value `value` goes to.
  struct Term {
    int value;
    std::size_t block;
    int offset, stride;  ///< in the block
    bool momentum_row;   ///< the slope is of a component of a_p
    bool momentum_column;
    bool of_drive = true;
  };
  using Place = DrivenDerivatives::Place;

  /// Variables are z and the multipliers of a stage.
  bool is_state(int v) const { return v < 2 * n_; }
  int node(int v) const { return is_state(v) ? v % n_ : n_ + (v - 2 * n_) % m_; }
  int component(int v) const { return is_state(v) ? v / n_ : (v - 2 * n_) / m_; }
  int conjugate(int v) const { return v < n_ ? v + n_ : v - n_; }

  T* at(const Term& t, int i, int j) { return lu_.block(t.block) + t.offset + j * t.stride + i; }
  /// -A x J a', J a = (a_p, -a_q)
  template <class R>
  void add_driven(const Term& t, const Tableau<R>& tableau, int j, const T& value) {
    for (int i = 0; i < s_; ++i) {
      const T term = value * T(tableau.a(i, j));
      if (t.momentum_row)
        *at(t, i, j) -= term;
      else
        *at(t, i, j) += term;
    }
  }

  SparseBlockLu<T> make(const SparseDerivatives& energy, const DrivenDerivatives& drive) {
    std::vector<int> sizes(n_, 2 * s_);
    sizes.resize(n_ + m_, drive.multipliers * s_);
    std::vector<MatrixPlace> places;
    std::map<std::pair<int, int>, std::size_t> known;
    const auto block = [&](int row, int column) {
      const auto [at, fresh] = known.try_emplace({row, column}, places.size());
      if (fresh) places.push_back({row, column});
      return at->second;
    };
    const auto term = [&](int value, int row, int column) {
      const int stride = sizes[node(row)];
      return Term{.value = value,
                  .block = block(node(row), node(column)),
                  .offset = component(column) * s_ * stride + component(row) * s_,
                  .stride = stride,
                  .momentum_row = is_state(row) && row < n_,
                  .momentum_column = is_state(column) && column >= n_};
    };
    for (int c = 0; c < n_; ++c) diagonal_.push_back(block(c, c));
    for (int i = 0; i < m_; ++i) (void)block(n_ + i, n_ + i);
    // a_u by v stands in the row of the variable that a_u drives.
    const auto both_halves = [&](const std::vector<Place>& half, auto&& add) {
      for (int k = 0; k < static_cast<int>(half.size()); ++k) {
        add(k, half[k].row, half[k].column);
        if (half[k].row != half[k].column) add(k, half[k].column, half[k].row);
      }
    };
    both_halves(energy.hessian_places,
                [&](int k, int u, int v) { energy_terms_.push_back(term(k, conjugate(u), v)); });
    both_halves(drive.hessian_places, [&](int k, int u, int v) {
      if (is_state(u))
        drive_terms_.push_back(term(k, conjugate(u), v));
      else if (drive.stationary)
        kept_terms_.push_back(term(k, u, v));
    });
    for (int k = 0; k < static_cast<int>(drive.kept_places.size()); ++k) {
      kept_terms_.push_back(
          term(k, 2 * n_ + drive.kept_places[k].row, drive.kept_places[k].column));
      kept_terms_.back().of_drive = false;
    }
    return {std::move(sizes), places, order(energy, places)};
  }

  std::vector<int> order(const SparseDerivatives& energy,
                         const std::vector<MatrixPlace>& places) const {
    const std::vector<int> coordinates = coordinate_order(places);
    std::vector<int> rank(n_), last(m_, 0), result;
    for (int k = 0; k < n_; ++k) rank[coordinates[k]] = k;
    for (const auto& [constraint, v] : energy.slope_places)
      last[constraint] = std::max(last[constraint], rank[v % n_]);
    std::vector<std::vector<int>> after(n_);
    for (int i = 0; i < m_; ++i) after[last[i]].push_back(n_ + i);
    for (int k = 0; k < n_; ++k) {
      result.push_back(coordinates[k]);
      result.insert(result.end(), after[k].begin(), after[k].end());
    }
    return result;
  }
  std::vector<int> coordinate_order(const std::vector<MatrixPlace>& places) const {
    CouplingPattern coupled(n_), of_constraint(m_);
    for (const auto& [row, column] : places) {
      if (row < n_ && column < n_) coupled[row].push_back(column);
      if (row >= n_ && column < n_) of_constraint[row - n_].push_back(column);
    }
    for (const auto& coordinates : of_constraint)
      if (static_cast<int>(coordinates.size()) <= longest_clique)
        for (const int a : coordinates)
          for (const int b : coordinates) coupled[a].push_back(b);
    if (auto perfect = perfect_elimination_ordering(coupled)) return *std::move(perfect);
    return fill_reducing_ordering(coupled);
  }
  /// A constraint of more coordinates is a border of the matrix: it couples what it must anyway.
  static constexpr int longest_clique = 64;

  int n_, m_, s_, width_;
  std::vector<std::size_t> diagonal_;
  std::vector<Term> energy_terms_, drive_terms_, kept_terms_;
  SparseBlockLu<T> lu_;
  std::vector<int> start_;  // of each variable in the order of elimination
  std::vector<Values> values_;
};

}  // namespace rattleback
