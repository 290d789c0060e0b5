// What a command says on standard output must arrive, or its status says so.
#pragma once

#include <string>

namespace nearfork {

/// First of all in main(). A standard stream that was closed gets a stand-in that nothing can be written to, so that no file that
/// is opened later takes its number and is written to by mistake. A limit on the size of files becomes an error of the write.
void secure_standard_streams() noexcept;

/// Throws nearfork::error where standard output is closed: before long work whose result goes there.
void expect_standard_output();

/// Writes what is buffered. Throws nearfork::error if that, or anything before it, could not be written.
void flush_standard_output();

/// A line on stderr. Nothing happens where that cannot be written: what it is about matters more.
void tell(const std::string& line) noexcept;

/// What to say of standard output after a write to it failed; `error_number` 0: the reason is not known.
[[nodiscard]] std::string lost_output_text(int error_number);

}  // namespace nearfork
