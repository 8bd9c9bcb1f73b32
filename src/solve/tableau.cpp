#include "rattleback/solve/tableau.hpp"

namespace rattleback {

template Tableau<double> gauss_tableau(int);
template Tableau<double> lobatto_tableau(int);

}  // namespace rattleback
