#include "tools/sim/node_capacity.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"

namespace nearfork::tools {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;

[[noreturn]] void refuse(const std::string& wanted, const std::string& why) {
  throw error("nearfork: --node-capacity " + nearfork::quoted(wanted) + ": " + why +
              "; say a size for all nodes, 4G, or sizes for some, 0=4G,4=256M");
}

std::uint64_t size_in(const std::string& wanted, std::string_view text) {
  const auto bytes = parse_size(text, {0, most_bytes});
  if (!bytes)
    refuse(wanted, nearfork::quoted(text) + " is no size up to " + size_text(most_bytes) +
                       " (K, M and G are KiB, MiB and GiB)");
  return *bytes;
}

std::size_t node_in(const simulated_machine& of, const std::string& wanted, std::string_view text) {
  const auto number = parse_number(text, {0, std::numeric_limits<std::uint32_t>::max()});
  const auto& nodes = of.what->nodes();
  const auto found =
      number ? std::ranges::find(nodes, os_index{static_cast<std::uint32_t>(*number)}, &memory_node::os) : nodes.end();
  if (found == nodes.end()) refuse(wanted, of.name + " has no memory node " + nearfork::quoted(text));
  return static_cast<std::size_t>(found - nodes.begin());
}

}  // namespace

void set_node_capacity(simulated_machine& of, const std::string& wanted) {
  if (wanted.empty()) return;
  std::vector<std::uint64_t>& bytes = of.model.node_bytes;
  // What the machine does not say is no bound.
  if (bytes.empty()) bytes.assign(sim::node_count(*of.what), most_bytes);
  if (wanted.find('=') == wanted.npos) {
    std::ranges::fill(bytes, size_in(wanted, wanted));
  } else {
    std::vector<bool> is_named(bytes.size());
    for (std::string_view rest = wanted;;) {
      const std::size_t comma = rest.find(',');
      const std::string_view part = rest.substr(0, comma);
      const std::size_t equals = part.find('=');
      if (equals == part.npos) refuse(wanted, nearfork::quoted(part) + " has no size");
      const std::size_t node = node_in(of, wanted, part.substr(0, equals));
      if (is_named[node]) refuse(wanted, "node " + std::string(part.substr(0, equals)) + " is named twice");
      is_named[node] = true;
      bytes[node] = size_in(wanted, part.substr(equals + 1));
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  if (std::ranges::all_of(bytes, [&](std::uint64_t one) { return one < of.model.page_bytes; }))
    refuse(wanted, "no node of " + of.name + " has room for a page of " + size_text(of.model.page_bytes) + " bytes");
}

}  // namespace nearfork::tools
