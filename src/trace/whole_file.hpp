// Files as a whole: read at once, or replaced at once.
#pragma once

#include <string>
#include <string_view>

namespace nearfork::trace {

/// Of a file with another beginning only as many bytes as `beginning` has, so that no large foreign file is read. Throws
/// nearfork::error: it is not there, may not be read, or is no regular file.
[[nodiscard]] std::string read_whole_file(const std::string& path, std::string_view beginning);

/// `path` has its old content, or this one: a file written beside it takes its name at the end. Throws nearfork::error, and
/// leaves nothing behind then.
void replace_file(const std::string& path, std::string_view content);

}  // namespace nearfork::trace
