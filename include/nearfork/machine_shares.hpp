#pragma once

#include <nearfork/detail/language.hpp>

#include <vector>

#include <nearfork/config.hpp>

namespace nearfork {

/// Splits the machine among processes that share it: parts with PUs of their own, by the numbers of the system.
///
///     const std::vector<std::vector<unsigned>> shares = nearfork::machine_shares(4);
///     // bind this process to shares[which], and start its runtime
///
/// Whole cache domains while there are enough, else cores of one domain. A core is never split: where there are more
/// parts than cores, parts share cores. Parts of one number and machine are the same in each process that may use the
/// same PUs.
/// Returns: the PUs of each part, ascending; no part is empty.
/// Complexity: reads the machine, milliseconds. Thread-safety: any thread.
/// Throws: nearfork::error if `parts` is 0, or if the machine that `settings` name does not exist.
[[nodiscard]] std::vector<std::vector<unsigned>> machine_shares(unsigned parts, const config& settings = {});

}  // namespace nearfork
