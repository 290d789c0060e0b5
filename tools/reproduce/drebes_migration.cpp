#include "tools/reproduce/drebes_migration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "sim/memory/memory_hierarchy.hpp"
#include "sim/memory/pages/page_rooms.hpp"
#include "tools/reproduce/drebes_runs.hpp"

namespace nearfork::tools {
namespace {

constexpr std::uint32_t lines_of_slice = 128;
constexpr std::uint32_t small_page = 4096;
constexpr std::uint32_t huge_page = 2U << 20;
constexpr std::uint32_t paper_small = 70;
constexpr std::uint32_t paper_huge = 12;

class migration_run {
 public:
  migration_run(const simulated_machine& where, const migration_experiment& what, const sim::balancing_model* balancing)
      : where_(where),
        what_(what),
        model_(with_pages(where.model, what.page_bytes)),
        threads_(static_cast<std::uint32_t>(where.what->cores().size())),
        nodes_(sim::node_count(*where.what)),
        memory_(*where.what, model_, threads_ * what.buffer_bytes),
        buffer_lines_(static_cast<std::uint32_t>(what.buffer_bytes / memory_.line_bytes())),
        ended_ps_(what.sweeps, 0) {
    const std::uint64_t pages = what.buffer_bytes / memory_.page_bytes();
    for (std::uint64_t page = 0; page < threads_ * pages; ++page)
      memory_.pages().place(page, static_cast<std::uint32_t>(page / pages % nodes_));
    if (balancing != nullptr)
      balancing_.emplace(*balancing, sim::page_balancing::pages{0, threads_ * pages}, memory_.page_bytes(),
                         model_.costs.move_page_ps);
  }

  std::vector<std::uint64_t> run() {
    std::vector<std::uint64_t> lines_done(threads_, 0);
    using turn = std::pair<std::uint64_t, std::uint32_t>;  // when, which thread
    std::priority_queue<turn, std::vector<turn>, std::greater<>> turns;
    for (std::uint32_t thread = 0; thread < threads_; ++thread) turns.emplace(0, thread);
    while (!turns.empty()) {
      const auto [now_ps, thread] = turns.top();
      turns.pop();
      std::uint64_t& done = lines_done[thread];
      const std::uint64_t then_ps = sweep_on(thread, static_cast<std::uint32_t>(done % buffer_lines_), now_ps);
      done += slice_from(static_cast<std::uint32_t>(done % buffer_lines_));
      if (done % buffer_lines_ == 0) {
        std::uint64_t& ended = ended_ps_[done / buffer_lines_ - 1];
        ended = std::max(ended, then_ps);
      }
      if (done < std::uint64_t{buffer_lines_} * what_.sweeps) turns.emplace(then_ps, thread);
    }
    return std::move(ended_ps_);
  }

 private:
  static sim::machine_model with_pages(sim::machine_model model, std::uint32_t page_bytes) {
    model.page_bytes = page_bytes;
    return model;
  }
  [[nodiscard]] std::uint32_t slice_from(std::uint32_t line) const noexcept {
    return std::min(lines_of_slice, buffer_lines_ - line);
  }

  std::uint64_t sweep_on(std::uint32_t thread, std::uint32_t line, std::uint64_t now_ps) {
    const core_id core{thread};
    const std::uint32_t count = slice_from(line);
    const std::uint32_t first = thread * buffer_lines_ + line;
    std::uint64_t cost_ps = 0;
    if (balancing_) {
      const auto page_lines = static_cast<std::uint32_t>(memory_.page_bytes() / memory_.line_bytes());
      const std::uint32_t node = sim::first_touch_node(*where_.what, where_.what->at(core).domain);
      for (std::uint32_t page = first / page_lines; page <= (first + count - 1) / page_lines; ++page)
        cost_ps += balancing_->access_ps(memory_, core, node, page, now_ps);
    }
    cost_ps += memory_.touch(core, first, count, sim::access_kind::write, sim::access_order::chain).latency_ps;
    return std::max(now_ps + cost_ps, memory_.serve(now_ps));
  }

  const simulated_machine& where_;
  const migration_experiment& what_;
  sim::machine_model model_;
  std::uint32_t threads_;
  std::uint32_t nodes_;
  sim::memory_hierarchy memory_;
  std::uint32_t buffer_lines_;
  std::optional<sim::page_balancing> balancing_;
  std::vector<std::uint64_t> ended_ps_;  // by number of sweeps less one: the last thread
};

}  // namespace

std::vector<std::uint64_t> run_migration(const simulated_machine& where, const migration_experiment& what,
                                         const sim::balancing_model* balancing) {
  return migration_run(where, what, balancing).run();
}

std::uint32_t pays_from(const std::vector<std::uint64_t>& with, const std::vector<std::uint64_t>& without) {
  auto least = static_cast<std::uint32_t>(with.size()) + 1;
  while (least > 1 && with[least - 2] <= without[least - 2]) --least;
  return least > with.size() ? 0 : least;
}

result_table migration_table(const simulated_machine& where) {
  const sim::balancing_model balancing;
  migration_experiment how{.sweeps = 96};
  std::vector<std::vector<std::uint64_t>> with, without;
  std::vector<std::uint32_t> pays;
  for (const std::uint32_t page_bytes : {small_page, huge_page}) {
    how.page_bytes = page_bytes;
    with.push_back(run_migration(where, how, &balancing));
    without.push_back(run_migration(where, how, nullptr));
    pays.push_back(pays_from(with.back(), without.back()));
  }
  result_table made{.id = "drebes-migration",
                    .title =
                        "Drebes et al., Fig. 11: sweeps over a buffer before it gets another owner, and the "
                        "kernel's migration of pages: times as fast as without"};
  made.columns = {{"machine"}, {"sweeps", 0}, {"4 KiB pages", 3}, {"2 MiB pages", 3}};
  for (const std::uint32_t sweeps : {1U, 2U, 4U, 7U, 12U, 24U, 48U, 70U, 96U}) {
    std::vector<table_cell> row{where.name, static_cast<double>(sweeps)};
    for (std::size_t i = 0; i < with.size(); ++i)
      row.emplace_back(static_cast<double>(without[i][sweeps - 1]) / static_cast<double>(with[i][sweeps - 1]));
    made.rows.push_back(std::move(row));
  }
  const auto from = [](std::uint32_t sweeps) {
    return sweeps == 0 ? std::string("never pays up to 96 sweeps") : fmt::format("pays from {} sweeps on", sweeps);
  };
  made.notes.push_back(
      fmt::format("4 KiB pages: {} (the paper: {}). 2 MiB pages: {} (the paper: {}). Buffers of {} MiB; "
                  "the paper: 64 MiB. The prices of a fault and of a move are fitted to the paper's two numbers.",
                  from(pays[0]), paper_small, from(pays[1]), paper_huge, how.buffer_bytes >> 20));
  return made;
}

std::string migration_verdict(const result_table& table) {
  return fmt::format("{}: the synthetic program: {}", std::get<std::string>(table.rows.front().front()),
                     table.notes.front());
}

}  // namespace nearfork::tools
