#include "tools/sim/cluster/cluster_machine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"

namespace nearfork::tools {
namespace {

constexpr std::string_view before_link = ", link ";
constexpr double most_gb_per_s = 1e6;
constexpr double most_latency_ns = 1e9;

[[noreturn]] void refuse_cluster(const std::string& text, const std::string& why) {
  throw error(fmt::format("nearfork: the cluster {} {}; describe it as {}", nearfork::quoted(text), why, cluster_form));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

double number_of(const std::string& text, const std::string& word, double most, const char* what) {
  const std::optional<double> found = parse_decimal(word);
  if (!found || *found <= 0 || *found > most)
    refuse_cluster(
        text, fmt::format("has {} for {}, which is more than 0 and at most {}", nearfork::quoted(word), what, most));
  return *found;
}

sim::network_link link_from(const std::string& text, const std::string& link) {
  const std::vector<std::string> words = words_of(link);
  if (words.size() != 4 || words[1] != "GB/s" || (words[3] != "us" && words[3] != "ns"))
    refuse_cluster(text, fmt::format("has the link {}, which is no bandwidth and latency", nearfork::quoted(link)));
  const double ns_each = words[3] == "us" ? 1000 : 1;
  const double gb_per_s = number_of(text, words[0], most_gb_per_s, "GB/s");
  const double latency_ns = ns_each * number_of(text, words[2], most_latency_ns / ns_each, words[3].c_str());
  return {.bytes_per_ns = gb_per_s, .latency_ps = static_cast<std::uint64_t>(std::llround(latency_ns * 1000))};
}

}  // namespace

cluster_machine cluster_from(const std::string& text) {
  const std::size_t link = text.rfind(before_link);
  if (link == std::string::npos) refuse_cluster(text, "names no link");
  const std::size_t times = text.find(" x ");
  if (times == std::string::npos || times > link) refuse_cluster(text, "does not say how many machines it has");
  const auto nodes = parse_number(text.substr(0, times), {1, most_cluster_nodes});
  if (!nodes)
    refuse_cluster(text, fmt::format("has {} machines, but 1 to {} are possible",
                                     nearfork::quoted(text.substr(0, times)), most_cluster_nodes));
  const std::size_t node = times + 3;
  if (node >= link) refuse_cluster(text, "names no machine");
  return {.nodes = static_cast<std::uint32_t>(*nodes),
          .node = text.substr(node, link - node),
          .link = link_from(text, text.substr(link + before_link.size()))};
}

}  // namespace nearfork::tools
