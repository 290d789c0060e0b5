// A recording as the bytes of an .nfg file; the format is in docs/RECORDING.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/recording.hpp"

namespace nearfork::trace {

/// Of what is written. Files of other versions are refused.
inline constexpr std::uint32_t format_version = 1;

/// Same recording, same bytes. Control characters in names become '?', and names longer than 4096 bytes are cut.
[[nodiscard]] std::string to_bytes(const recording& made);

/// Throws nearfork::error: not a recording, of another version, truncated, damaged. The message says of which file
/// (`name`), at which byte, and what to do. Takes memory in proportion to `bytes` alone: at most 64 times as much.
[[nodiscard]] recording from_bytes(std::string_view bytes, std::string_view name);

/// Throws nearfork::error: as from_bytes(), and where `path` cannot be read or is no regular file.
[[nodiscard]] recording load_recording(const std::string& path);

/// Writes a file beside `path` and gives it that name once it is whole and on disk, so that there is the old file, or the
/// new one, and never a part of it. Throws nearfork::error with the system's reason.
void save_recording(const recording& made, const std::string& path);

}  // namespace nearfork::trace
