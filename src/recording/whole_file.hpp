// A file as a whole: read at once. How one is written: base/output/output_file.hpp.
#pragma once

#include <string>
#include <string_view>

namespace nearfork::recordings {

/// Of a file with another beginning only as many bytes as `beginning` has, so that no large foreign file is read. Throws
/// nearfork::error: it is not there, may not be read, is no regular file, or is larger than the memory there is.
[[nodiscard]] std::string read_whole_file(const std::string& path, std::string_view beginning = {});

}  // namespace nearfork::recordings
