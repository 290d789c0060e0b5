#include "machine/live/nearest_memory.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "machine/live/number_list.hpp"

namespace nearfork {
namespace {

constexpr const char* nodes_folder = "/sys/devices/system/node/";

/// "10 23 26"
std::vector<unsigned> distances_in(std::string_view text) {
  std::vector<unsigned> distances;
  while (const auto one = take_number(text)) {
    distances.push_back(*one);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return distances;
}

class node_files {
 public:
  explicit node_files(const file_reader& read) : read_(read), online_(listed_numbers(text("online"))) {}

  [[nodiscard]] std::optional<unsigned> node_of(unsigned pu) const {
    for (const unsigned node : online_)
      if (std::ranges::count(listed_numbers(text(name_of(node) + "/cpulist")), pu) > 0) return node;
    return std::nullopt;
  }
  /// The distances are those to the online nodes, in their order.
  [[nodiscard]] std::optional<unsigned> nearest_with_memory(unsigned from) const {
    const std::vector<unsigned> distances = distances_in(text(name_of(from) + "/distance"));
    const std::vector<unsigned> with_memory = listed_numbers(text("has_memory"));
    if (distances.size() != online_.size()) return std::nullopt;
    std::optional<std::tuple<unsigned, bool, unsigned>> best;
    for (std::size_t i = 0; i < online_.size(); ++i) {
      if (std::ranges::count(with_memory, online_[i]) == 0) continue;
      const std::tuple candidate(distances[i], online_[i] < from, online_[i]);
      if (!best || candidate < *best) best = candidate;
    }
    return best ? std::optional(std::get<2>(*best)) : std::nullopt;
  }

 private:
  [[nodiscard]] static std::string name_of(unsigned node) { return "node" + std::to_string(node); }
  [[nodiscard]] std::string text(const std::string& name) const { return read_(nodes_folder + name).value_or(""); }

  const file_reader& read_;
  std::vector<unsigned> online_;
};

}  // namespace

std::optional<os_index> nearest_memory(os_index pu, const file_reader& read) {
  const node_files files(read);
  const auto own = files.node_of(number_of(pu));
  const auto nearest = own ? files.nearest_with_memory(*own) : std::nullopt;
  return nearest ? std::optional(os_index{*nearest}) : std::nullopt;
}

}  // namespace nearfork
