#include "plan/profile/domain_digest.hpp"

namespace nearfork {

void domain_digest::add(const std::vector<domain_use>& seen) {
  if (kept_ == most_kept || seen.empty()) return;
  ++kept_;
  sums_.resize(seen.size());
  for (std::size_t d = 0; d < seen.size(); ++d) {
    sums_[d].busy += seen[d].busy;
    sums_[d].subtrees_gained += seen[d].subtrees_gained;
  }
}

}  // namespace nearfork
