// A machine of one cache domain, with its cores as domains.
#pragma once

#include "machine/model/machine.hpp"

namespace nearfork {

/// `whole` with each core as a domain of its own, which has its part of the shared caches. The numbers of cores, PUs,
/// packages and nodes stay. machine::cores_are_domains() is true for it. O(cores x nodes).
[[nodiscard]] machine cores_as_domains(const machine& whole);

}  // namespace nearfork
