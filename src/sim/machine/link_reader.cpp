#include "sim/machine/link_reader.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/text/number_text.hpp"

namespace nearfork::sim {
namespace {

constexpr std::size_t most_links = 65536;

/// Maps the seats' names in the file, which are packages or nodes by OS index, to their places in `keys`.
class seating {
 public:
  enum class of { packages, nodes };

  seating(const machine& where, of what, model_values& values) : where_(where), what_(what) {
    for (const domain& one : where.domains()) {
      if (what == of::nodes && !seat_of(one))
        values.wrong("seats are nodes, but " + values.machine() + " has cores that belong to none");
      keys_.push_back(key_of(one));
    }
    for (std::uint32_t n = 0; n < node_count(where); ++n) keys_.push_back(key_of_node(n));
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(keys_.size()); }
  [[nodiscard]] std::uint32_t seat(const domain& one) const { return place_of(key_of(one)); }
  [[nodiscard]] std::uint32_t seat_of_node(std::uint32_t node) const { return place_of(key_of_node(node)); }
  [[nodiscard]] const char* noun() const noexcept { return what_ == of::packages ? "package" : "node"; }

  [[nodiscard]] std::optional<std::uint32_t> called(std::uint32_t os) const {
    if (what_ == of::packages) {
      const auto found = std::ranges::find(where_.packages(), os_index{os}, &package::os);
      if (found == where_.packages().end()) return std::nullopt;
      const auto key = static_cast<std::uint32_t>(found - where_.packages().begin());
      return std::ranges::binary_search(keys_, key) ? std::optional(place_of(key)) : std::nullopt;
    }
    const auto found = std::ranges::find(where_.nodes(), os_index{os}, &memory_node::os);
    if (found == where_.nodes().end()) return std::nullopt;
    return seat_of_node(static_cast<std::uint32_t>(found - where_.nodes().begin()));
  }

 private:
  [[nodiscard]] std::uint32_t key_of(const domain& one) const {
    return static_cast<std::uint32_t>(what_ == of::packages ? index_of_id(one.package) : index_of_id(*seat_of(one)));
  }
  /// Memory belongs to the first domain that it is local to. Memory without cores has its own seat, or is in the first
  /// package.
  [[nodiscard]] std::uint32_t key_of_node(std::uint32_t node) const {
    if (where_.nodes().empty() || where_.nodes()[node].domains.empty()) return what_ == of::nodes ? node : 0;
    return key_of(where_.at(where_.nodes()[node].domains.front()));
  }
  [[nodiscard]] std::uint32_t place_of(std::uint32_t key) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(keys_, key) - keys_.begin());
  }

  const machine& where_;
  of what_;
  std::vector<std::uint32_t> keys_;
};

struct ends {
  std::uint32_t one = 0;
  std::uint32_t other = 0;
};

std::optional<ends> ends_from(std::string_view pair) {
  constexpr number_range seats{0, std::numeric_limits<std::uint32_t>::max()};
  const std::size_t dash = pair.find('-');
  if (dash == pair.npos) return std::nullopt;
  const auto one = parse_number(pair.substr(0, dash), seats);
  const auto other = parse_number(pair.substr(dash + 1), seats);
  if (!one || !other) return std::nullopt;
  return ends{static_cast<std::uint32_t>(*one), static_cast<std::uint32_t>(*other)};
}

std::uint32_t seat_called(std::uint32_t os, const seating& seats, const model_values& values, std::size_t line) {
  if (const auto seat = seats.called(os)) return *seat;
  refuse(values.text(), line,
         "there is no " + std::string(seats.noun()) + " " + std::to_string(os) + " in " + values.machine());
}

link_model link_from(std::string_view pair, const seating& seats, const model_values& values, std::size_t line) {
  const auto said = ends_from(pair);
  if (!said) refuse(values.text(), line, quoted(pair) + " is no link; write the two seats that it lies between: 0-1");
  const link_model made{.one = seat_called(said->one, seats, values, line),
                        .other = seat_called(said->other, seats, values, line)};
  if (made.one == made.other) refuse(values.text(), line, quoted(pair) + " has both ends at one seat");
  return made;
}

/// Reads all links of one name.
void read_group(const model_entry& entry, const seating& seats, model_values& values, std::uint32_t line_bytes,
                std::vector<link_model>& into) {
  if (entry.selectors.size() != 1) refuse(values.text(), entry.line, "links have one name: links NAME = 0-1 0-2");
  const model_values::selectors name{std::string(entry.selectors.front())};
  (void)values.entry("links", name);
  const std::uint64_t line_ps = line_ps_at(values.must("link_gb_s", name), line_bytes);
  const auto latency_ns = values.find("link_ns", name);
  for (std::string_view rest = entry.value; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    if (into.size() >= most_links) refuse(values.text(), entry.line, "there are more than 65536 links");
    into.push_back(link_from(pair, seats, values, entry.line));
    into.back().line_ps = line_ps;
    if (latency_ns) into.back().latency_ps = in_thousandths(*latency_ns);
  }
}

}  // namespace

interconnect read_interconnect(const machine& where, model_values& values, std::uint32_t line_bytes) {
  interconnect made;
  const model_entry* const said = values.entry("seats");
  if (said == nullptr) {
    if (where.packages().size() > 1) values.missing("seats, links and link_gb_s");
    return made;
  }
  if (said->value != "packages" && said->value != "nodes")
    refuse(values.text(), said->line, "seats are packages or nodes, not " + quoted(said->value));
  const seating seats(where, said->value == "packages" ? seating::of::packages : seating::of::nodes, values);
  made.seats = seats.count();
  for (const domain& one : where.domains()) made.seat_of_domain.push_back(seats.seat(one));
  for (std::uint32_t n = 0; n < node_count(where); ++n) made.seat_of_node.push_back(seats.seat_of_node(n));
  for (const model_entry& one : values.text().entries)
    if (one.key == "links") read_group(one, seats, values, line_bytes, made.links);
  if (made.links.empty()) values.missing("links");
  if (const auto ns = values.find("further_link_ns")) made.further_link_ps = in_thousandths(*ns);
  return made;
}

}  // namespace nearfork::sim
