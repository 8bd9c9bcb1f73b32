#include "make_mechanism_steps.hpp"

namespace rattleback {

template std::unique_ptr<MechanismSteps<double>> mechanism_steps(const MechanismModel&,
                                                                 const Values&, const std::string&,
                                                                 const SolveOptions&);

}  // namespace rattleback
