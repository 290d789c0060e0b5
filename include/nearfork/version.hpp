#pragma once

#include <nearfork/detail/language.hpp>

/// The version of these headers. The build reads it from here, so CMake and pkg-config name the same.
///
///     #if NEARFORK_VERSION >= 100  // 0.1.0 or later
#define NEARFORK_VERSION_MAJOR 0
/// See NEARFORK_VERSION_MAJOR.
#define NEARFORK_VERSION_MINOR 1
/// See NEARFORK_VERSION_MAJOR.
#define NEARFORK_VERSION_PATCH 0

/// The version as one number that grows with it: 10000 * major + 100 * minor + patch.
#define NEARFORK_VERSION (10000 * NEARFORK_VERSION_MAJOR + 100 * NEARFORK_VERSION_MINOR + NEARFORK_VERSION_PATCH)
