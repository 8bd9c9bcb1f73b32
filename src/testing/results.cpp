#include "rattleback/testing/results.hpp"

#include <cmath>
#include <limits>
#include <sstream>

namespace rattleback::testing {

namespace {

std::string with_failure(const std::ostringstream& out, const Result& r) {
  return r.failure.empty() ? out.str() : out.str() + "; " + r.failure;
}

const char* name(SymplecticOn on) {
  switch (on) {
    case SymplecticOn::nothing:
      return "nothing";
    case SymplecticOn::phase_space:
      return "phase space";
    case SymplecticOn::primary_manifold:
      return "the primary manifold";
    case SymplecticOn::state_manifold:
      return "the state manifold";
  }
  return "?";
}

}  // namespace

std::vector<double> OrderResult::slopes() const {
  std::vector<double> found;
  for (std::size_t k = 1; k < errors.size() && errors[k] > plateau; ++k)
    found.push_back(std::log2(errors[k - 1] / errors[k]));
  return found;
}

double OrderResult::slope() const {
  const auto all = slopes();
  return all.empty() ? std::numeric_limits<double>::quiet_NaN() : all.back();
}

bool OrderResult::holds(double tolerance) const {
  return failure.empty() && std::abs(slope() - expected) <= tolerance;
}

std::string OrderResult::text() const {
  std::ostringstream out;
  out << "order " << slope() << " (expected " << expected << "); errors";
  for (std::size_t k = 0; k < errors.size(); ++k) out << ' ' << errors[k] << " at " << steps[k];
  return with_failure(out, *this);
}

std::string ReversalResult::text() const {
  std::ostringstream out;
  out << "there and back at step " << step << " misses by " << defect;
  return with_failure(out, *this);
}

std::string FormResult::text() const {
  std::ostringstream out;
  out << "symplectic form on " << name(on) << " (" << directions << " directions) changes by "
      << defect << "; the image leaves it by " << leaving;
  return with_failure(out, *this);
}

std::string JacobianResult::text() const {
  std::ostringstream out;
  out << "Jacobian of the step map, entries up to " << size << ": dual numbers are off by "
      << difference;
  return with_failure(out, *this);
}

std::string ResidualResult::text() const {
  std::ostringstream out;
  out << "relative residuals over " << steps << " steps: g " << primary << ", {g,H} " << hidden;
  return with_failure(out, *this);
}

double EnergyResult::growth() const { return early_spread > 0 ? spread / early_spread : 1; }

double EnergyResult::drift_share() const { return spread > 0 ? std::abs(drift) / spread : 0; }

std::string EnergyResult::text() const {
  std::ostringstream out;
  out << "energy over " << steps << " steps: spread " << spread << ", " << growth()
      << " times that of the first quarter; drift " << drift << ", " << drift_share()
      << " of the spread; " << one_way << " of 31 moves go one way";
  return with_failure(out, *this);
}

std::string FibreResult::text() const {
  std::ostringstream out;
  out << "difference on fibres over " << steps << " steps " << difference;
  return with_failure(out, *this);
}

std::ostream& operator<<(std::ostream& out, const OrderResult& r) { return out << r.text(); }
std::ostream& operator<<(std::ostream& out, const ReversalResult& r) { return out << r.text(); }
std::ostream& operator<<(std::ostream& out, const FormResult& r) { return out << r.text(); }
std::ostream& operator<<(std::ostream& out, const JacobianResult& r) { return out << r.text(); }
std::ostream& operator<<(std::ostream& out, const ResidualResult& r) { return out << r.text(); }
std::ostream& operator<<(std::ostream& out, const EnergyResult& r) { return out << r.text(); }
std::ostream& operator<<(std::ostream& out, const FibreResult& r) { return out << r.text(); }

double KernelResult::largest() const {
  double most = 0;
  for (double defect : {linearise, kick, hidden, transpose, gram, shift, newton, launch, arrive,
                        reach, between, curvature})
    most = larger(most, defect);
  return most;
}

std::string KernelResult::text() const {
  std::ostringstream out;
  out << "linearise " << linearise << ", kick " << kick << ", hidden " << hidden << ", transpose "
      << transpose << ", gram " << gram << ", shift " << shift << ", newton " << newton << " after "
      << newton_steps << ", launch " << launch << ", land " << land << " eps, arrive " << arrive
      << ", floor " << (floor ? "right" : "WRONG") << ", branch " << (branch ? "right" : "WRONG")
      << " (turned at " << turned << ")";
  if (multistep_verbs > 0)
    out << ", reach " << reach << ", settled " << (settled ? "right" : "WRONG") << ", between "
        << between << ", left over " << left_over << ", curvature " << curvature;
  return with_failure(out, *this);
}

std::string KernelStepsResult::text() const {
  std::ostringstream out;
  out << "differences: state " << state << ", lambda " << lambda << "; balance " << balance;
  return with_failure(out, *this);
}

}  // namespace rattleback::testing
