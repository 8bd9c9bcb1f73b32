// In which scalars a system answers.
#pragma once

namespace rattleback {

namespace detail {

/// Run-time systems answer in the scalars they were built for; the others in any.
template <class Sys>
inline constexpr bool knows_all_scalars = !requires(const Sys& s) { s.template model<double>(); };

}  // namespace detail

}  // namespace rattleback
