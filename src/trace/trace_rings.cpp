#include "trace/trace_rings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "base/process_number.hpp"
#include "trace/ring_reader.hpp"

namespace nearfork::traces {

namespace seam = detail::seam;

namespace {

constexpr std::string_view other_names = "(other names)";

ring_layout layout_for(const rings_wanted& wanted) noexcept {
  return {.workers = wanted.workers, .events = std::bit_ceil(std::clamp(wanted.events, least_events, most_events))};
}

/// Waits until the clock is known to a ten-thousandth: the system's clock shows tens of nanoseconds.
double measured_ns_per_tick(const detail::tick_rate& rate) noexcept {
  constexpr std::uint64_t long_enough_ns = 1'000'000;
  while (now_ns() - rate.first_ns() < long_enough_ns) seam::pause();
  return rate.ns_per_tick();
}

}  // namespace

trace_rings::trace_rings(const rings_wanted& wanted)
    : layout_(layout_for(wanted)),
      taken_(take_ring_memory(wanted.file, layout_.words())),
      words_(taken_.memory->words()),
      rate_(detail::even_tick_source()) {
  const auto set = [this](std::size_t at, std::uint64_t value) { words_[at].store(value, seam::memory_order_release); };
  const int process = process_number();
  for (std::size_t i = 0; i < layout_.rings(); ++i)
    rings_.push_back(std::make_unique<event_ring>(words_[layout_.record_at(i) + record::head],
                                                  words_ + layout_.ring_at(i), layout_.events,
                                                  detail::even_tick_source(), process));
  set(header::size, layout_.words());
  set(header::workers, layout_.workers);
  set(header::events, layout_.events);
  set(header::process, static_cast<std::uint64_t>(process));
  set(header::first_ns, rate_.first_ns());
  set(header::first_ticks, rate_.first_ticks());
  set(header::ns_per_tick, std::bit_cast<std::uint64_t>(measured_ns_per_tick(rate_)));
  write_text(header::title, wanted.title);
  (void)add_name("");
  set(header::magic, ring_magic);
}

void trace_rings::describe(std::uint32_t worker, const traced_worker& facts) noexcept {
  const auto set = [at = words_ + layout_.record_at(worker)](std::size_t which, std::uint64_t value) {
    at[which].store(value, seam::memory_order_release);
  };
  const auto one_more = [](std::optional<std::uint32_t> value) { return value ? std::uint64_t{*value} + 1 : 0; };
  set(record::domain, facts.domain);
  set(record::node, one_more(facts.node));
  set(record::pu, one_more(facts.os_pu));
  set(record::thread, facts.thread.value_or(0));
}

void trace_rings::write_text(std::size_t first_word, std::string_view text) noexcept {
  std::array<std::uint64_t, name_words> words{};
  if (!text.empty()) std::memcpy(words.data(), text.data(), std::min(text.size(), longest_name_bytes));
  for (std::size_t i = 0; i < name_words; ++i) words_[first_word + i].store(words[i], seam::memory_order_release);
}

/// By the holder of mutex_, or before there are others. The name is written before it is counted.
std::uint16_t trace_rings::add_name(std::string_view name) {
  const auto number = static_cast<std::uint16_t>(numbers_.size());
  numbers_.emplace(name, number);
  write_text(ring_layout::name_at(number), name);
  words_[header::names].store(number + std::uint64_t{1}, seam::memory_order_release);
  return number;
}

std::uint16_t trace_rings::number_of(std::string_view name) {
  std::string shortened;
  if (name.size() > longest_name_bytes) name = shortened = std::string(name.substr(0, longest_name_bytes - 3)) + "...";
  const std::lock_guard lock(mutex_);
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  if (numbers_.size() == most_names) return static_cast<std::uint16_t>(most_names - 1);
  return add_name(numbers_.size() == most_names - 1 ? other_names : name);
}

std::uint16_t trace_rings::number_of(event_ring& ring, const char* name) {
  if (const std::uint16_t known = ring.known(name); known != 0) return known;
  const std::uint16_t number = number_of(std::string_view(name));
  ring.keep(name, number);
  return number;
}

void trace_rings::count(std::string_view counter, double value) noexcept {
  try {
    const std::uint16_t name = number_of(counter);
    const std::lock_guard lock(others_mutex_);
    rings_.back()->note({.value = std::bit_cast<std::uint64_t>(value), .name = name, .kind = event_kind::counts});
  } catch (const std::bad_alloc&) {
    return;  // no memory for the name
  }
}

traced_run trace_rings::read() {
  words_[header::ns_per_tick].store(std::bit_cast<std::uint64_t>(rate_.ns_per_tick()), seam::memory_order_release);
  return read_rings({words_, layout_.words()}, file().empty() ? "in memory" : file());
}

std::uint64_t trace_rings::lost() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < layout_.rings(); ++i) {
    const std::uint64_t head = words_[layout_.record_at(i) + record::head].load(seam::memory_order_acquire);
    sum += head < layout_.events ? 0 : head - layout_.events + 1;
  }
  return sum;
}

}  // namespace nearfork::traces
