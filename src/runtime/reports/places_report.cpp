#include "runtime/reports/places_report.hpp"

#include <algorithm>
#include <ostream>

#include "base/text/message_text.hpp"

namespace nearfork {
namespace {

/// More lines nobody reads: JSON has all.
constexpr std::size_t most_lines = 8;

void write_counts(std::ostream& out, const std::vector<unsigned>& nodes, const std::vector<std::uint64_t>& counts) {
  const char* separator = "";
  for (std::size_t i = 0; i < nodes.size() && i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out << separator << counts[i] << " on node " << nodes[i];
    separator = ", ";
  }
  if (*separator == '\0') out << "none touched";
}

void write_traffic(std::ostream& out, const places_report& places) {
  for (std::size_t domain = 0; domain < places.traffic.size(); ++domain) {
    const auto& row = places.traffic[domain];
    if (std::ranges::all_of(row, [](std::uint64_t bytes) { return bytes == 0; })) continue;
    out << "  domain " << domain << ", by hints:";
    for (std::size_t i = 0; i < row.size(); ++i)
      out << (i == 0 ? " " : ", ") << row[i] << " bytes on node " << places.nodes[i];
    out << '\n';
  }
}

void write_numbers(json_writer& out, const char* name, const std::vector<std::uint64_t>& values) {
  out.begin_array(name);
  for (const std::uint64_t one : values) out.element(one);
  out.end();
}

}  // namespace

void write_places(std::ostream& out, const places_report& places) {
  if (!places.note.empty()) out << "where data lie is not known: " << places.note << '\n';
  if (places.asked_pages == 0) return;
  out << "where data lie: " << places.blocks.size() << " blocks, looked at " << places.looks << " times\n";
  for (std::size_t i = 0; i < std::min(places.blocks.size(), most_lines); ++i) {
    const block_places& one = places.blocks[i];
    out << "  " << without_controls(one.name) << ", " << one.asked << " of " << one.pages << " pages: ";
    write_counts(out, places.nodes, one.first);
    if (one.last != one.first) {
      out << "; at the end ";
      write_counts(out, places.nodes, one.last);
    }
    out << '\n';
  }
  write_traffic(out, places);
}

void write_places(json_writer& out, const places_report& places) {
  out.begin_object("places");
  out.member("looks", places.looks);
  out.member("asked_pages", places.asked_pages);
  out.member("looking_ns", places.looking_ns);
  write_numbers(out, "nodes", {places.nodes.begin(), places.nodes.end()});
  out.begin_array("domains");
  for (std::size_t i = 0; i < places.node_of_domain.size(); ++i) {
    out.begin_object();
    out.member("domain", std::uint64_t{i});
    out.member_or_null("node", places.node_of_domain[i]);
    if (i < places.traffic.size()) write_numbers(out, "hinted_bytes", places.traffic[i]);
    out.end();
  }
  out.end();
  out.begin_array("blocks");
  for (const block_places& one : places.blocks) {
    out.begin_object();
    out.member("name", one.name);
    out.member("bytes", one.bytes);
    out.member("pages", one.pages);
    out.member("asked", one.asked);
    write_numbers(out, "first", one.first);
    write_numbers(out, "last", one.last);
    write_numbers(out, "hinted_bytes", one.hinted_bytes);
    out.end();
  }
  out.end();
  out.member("blocks_left_out", places.blocks_left_out);
  out.member("hinted_regions", places.hinted_regions);
  out.member("unplaced_bytes", places.unplaced_bytes);
  out.member("note", places.note);
  out.end();
}

}  // namespace nearfork
