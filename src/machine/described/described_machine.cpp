// Machines from descriptions: lstopo's XML and hwloc's synthetic strings. Both come from outside and are not trusted.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/privileged.hpp"
#include "base/text/number_text.hpp"
#include "machine/described/hwloc_topology.hpp"
#include "machine/described/named_machines.hpp"
#include "machine/described/synthetic_attributes.hpp"
#include "machine/described/trial_run.hpp"
#include "machine/model/packed_parts.hpp"

namespace nearfork {
namespace {

constexpr std::size_t most_xml_bytes = std::size_t{64} << 20;
constexpr std::size_t most_synthetic_chars = 4096;
// hwloc 2.9 takes the cube of the number of siblings: 16384 cores directly below the machine take 47 s, in a deeper
// tree 1 s. Within these bounds it takes 2 s.
constexpr double most_synthetic_pus = 8192;
constexpr double most_synthetic_objects = 32768;
constexpr double most_side_by_side = 512;
constexpr double most_synthetic_nodes = 1024;  // read_topology() refuses more; hwloc takes the square of their number
constexpr long most_attached_nodes = 8;

constexpr const char* xml_advice = "write one with: lstopo machine.xml";
constexpr const char* later_xml_advice =
    "hwloc 3 wrote it, and nearfork uses hwloc 2: write one with: lstopo --export-xml-flags v2 machine.xml";
constexpr const char* synthetic_advice =
    R"(try "package:2 l3:1 core:4 pu:1"; hwloc's manual calls it "synthetic topologies")";

/// Files may say anything; a simulator would ask for memory for each line of such a cache. What the system says of the
/// machine below is believed.
void require_possible_sizes(const machine_parts& parts, const std::string& name) {
  for (const domain& one : parts.domains)
    for (const cache_level& cache : one.caches)
      if (cache.size_bytes > most_cache_bytes)
        throw error("nearfork: " + name + " has an L" + std::to_string(cache.level) + " cache of " +
                    std::to_string(cache.size_bytes) + " bytes; a cache has at most 1 TiB: correct its cache_size");
  for (const memory_node& node : parts.nodes)
    if (node.capacity_bytes > most_node_bytes)
      throw error("nearfork: " + name + " has " + std::to_string(node.capacity_bytes) + " bytes on NUMA node " +
                  std::to_string(number_of(node.os)) + "; a node has at most 8 PiB: correct its local_memory");
}

std::shared_ptr<const machine> load(const topology_owner& topology, machine_source source, std::string name,
                                    const char* advice) {
  const hwloc_library& hwloc = topology.hwloc();
  // Ignore devices and instruction caches: they are not needed.
  hwloc.topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc.topology_set_type_filter(topology.get(), HWLOC_OBJ_MEMCACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc.topology_load(topology.get()) != 0)
    throw error("nearfork: " + name + " describes no machine that hwloc can load; " + advice);
  machine_parts parts = read_topology(topology, name, nullptr);
  require_possible_sizes(parts, name);
  parts.source = source;
  parts.described_by = std::move(name);
  return std::make_shared<const machine>(std::move(parts));
}

/// Calls `read` after a trial in a child process has shown that hwloc survives this description. The library is loaded
/// before: in the child of a program with threads the loader may be stuck in another thread's work. In a privileged
/// process the result of the trial is used, because the child has no environment that hwloc could obey.
template <class Read>
std::shared_ptr<const machine> read_carefully(const std::string& name, const char* advice, Read&& read) {
  const machine_turn turn;
  const auto hwloc = std::make_shared<const hwloc_library>();
  const bool is_final = is_privileged();
  const auto act = [&] {
    const std::shared_ptr<const machine> made = read(hwloc);
    return is_final ? packed_parts(made->parts()) : std::string();
  };
  const child_answer tried =
      ask_child(act, most_child_seconds, is_final ? child_environment::none : child_environment::ours);
  switch (tried.outcome) {
    case trial_outcome::returned:
      if (!is_final) return read(hwloc);
      if (tried.threw) throw error(tried.text);
      return std::make_shared<const machine>(unpacked_parts(tried.text));
    case trial_outcome::not_tried:
      throw error("nearfork: the machine " + name +
                  " is read in a process of its own first, and none could be had: " + std::strerror(errno) +
                  "; allow more processes or memory (ulimit -u, ulimit -v), or fork() in the sandbox");
    case trial_outcome::took_too_long:
      throw error("nearfork: reading the machine " + name + " takes longer than " + std::to_string(most_child_seconds) +
                  " s; " + advice);
    case trial_outcome::crashed: break;
  }
  throw error("nearfork: the machine description " + name + " is malformed: hwloc crashes on it; " + advice);
}

/// The counts in "package:2 l3:1 core:4(indexes=0,8)" or "2 1 4". They are checked first, because hwloc
/// would build everything.
std::vector<double> synthetic_counts(const std::string& description) {
  std::vector<double> counts;
  for (std::size_t at = 0; at < description.size();) {
    // Attributes such as indexes=0,8 end at the first ")", as in hwloc; without one, the rest counts.
    if (description[at] == '(' && description.find(')', at) != description.npos) at = description.find(')', at);
    if (std::isdigit(static_cast<unsigned char>(description[at])) == 0) {
      ++at;
      continue;
    }
    const bool after_colon = at > 0 && description[at - 1] == ':';
    double number = 0;
    for (; at < description.size() && std::isdigit(static_cast<unsigned char>(description[at])) != 0; ++at)
      number = number * 10 + (description[at] - '0');
    const bool bare = !after_colon && (at == description.size() || description[at] == ' ');
    if (after_colon || bare) counts.push_back(std::max(1.0, number));
  }
  return counts;
}

/// Each count as it is written, without attributes in parentheses: what follows a colon, or a word that begins like a
/// number.
std::vector<std::string_view> written_counts(std::string_view description) {
  std::vector<std::string_view> counts;
  int depth = 0;
  for (std::size_t at = 0; at < description.size(); ++at) {
    const char c = description[at];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > 0) continue;
    const bool first = at == 0 || description[at - 1] == ' ';
    const bool bare = first && (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+');
    if (c != ':' && !bare) continue;
    const std::size_t begin = bare ? at : at + 1;
    counts.push_back(
        description.substr(begin, std::min(description.find_first_of(" ([", begin), description.size()) - begin));
  }
  return counts;
}

/// hwloc reads 010 as 8, 0x10000000 as 268435456 and -1 as 18446744073709551615.
void require_plain_counts(const std::string& description, const std::string& quoted) {
  for (const std::string_view count : written_counts(description))
    if (!parse_number(count, any_number) || count.find('x') != count.npos)
      throw error("nearfork: the synthetic machine " + quoted + " counts \"" + std::string(count) +
                  "\"; write counts in decimal digits, without sign and leading zeros");
}

std::string without_attributes(std::string_view description) {
  std::string text;
  int depth = 0;
  for (const char c : description) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0) text += c;
    depth -= c == ')' ? 1 : 0;
  }
  return text;
}

/// hwloc takes "numa", "node" and shorter forms, in small or capital letters. No other level begins with an n.
bool is_node_type(std::string_view type) {
  return type.starts_with('n') || type.starts_with('N');
}

/// A lower bound of the NUMA nodes that hwloc makes of a description. Nodes are attached with [], or a level is called
/// so. If levels have no names, hwloc makes a level of nodes: the second, or the first of two, or a deeper one.
double least_nodes(const std::string& description) {
  const std::string text = without_attributes(description);
  std::vector<double> objects{1};  // on each level, the machine first
  double attached = 0;
  double named = 0;
  std::string_view type;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.front() == '[') {
      attached += is_node_type(rest.substr(1)) ? objects.back() : 0;
      at += std::min(rest.find(']'), rest.size() - 1);
    } else if (std::isalpha(static_cast<unsigned char>(rest.front())) != 0) {
      type = rest.substr(0, rest.find(':'));
      at += type.size() - 1;
    } else if (std::isdigit(static_cast<unsigned char>(rest.front())) != 0) {
      const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
      const auto count = parse_number(rest.substr(0, digits), any_number);
      objects.push_back(objects.back() * std::max(1.0, static_cast<double>(count.value_or(1))));
      if (is_node_type(type)) named = objects.back();
      type = {};
      at += digits - 1;
    }
  }
  if (attached > 0 || named > 0) return std::max(attached, named);
  const bool has_names = text.find(':') != std::string::npos;
  return has_names || objects.size() < 3 ? 1 : objects[std::min<std::size_t>(2, objects.size() - 2)];
}

void require_small(const std::string& description, const std::string& quoted) {
  double pus = 1;
  double objects = 0;
  double side_by_side = 1;
  for (const double count : synthetic_counts(description)) {
    pus *= count;
    objects += pus;
    side_by_side = std::max(side_by_side, count);
  }
  const auto refuse = [&](const char* what) { throw error("nearfork: the synthetic machine " + quoted + " " + what); };
  if (pus > most_synthetic_pus) refuse("has more than 8192 PUs");
  if (objects > most_synthetic_objects)
    refuse("has more than 32768 packages, groups, caches, cores and PUs; leave out levels");
  if (side_by_side > most_side_by_side) refuse("has more than 512 of one kind in one place; put them into groups");
  if (least_nodes(description) > most_synthetic_nodes) refuse("has more than 1024 NUMA nodes");
  if (std::count(description.begin(), description.end(), '[') > most_attached_nodes)
    refuse("attaches more than 8 kinds of memory nodes with []");
}

/// With a PU or node number like 4294967290, hwloc would fill the memory with zeros.
void require_small_numbers(std::string_view text, const std::string& name) {
  constexpr std::string_view attribute = "os_index";
  for (std::size_t at = text.find(attribute); at != std::string_view::npos; at = text.find(attribute, at)) {
    at += attribute.size();
    at = std::min(text.find_first_not_of(" =\"'", at), text.size());
    unsigned long number = 0;
    for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0 && number <= 0xffffffff; ++at)
      number = number * 10 + static_cast<unsigned long>(text[at] - '0');
    if (number > most_os_index && number != 0xffffffff)  // hwloc's "not known"
      throw error("nearfork: " + name + " numbers something " + std::to_string(number) + "; an os_index is at most " +
                  std::to_string(most_os_index) + "; " + xml_advice);
  }
}

const char* advice_for(std::string_view xml) {
  return xml.find("<topology version=\"3.") != xml.npos ? later_xml_advice : xml_advice;
}

/// What editors and version control make of a file, which hwloc's own reader, the one without libxml2, does not take: a
/// byte order mark at the beginning, and a carriage return before each line feed.
std::string in_plain_lines(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::string made;
  made.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') made += text[i];
  return made;
}

bool ends_in_xml(std::string_view name) {
  return name.size() >= 4 && name.substr(name.size() - 4) == ".xml";
}

/// box.model for box.xml.
std::string model_beside(const std::string& path) {
  return (ends_in_xml(path) ? path.substr(0, path.size() - 4) : path) + ".model";
}

}  // namespace

std::shared_ptr<const machine> machine_from_xml(std::string_view text, std::string name) {
  if (text.size() > most_xml_bytes)
    throw error("nearfork: " + name + " has more than " + std::to_string(most_xml_bytes >> 20) +
                " MiB, which no machine description has");
  require_small_numbers(text, name);
  const std::string owned = in_plain_lines(text);
  const char* const advice = advice_for(text);
  return read_carefully(name, advice, [&](const shared_hwloc& hwloc) {
    const topology_owner topology(hwloc);
    // hwloc counts the terminating zero.
    if (hwloc->topology_set_xmlbuffer(topology.get(), owned.c_str(), static_cast<int>(owned.size() + 1)) != 0)
      throw error("nearfork: " + name + " is not XML that hwloc understands; " + advice);
    return load(topology, machine_source::xml_file, name, advice);
  });
}

std::shared_ptr<const machine> machine_from_xml_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw error("nearfork: cannot open the machine description " + path + ": " + std::strerror(errno));
  std::string text;
  char piece[65536];
  while (file.read(piece, sizeof piece) || file.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_xml_bytes) break;  // machine_from_xml reports it
  }
  if (file.bad() || text.empty())
    throw error("nearfork: cannot read the machine description " + path + ": it is empty or not a file");
  auto described = machine_from_xml(text, path);
  std::string model_file = model_beside(path);
  if (!is_file(model_file)) {
    // A link to nothing is a mistake, and the simulator would assume other numbers than were meant.
    if (is_there(model_file))
      throw error("nearfork: the model " + model_file + " beside " + path +
                  " is no file, or a link to none; mend it or remove it");
    return described;
  }
  machine_parts parts = described->parts();
  parts.model_file = std::move(model_file);
  return std::make_shared<const machine>(std::move(parts));
}

std::shared_ptr<const machine> machine_from_synthetic(const std::string& description) {
  std::string quoted(1, '"');
  quoted.append(description, 0, 200).push_back('"');
  if (description.size() > most_synthetic_chars)
    throw error("nearfork: the synthetic machine " + quoted + "... is longer than " +
                std::to_string(most_synthetic_chars) + " characters");
  if (description.find('\0') != std::string::npos)
    throw error("nearfork: the synthetic machine " + quoted + " holds a zero byte");
  require_plain_counts(description, quoted);
  require_small(description, quoted);
  require_plain_attributes(description, quoted);
  return read_carefully(quoted, synthetic_advice, [&](const shared_hwloc& hwloc) {
    const topology_owner topology(hwloc);
    if (hwloc->topology_set_synthetic(topology.get(), description.c_str()) != 0)
      throw error("nearfork: " + quoted + " is no synthetic machine; " + synthetic_advice);
    return load(topology, machine_source::synthetic, description, synthetic_advice);
  });
}

std::shared_ptr<const machine> load_machine(std::string_view specification, const std::string& folder) {
  if (specification.empty()) return live_machine_of_now();
  if (ends_in_xml(specification)) return machine_from_xml_file(std::string(specification));
  if (specification.find('/') != std::string_view::npos)
    throw error("nearfork: the machine \"" + std::string(specification) +
                "\" looks like a file, but its name does not end in .xml; write it to such a file, also where it comes "
                "from a pipe: it may be read more than once");
  if (looks_like_machine_name(specification)) return named_machine(specification, folder);
  return machine_from_synthetic(std::string(specification));
}

}  // namespace nearfork
