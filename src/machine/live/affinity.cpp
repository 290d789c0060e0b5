#include "machine/live/affinity.hpp"

#include <set>
#include <string>

#include "machine/described/named_machines.hpp"
#include "machine/live/number_list.hpp"

namespace nearfork {

std::vector<os_index> allowed_by_proc(const std::vector<std::string>& threads, const file_reader& read) {
  constexpr std::string_view entry = "\nCpus_allowed_list:\t";
  std::set<unsigned> allowed;
  for (const std::string& thread : threads) {
    if (thread.starts_with('.')) continue;
    const std::string status = read("/proc/self/task/" + thread + "/status").value_or("");
    const auto at = status.find(entry);
    if (at == status.npos) continue;
    for (const unsigned pu : listed_numbers(std::string_view(status).substr(at + entry.size()))) allowed.insert(pu);
  }
  std::vector<os_index> pus;
  for (const unsigned pu : allowed) pus.push_back(os_index{pu});
  return pus;
}

std::vector<os_index> allowed_by_proc() {
  return allowed_by_proc(names_in("/proc/self/task"), &read_small_file);
}

}  // namespace nearfork
