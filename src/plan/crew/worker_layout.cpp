#include "plan/crew/worker_layout.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nearfork {

worker_layout::worker_layout(std::vector<std::uint32_t> domain_of, std::vector<std::uint8_t> distances,
                             core_sides sides)
    : domain_of_(std::move(domain_of)), distances_(std::move(distances)), sides_(std::move(sides)) {
  assert(!domain_of_.empty() && distances_.size() == domain_of_.size() * domain_of_.size());
  workers_of_.resize(*std::max_element(domain_of_.begin(), domain_of_.end()) + 1);
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    std::vector<std::uint32_t>& members = workers_of_[domain_of_[worker]];
    rank_of_.push_back(static_cast<std::uint32_t>(members.size()));
    members.push_back(worker);
  }
  assert(std::none_of(workers_of_.begin(), workers_of_.end(), [](const auto& members) { return members.empty(); }));
}

}  // namespace nearfork
