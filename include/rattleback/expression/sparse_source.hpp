// What a model tells of its derivatives beside their values. A model that wraps another passes it
// on, or its steps are those of full matrices.
#pragma once

#include <memory>

#include "rattleback/expression/driven_derivatives.hpp"
#include "rattleback/expression/series.hpp"

namespace rattleback {

/// A SystemModel that has them.
class SparseSource {
 public:
  virtual ~SparseSource() = default;
  /// Made when first asked for; null where there are none.
  virtual std::shared_ptr<const SparseDerivatives> sparse() const = 0;
  virtual std::shared_ptr<const DrivenDerivatives> driven(Formulation form) const = 0;
  virtual std::shared_ptr<const SeriesField> series() const = 0;
};

/// Null where the model tells nothing.
template <class S>
std::shared_ptr<const SparseDerivatives> sparse_derivatives_of(const SystemModel<S>& model) {
  const auto* source = dynamic_cast<const SparseSource*>(&model);
  return source ? source->sparse() : nullptr;
}
template <class S>
std::shared_ptr<const DrivenDerivatives> driven_derivatives_of(const SystemModel<S>& model,
                                                               Formulation form) {
  const auto* source = dynamic_cast<const SparseSource*>(&model);
  return source ? source->driven(form) : nullptr;
}
template <class S>
std::shared_ptr<const SeriesField> series_field_of(const SystemModel<S>& model) {
  const auto* source = dynamic_cast<const SparseSource*>(&model);
  return source ? source->series() : nullptr;
}

}  // namespace rattleback
