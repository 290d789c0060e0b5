#include "workloads/contenders/contenders.hpp"

#include <algorithm>
#include <iterator>

namespace nearfork::workloads {
namespace {

std::vector<contender> all_contenders() {
  std::vector<contender> all;
#ifdef NEARFORK_HAVE_TBB
  all.insert(all.end(), tbb_contenders().begin(), tbb_contenders().end());
#endif
#ifdef NEARFORK_HAVE_OPENMP
  all.insert(all.end(), omp_contenders().begin(), omp_contenders().end());
#endif
  return all;
}

}  // namespace

std::vector<contender> contenders_of(std::string_view workload) {
  std::vector<contender> found;
  std::ranges::copy_if(all_contenders(), std::back_inserter(found),
                       [&](const contender& one) { return one.workload == workload; });
  return found;
}

std::vector<std::string_view> contender_names() {
  return {"tbb", "omp-static", "omp-tasks"};
}

}  // namespace nearfork::workloads
