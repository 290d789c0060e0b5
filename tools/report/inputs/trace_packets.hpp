// The packets of a trace in Perfetto's format, as far as nearfork writes them (src/trace/perfetto_trace.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nearfork::tools {

enum class packet_event : std::uint8_t { slice_begins = 1, slice_ends = 2, instant = 3, counter = 4 };

/// Texts live as long as the content, or as the packets that were read.
struct trace_packet {
  std::uint64_t at_ns = 0;
  std::uint64_t track = 0;
  packet_event kind = packet_event::instant;
  std::string_view name{};
  std::vector<std::pair<std::string_view, std::string_view>> facts{};
  std::vector<std::uint64_t> flows{};  // that begin or go on here
  std::uint64_t last_of_flow = 0;      // 0: none
  double value = 0;                    // of a counter
};

struct trace_track {
  std::uint64_t number = 0;
  std::string name{};
  bool is_thread = false;
  bool is_process = false;
};

/// Calls `on_track` and `on_event` in the order of the packets. Packets of other kinds are left out.
/// Throws: nearfork::error that names the file and the packet if the content is damaged.
void read_packets(std::string_view content, const std::string& file,
                  const std::function<void(const trace_track&)>& on_track,
                  const std::function<void(const trace_packet&)>& on_event);

}  // namespace nearfork::tools
