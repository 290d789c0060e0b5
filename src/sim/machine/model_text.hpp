// The text of a machine's model file as entries: what each line sets, and the source of its value. docs/MACHINES.md
// explains the keys, and model_reader.hpp reads them.
//
//   [mccalpin] J. McCalpin, "AMD Opteron Memory Latency Chart", 2010
//   memory_ns DRAM 10 = 100   # [mccalpin] four sockets
//   package_w = 12            # estimate: idle power less that of idle cores
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork::sim {

struct model_source {
  std::size_t line = 0;
  std::string_view name;  // without brackets
  std::string_view text;
};

/// One value. The views point into the parsed text.
struct model_entry {
  std::size_t line = 0;
  std::string_view key;
  /// What the value is for: cache level, core kind, memory kind, node, group of links.
  std::vector<std::string_view> selectors;
  std::string_view value;
  std::string_view source;  // "[name] and more", "estimate: why", "measured: how"
};

struct model_text {
  std::string name;  // of the file, for messages
  std::vector<model_source> sources;
  std::vector<model_entry> entries;
};

inline constexpr std::size_t most_model_bytes = 1 << 20;

/// Throws: nearfork::error, with file and line, if a line is no entry, a value has no source, a source is not listed,
/// or a value is set twice. O(size * log(size)).
[[nodiscard]] model_text parse_model_text(std::string_view text, std::string name);

/// True if the source was quoted without the document at hand: its line ends in "(unchecked)".
[[nodiscard]] bool is_unchecked(const model_source& source) noexcept;
/// The name of the source that the value cites; empty: none.
[[nodiscard]] std::string_view cited(const model_entry& entry) noexcept;

/// "[a] x" cites a source; "estimate: x" and "measured: x" do not.
[[nodiscard]] bool is_estimate(const model_entry& entry) noexcept;

/// Throws: nearfork::error "FILE:LINE: what".
[[noreturn]] void refuse(const model_text& where, std::size_t line, const std::string& what);

}  // namespace nearfork::sim
