// All law checkers: what a structure-preserving method can be held to.
#pragma once

#include "rattleback/testing/energy.hpp"
#include "rattleback/testing/fibres.hpp"
#include "rattleback/testing/form.hpp"
#include "rattleback/testing/jacobian.hpp"
#include "rattleback/testing/motion_laws.hpp"
#include "rattleback/testing/order.hpp"
#include "rattleback/testing/residuals.hpp"
#include "rattleback/testing/reversal.hpp"
