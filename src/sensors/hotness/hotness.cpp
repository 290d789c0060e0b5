#include "sensors/hotness/hotness.hpp"

#include <algorithm>
#include <utility>

#include "sensors/hotness/clear_refs_source.hpp"
#include "sensors/hotness/damon_source.hpp"
#include "sensors/hotness/page_idle_source.hpp"
#include "sensors/hotness/sample_source.hpp"

namespace nearfork {
namespace {

/// As option `hotness` calls a source; empty: any.
std::string_view only_source(hotness_source by) {
  switch (by) {
    case hotness_source::samples: return "samples";
    case hotness_source::damon: return "damon";
    case hotness_source::clear_refs: return "clear_refs";
    case hotness_source::page_idle: return "page_idle";
    case hotness_source::automatic: return "";
    case hotness_source::hints:
    case hotness_source::none: return "none";
  }
  return "none";
}

std::vector<std::unique_ptr<heat_source>> those_of(hotness_source by,
                                                   std::vector<std::unique_ptr<heat_source>> sources) {
  const std::string_view only = only_source(by);
  if (!only.empty()) std::erase_if(sources, [&](const auto& one) { return one->name() != only; });
  return sources;
}

}  // namespace

hotness::hotness(hotness_source by, double most_cost, std::vector<std::unique_ptr<heat_source>> best_first,
                 std::shared_ptr<hotness_system> system)
    : by_(by), most_cost_(most_cost), sources_(those_of(by, std::move(best_first))), system_(std::move(system)) {}

std::optional<std::size_t> hotness::best_left() const {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (std::ranges::find(refused_, sources_[i]->name(), &refused_source::source) == refused_.end()) return i;
  return std::nullopt;
}

bool hotness::can_watch() const {
  return best_left().has_value();
}

void hotness::give_up(std::string_view source, heat_refusal why, bool is_too_dear) {
  const std::lock_guard lock(mutex_);
  refused_.push_back({std::string(source), std::move(why), is_too_dear});
}

std::vector<refused_source> hotness::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

void hotness::try_out() {
  while (const auto best = best_left()) {
    auto refused = sources_[*best]->try_out();
    if (!refused) return;
    give_up(sources_[*best]->name(), *std::move(refused));
  }
}

std::vector<tried_source> hotness::try_each() {
  std::vector<tried_source> tried;
  for (const auto& one : sources_) tried.push_back({std::string(one->name()), one->try_out()});
  return tried;
}

heat_source* hotness::turn::begin(std::span<const address_range> chunks) {
  while (const auto best = of_.best_left()) {
    auto refused = of_.sources_[*best]->begin(chunks);
    if (!refused) return of_.sources_[*best].get();
    of_.give_up(of_.sources_[*best]->name(), *std::move(refused));
  }
  return nullptr;
}

std::shared_ptr<hotness> live_hotness(const config& settings) {
  const std::shared_ptr<hotness_system> system = live_hotness_system();
  std::vector<std::unique_ptr<heat_source>> all;
  all.push_back(std::make_unique<sample_source>(system, live_sample_system()));
  all.push_back(std::make_unique<damon_source>(system));
  all.push_back(std::make_unique<clear_refs_source>(system));
  all.push_back(std::make_unique<page_idle_source>(system));
  return std::make_shared<hotness>(settings.hotness, settings.hotness_cost / 1000.0, std::move(all), system);
}

}  // namespace nearfork
