// Eigen without the false warnings of its packet code: g++ 12 takes the deliberately undefined
// registers of its own AVX-512 headers for mistakes (GCC PR 105593), and Eigen 3.4 leaves variables
// unused there. The pragmas hold for these headers only, wherever they are inlined.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wignored-attributes"
#include <Eigen/Core>
#pragma GCC diagnostic pop
