#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace nearfork::tools {

/// Where a text comes from, piece by piece: fills the beginning of the span and returns how many bytes; 0 at the end.
using text_source = std::function<std::size_t(std::span<char> into)>;

/// A file, or a pipe. Throws: nearfork::error if it cannot be opened, or is a folder; when called, if it cannot be
/// read.
[[nodiscard]] text_source text_of_file(const std::string& path);

/// A text in memory, which must outlive the source.
[[nodiscard]] text_source text_in_memory(std::string_view text);

}  // namespace nearfork::tools
