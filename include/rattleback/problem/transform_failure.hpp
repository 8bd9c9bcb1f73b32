// Why a Legendre transform found nothing. It then gives what is not a number, so that the step
// which asked for it fails as a value; whoever explains the failure finds the reason here.
#pragma once

#include <string>

namespace rattleback::detail {

/// Of the last transform of this thread that failed; empty: none since it was cleared.
inline thread_local std::string transform_failure;

}  // namespace rattleback::detail
