// A machine of one cache domain, seen more finely.
#pragma once

#include "machine/model/machine.hpp"

namespace nearfork {

/// `whole` with every core as a domain of its own, its part of the shared caches included; numbers of cores, PUs, packages and
/// nodes stay. machine::cores_are_domains() says so of it. O(cores x nodes).
[[nodiscard]] machine cores_as_domains(const machine& whole);

}  // namespace nearfork
