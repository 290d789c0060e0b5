// A recording as the bytes of an .nfg file; the format is in docs/RECORDING.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace nearfork::recordings {

/// The versions that are read. A recording is written in the lowest version that can say all of it: the first knows
/// neither the order in which regions ran nor the program's allocations, and the second knows no dataflow tasks.
inline constexpr std::uint32_t first_format_version = 1;
inline constexpr std::uint32_t setup_format_version = 2;
inline constexpr std::uint32_t format_version = 3;

/// The same recording always gives the same bytes. Control characters in names become '?', names longer than 4096 bytes
/// are cut, and a region with the name of an earlier region gets a number after it. Numbers are written unchecked:
/// from_bytes() may refuse them.
[[nodiscard]] std::string to_bytes(const recording& made);

/// The same piece by piece, for graphs that are codes already (graph_encoder). First come all facts except regions,
/// then each region, and after it as many iterations as it says.
class recording_encoder {
 public:
  /// `facts` without regions.
  explicit recording_encoder(const recording& facts);
  ~recording_encoder();
  recording_encoder(const recording_encoder&) = delete;
  recording_encoder& operator=(const recording_encoder&) = delete;

  /// `one` without iterations.
  void add_region(const region& one, std::uint64_t recorded);
  /// `flow`: the dataflow tasks among those of the graph.
  void add_iteration(std::uint64_t number, std::uint64_t duration_ns, std::string_view graph_code,
                     const flow_order& flow);
  [[nodiscard]] std::string take();

 private:
  class sections;
  std::unique_ptr<sections> made_;
};

/// Reads a recording.
/// Throws: nearfork::error if the bytes are no recording, have another version, are truncated, damaged or inconsistent,
/// or have numbers or sums beyond their bounds (recording_bounds.hpp). The message names the file (`name`) and the
/// byte, and says what to do. Memory use is at most 64 times `bytes`.
[[nodiscard]] recording from_bytes(std::string_view bytes, std::string_view name);

/// Throws: nearfork::error as from_bytes(), and if `path` cannot be read or is no regular file.
[[nodiscard]] recording load_recording(const std::string& path);

/// Writes a file beside `path`, and renames it to `path` once it is whole and on disk. So there is always the old file
/// or the new one, and never a part. Throws: nearfork::error with the system's reason.
void save_recording(const recording& made, const std::string& path);

}  // namespace nearfork::recordings
