#include "tools/bench/subjects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/contenders/contenders.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {
namespace {

std::string text_of(const workloads::workload& one) {
  std::string text = fmt::format("{}: {}\n", one.name, one.description);
  for (const workloads::named_size& size : one.sizes.named)
    text += fmt::format("  size {:<10} {}\n", size.name, workloads::size_text(one.sizes, size.values));
  for (const workloads::size_field& field : one.sizes.fields)
    text += fmt::format("  {:<15} {}, {} to {}\n", field.name, field.meaning, field.least, field.most);
  std::vector<std::string_view> names{"serial", "nearfork"};
  for (const workloads::contender& other : workloads::contenders_of(one.name)) names.push_back(other.name);
  return text + fmt::format("  {:<15} {}\n", "contenders", fmt::join(names, ", "));
}

}  // namespace

std::string workload_list_text() {
  std::string text;
  for (const workloads::workload& one : workloads::all_workloads())
    text.append(text.empty() ? "" : "\n").append(text_of(one));
  return text;
}

}  // namespace nearfork::tools
