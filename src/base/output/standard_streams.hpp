// The results on standard output must arrive, or the command's status must say so.
#pragma once

#include <string>

namespace nearfork {

/// Call it first in main(). Replaces each closed standard stream by one that cannot be written to. So no file that is
/// opened later gets its number and is written to by mistake. Also makes a limit on the size of files an error of the
/// write.
void secure_standard_streams() noexcept;

/// Throws: nearfork::error if standard output is closed. Call it before long work with a result there.
void expect_standard_output();

/// Writes what is buffered. Throws: nearfork::error if this or any earlier write failed.
void flush_standard_output();

/// Writes a line to stderr. Ignores errors, because the reason for the line matters more.
void tell(const std::string& line) noexcept;

/// The message after a failed write to standard output. `error_number` 0: the reason is not known.
[[nodiscard]] std::string lost_output_text(int error_number);

}  // namespace nearfork
