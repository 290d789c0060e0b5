#include "sim/programs/setup.hpp"

#include <cassert>
#include <utility>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"

namespace nearfork::sim {
namespace {

constexpr std::pair<setup_kind, std::string_view> kinds[] = {
    {setup_kind::none, "none"},        {setup_kind::serial, "serial"},     {setup_kind::parallel, "parallel"},
    {setup_kind::cilk, "cilk"},        {setup_kind::quarters, "quarters"}, {setup_kind::interleaved, "interleaved"},
    {setup_kind::recorded, "recorded"}};

/// One task that writes all arrays.
task_graph writes_all(const std::vector<data_array>& arrays) {
  std::vector<data_access> writes;
  for (const data_array& one : arrays) writes.push_back({one.begin_byte, one.size_bytes, access_kind::write});
  task_graph made{task_tree()};
  made.set_work(tree_root, 0, 0, writes);
  return made;
}

}  // namespace

std::string_view name_of(setup_kind how) noexcept {
  for (const auto& [kind, name] : kinds)
    if (kind == how) return name;
  return "unknown";
}

std::vector<std::string> setup_names() {
  std::vector<std::string> names;
  for (const auto& one : kinds) names.emplace_back(one.second);
  return names;
}

setup_kind setup_called(std::string_view name) {
  for (const auto& [kind, known] : kinds)
    if (known == name) return kind;
  throw error("nearfork: no setup is called " + quoted(name) + suggestion(name, setup_names()));
}

page_rule rule_of(setup_kind how) noexcept {
  if (how == setup_kind::quarters) return page_rule::in_parts;
  return how == setup_kind::interleaved ? page_rule::interleaved : page_rule::first_touch;
}

void set_up(program& what, setup_kind how) {
  assert(!needs_tasks(how));
  what.setup.clear();
  what.setup_regions.clear();
  what.pages = rule_of(how);
  if (how == setup_kind::serial && !what.arrays.empty()) what.setup.push_back(writes_all(what.arrays));
}

}  // namespace nearfork::sim
