// Where the run report, the recording and the trace of a runtime go: checked when the runtime starts, written when it
// stops.
#pragma once

#include <cstddef>
#include <string>

#include <nearfork/config.hpp>

namespace nearfork {

class scheduler;

/// `settings` with the paths of its outputs made absolute, so that a program may change its folder meanwhile. Throws
/// nearfork::error if an output cannot be written: before the work, not after it.
[[nodiscard]] config with_checked_outputs(config settings);

/// Called when a runtime stops. Adds the report to those that runtimes of this process wrote to the same file; replaces
/// what other processes wrote there. Says on stderr what cannot be written.
void write_outputs(const scheduler& stopped, const config& settings) noexcept;

/// Whether write_outputs() failed to write an output in this process: then the nearfork command ends with another
/// status.
[[nodiscard]] bool an_output_was_lost() noexcept;

/// The text of a file with one report more. `before`: the text with `reports` reports. JSON: the object of the only
/// report, or an array of all.
[[nodiscard]] std::string with_one_more(const std::string& before, std::size_t reports, const std::string& report,
                                        bool as_json);

}  // namespace nearfork
