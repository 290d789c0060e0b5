#include "mpi/placement.hpp"

#include <algorithm>
#include <iterator>

namespace nearfork::mpi {
namespace {

pu_list common(const pu_list& one, const pu_list& other) {
  pu_list both;
  std::ranges::set_intersection(one, other, std::back_inserter(both));
  return both;
}

}  // namespace

binding binding_of(std::span<const pu_list> ranks) {
  bool disjoint = true;
  bool equal = true;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      disjoint = disjoint && common(ranks[i], ranks[j]).empty();
      equal = equal && ranks[i] == ranks[j];
    }
  if (disjoint) return binding::by_launcher;
  return equal ? binding::nobody : binding::mixed;
}

std::string text_of(const pu_list& pus) {
  std::string text;
  for (std::size_t i = 0; i < pus.size();) {
    std::size_t last = i;
    while (last + 1 < pus.size() && pus[last + 1] == pus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(pus[i]);
    if (last > i) text += '-' + std::to_string(pus[last]);
    i = last + 1;
  }
  return text;
}

std::vector<std::string> overlaps(std::span<const rank_place> places) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      if (places[i].node != places[j].node) continue;
      const pu_list both = common(places[i].pus, places[j].pus);
      if (!both.empty())
        found.push_back("rank " + std::to_string(places[i].rank) + " and rank " + std::to_string(places[j].rank) +
                        " share PU " + text_of(both) + " on " + places[i].node);
    }
  return found;
}

std::string path_of_rank(const std::string& path, int rank) {
  if (path.empty() || path == "stderr" || path == "stdout") return path;
  const std::size_t name = path.find_last_of('/') + 1;  // 0 if there is no folder
  const std::size_t dot = path.find_last_of('.');
  const std::size_t at = dot == std::string::npos || dot <= name ? path.size() : dot;
  return path.substr(0, at) + ".rank" + std::to_string(rank) + path.substr(at);
}

}  // namespace nearfork::mpi
