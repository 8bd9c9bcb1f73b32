// Block tridiagonal LDL^T with blocks of compile-time size, eliminated from both ends.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/ldlt_kernels.hpp"

namespace rattleback {

/// Blocks of B rows couple to their neighbours only; the last block may be shorter.
template <class S, int B>
class BlockChainLdlt {
 public:
  explicit BlockChainLdlt(int size) : size_(size), blocks_((size + B - 1) / B) {
    if (size < 1) throw std::invalid_argument("BlockChainLdlt: size is " + std::to_string(size));
  }

  int size() const { return size_; }

  template <class Entry>
  FactorReport factor(Entry&& entry) {
    const int count = int(blocks_.size()), middle = count / 2;
    // Rows past the end are those of the identity.
    auto padded = [&](int i, int j) {
      if (i < size_) return S(entry(i, j));
      return S(i == j ? 1 : 0);
    };
    int i = 0, j = count - 1;
    while (i < middle || j > middle) {
      if (i < middle) eliminate(i, i > 0 ? i - 1 : -1, -1, padded), ++i;
      if (j > middle) eliminate(j, -1, j < count - 1 ? j + 1 : -1, padded), --j;
    }
    eliminate(middle, middle - 1, middle < count - 1 ? middle + 1 : -1, padded);
    detail::PivotMonitor<S> monitor;
    for (int k = 0; k < size_; ++k) monitor.add(S(entry(k, k)), inverse(k));
    return monitor.report(size_, [&](double limit) {
      for (int k = 0; k < count; ++k) {  // in the order of elimination
        const int block = k < middle ? k : count - 1 - (k - middle);
        for (int row = block * B; row < block * B + width(block); ++row)
          if (detail::unusable<S>(entry(row, row), inverse(row), limit)) return row;
      }
      return 0;
    });
  }

  template <class Vec>
  void solve(Vec&& b) const {
    const int count = int(blocks_.size()), middle = count / 2;
    for (int i = 1, j = count - 2; i < middle || j > middle; ++i, --j) {
      if (i < middle) forward(b, i, i - 1, blocks_[i].up);
      if (j > middle) forward(b, j, j + 1, blocks_[j].down);
    }
    if (middle > 0) forward(b, middle, middle - 1, blocks_[middle].up);
    if (middle < count - 1) forward(b, middle, middle + 1, blocks_[middle].down);
    solve_block(b, middle);
    for (int i = middle - 1, j = middle + 1; i >= 0 || j < count; --i, ++j) {
      if (i >= 0) backward(b, i, i + 1, blocks_[i + 1].up);
      if (j < count) backward(b, j, j - 1, blocks_[j - 1].down);
    }
  }

 private:
  using Square = std::array<S, B * B>;
  struct Block {
    std::array<S, detail::packed_size(B) + 1> lower;
    std::array<S, B> inverse;
    Square up, down;  // A_ik D_k^-1 for the neighbour k above or below, if eliminated before
  };

  const S& inverse(int row) const { return blocks_[row / B].inverse[row % B]; }
  int width(int block) const { return (block + 1) * B <= size_ ? B : size_ - block * B; }

  /// D_i = A_ii - A_i,above D_above^-1 A_above,i - (the same from below); -1: no such neighbour.
  template <class Entry>
  void eliminate(int i, int above, int below, Entry& entry) {
    Square schur;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c <= r; ++c) schur[r * B + c] = entry(i * B + r, i * B + c);
    Block& block = blocks_[i];
    if (above >= 0)
      subtract(schur, block.up, blocks_[above],
               [&](int r, int c) { return entry(i * B + r, above * B + c); });
    if (below >= 0)
      subtract(schur, block.down, blocks_[below],
               [&](int r, int c) { return entry(below * B + c, i * B + r); });
    detail::PivotMonitor<S> unused;  // against the matrix's own diagonal: see factor
    detail::ldlt_factor<B>(
        B, block.lower.data(), block.inverse.data(), [&](int r, int c) { return schur[r * B + c]; },
        unused);
  }

  template <class Coupling>
  static void subtract(Square& schur, Square& m, const Block& neighbour, Coupling&& coupling) {
    Square a;
    for (int r = 0; r < B; ++r) {
      for (int c = 0; c < B; ++c) m[r * B + c] = a[r * B + c] = coupling(r, c);
      detail::ldlt_solve<B>(B, neighbour.lower.data(), neighbour.inverse.data(), &m[r * B]);
    }
    for (int r = 0; r < B; ++r)
      for (int c = 0; c <= r; ++c)
        for (int k = 0; k < B; ++k) schur[r * B + c] -= m[r * B + k] * a[c * B + k];
  }

  template <class Vec>
  void forward(Vec& b, int i, int from, const Square& m) const {
    const int rows = width(i), columns = width(from);
    for (int r = 0; r < rows; ++r) {
      auto t = b[i * B + r];
      for (int c = 0; c < columns; ++c) t -= m[r * B + c] * b[from * B + c];
      b[i * B + r] = t;
    }
  }

  template <class Vec>
  void solve_block(Vec& b, int i) const {
    const Block& block = blocks_[i];
    if (width(i) == B)
      detail::ldlt_solve<B>(B, block.lower.data(), block.inverse.data(), b, i * B);
    else
      detail::ldlt_solve<dynamic>(width(i), block.lower.data(), block.inverse.data(), b, i * B);
  }

  template <class Vec>
  void backward(Vec& b, int i, int from, const Square& m) const {
    solve_block(b, i);
    const int rows = width(from), columns = width(i);
    for (int c = 0; c < columns; ++c) {
      auto t = b[i * B + c];
      for (int r = 0; r < rows; ++r) t -= m[r * B + c] * b[from * B + r];
      b[i * B + c] = t;
    }
  }

  int size_;
  std::vector<Block> blocks_;
};

}  // namespace rattleback
