// Reads a file as a whole. base/output/output_file.hpp writes one.
#pragma once

#include <string>
#include <string_view>

namespace nearfork::recordings {

/// If the file begins with something other than `beginning`, reads only as many bytes as that has, so that no large
/// foreign file is read.
/// Throws: nearfork::error if the file does not exist, may not be read, is no regular file, or is larger than the
/// available memory.
[[nodiscard]] std::string read_whole_file(const std::string& path, std::string_view beginning = {});

}  // namespace nearfork::recordings
