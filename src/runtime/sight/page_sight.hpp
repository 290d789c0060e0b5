// Where the pages of a run's data lie, beside where the tasks run that touch them: for the run report.
//
// Pages are asked for at the end of iterations: always at the end of the first four, and later only when a hundred
// times as long has passed as the last look took, or when pages have moved. So looking costs at most a hundredth of the
// time, after about four milliseconds in all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nearfork/run_report.hpp>

#include "memory/system/region_memory.hpp"
#include "runtime/recording/iteration_log.hpp"
#include "runtime/sight/hinted_traffic.hpp"
#include "runtime/sight/watched_blocks.hpp"

namespace nearfork {

/// A cache domain that has workers.
struct seen_domain {
  std::optional<unsigned> node{};  // the node nearest to it, by the system's number; nullopt: not known
};

class page_sight {
 public:
  /// For each page, the number of its node or a negative errno value. Returns 0 or an errno value.
  using page_asker = std::function<int(std::span<std::byte* const>, std::span<int>)>;
  using clock = std::uint64_t (*)();  // nanoseconds
  struct facts {
    std::vector<std::uint32_t> domain_of_worker{};
    std::vector<seen_domain> domains{};
    std::vector<unsigned> nodes{};  // of the machine, by the system's numbers; others may come to light
    std::uint64_t page_bytes = 4096;
  };
  page_sight(facts of, page_asker ask, clock now);

  /// An iteration of `region` has ended. `memory`: nullptr if nothing is placed. `log`: what its tasks noted; nullptr:
  /// nothing was noted. `moved`: pages moved before it. Any thread. What there is no memory for is left out.
  void after_iteration(const std::string& region, const region_memory* memory, detail::iteration_log* log,
                       bool moved) noexcept;

  /// Looks once more at what lives. Throws: std::bad_alloc.
  [[nodiscard]] places_report report(const region_memory* memory);

 private:
  void take_hints(const std::string& region, detail::iteration_log& log);
  [[nodiscard]] bool is_due() const noexcept;
  void look(const region_memory* memory);
  void ask_for(watched_block& block);
  [[nodiscard]] std::vector<unsigned> nodes_seen() const;
  void add_traffic(places_report& into) const;

  const facts facts_;
  const page_asker ask_;
  const clock now_;
  std::mutex mutex_;
  watched_blocks blocks_;
  std::map<std::string, hinted_traffic, std::less<>> traffic_{};  // of the last iteration with hints, by region
  std::string refused_{};                                         // why the system does not tell; empty: it does
  std::uint64_t looks_ = 0;
  std::uint64_t asked_pages_ = 0;
  std::uint64_t looking_ns_ = 0;
  std::uint64_t last_look_ns_ = 0;  // how long it took
  std::uint64_t looked_at_ns_ = 0;  // when it ended
};

}  // namespace nearfork
