// Where the run report and the recording of a runtime go: looked at when it starts, written when it stops.
#pragma once

#include <cstddef>
#include <string>

#include <nearfork/config.hpp>

namespace nearfork {

class scheduler;

/// `settings` with the paths of its outputs made absolute, so that a program may change its folder meanwhile. Throws
/// nearfork::error where one of them cannot be written: before the work, not after it.
[[nodiscard]] config with_checked_outputs(config settings);

/// When a runtime stops. A report is added to those that runtimes of this process wrote to the same file, and replaces
/// what anybody else wrote there. What cannot be written is told on stderr.
void write_outputs(const scheduler& stopped, const config& settings) noexcept;

/// Whether write_outputs() had to tell stderr so in this process: our command ends with another status then.
[[nodiscard]] bool an_output_was_lost() noexcept;

/// The text of a file that has one more report. `before`: the text with `reports` of them. JSON: the object of the only
/// report, or an array of them.
[[nodiscard]] std::string with_one_more(const std::string& before, std::size_t reports, const std::string& report,
                                        bool as_json);

}  // namespace nearfork
