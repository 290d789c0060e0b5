// Which source tells how hot data are: the best one that the system grants.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/config.hpp>

#include "sensors/hotness/heat_source.hpp"
#include "sensors/hotness/hotness_system.hpp"

namespace nearfork {

/// A source that does not tell, and why.
struct refused_source {
  std::string source;
  heat_refusal why{};
  bool is_too_dear = false;  // it told, and cost more than it may
};

struct tried_source {
  std::string name;
  std::optional<heat_refusal> refused{};  // nullopt: it can be used
};

/// Thread-safety: any thread; but one thread of the process at a time watches, while it has its turn.
class hotness {
 public:
  /// `best_first`: all sources but hints. `by`: which of them may be asked. `most_cost`: of watching, as a part of the
  /// gauged iteration.
  hotness(hotness_source by, double most_cost, std::vector<std::unique_ptr<heat_source>> best_first,
          std::shared_ptr<hotness_system> system);

  /// Tries the sources in turn until one is granted; called before anybody watches. What is refused then is not asked
  /// again.
  void try_out();
  /// Tries each source, for the user's eyes. Called before anybody watches, too.
  [[nodiscard]] std::vector<tried_source> try_each();
  [[nodiscard]] bool asks_hints() const noexcept {
    return by_ == hotness_source::automatic || by_ == hotness_source::hints;
  }
  [[nodiscard]] double most_cost() const noexcept { return most_cost_; }
  [[nodiscard]] bool is_wanted() const noexcept { return by_ != hotness_source::none; }
  /// The source is not asked again.
  void give_up(std::string_view source, heat_refusal why, bool is_too_dear = false);
  /// Whether a source is left that watches; hints are none.
  [[nodiscard]] bool can_watch() const;
  [[nodiscard]] std::vector<refused_source> refused() const;
  [[nodiscard]] const hotness_system& system() const noexcept { return *system_; }

  /// The right to watch; false if another thread has it.
  class turn {
   public:
    explicit turn(hotness& of) : of_(of), lock_(watching_, std::try_to_lock) {}
    [[nodiscard]] bool is_mine() const noexcept { return lock_.owns_lock(); }
    /// Begins with the best source that is left. nullptr: none is. end() of the source must follow.
    [[nodiscard]] heat_source* begin(std::span<const address_range> chunks);

   private:
    hotness& of_;
    std::unique_lock<std::mutex> lock_;
  };

 private:
  [[nodiscard]] std::optional<std::size_t> best_left() const;

  const hotness_source by_;
  const double most_cost_;
  const std::vector<std::unique_ptr<heat_source>> sources_;
  const std::shared_ptr<hotness_system> system_;
  static inline std::mutex watching_;    // of the process: the kernel's marks are
  mutable std::mutex mutex_;             // for what follows
  std::vector<refused_source> refused_;  // in the order in which they were
};

/// All sources of the system that runs this program; as the options `hotness` and `hotness_cost` say.
[[nodiscard]] std::shared_ptr<hotness> live_hotness(const config& settings);

}  // namespace nearfork
