#include "trace/ring_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>
#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"

namespace nearfork::traces {

namespace seam = detail::seam;

namespace {

/// How many values the detail of such an event may have.
std::size_t details_of(event_kind kind) noexcept {
  switch (kind) {
    case event_kind::task_begins: return task_origins;
    case event_kind::takes_steal: return steal_distances;
    case event_kind::switches: return switch_causes;
    case event_kind::wakes:
    case event_kind::woken: return wake_causes;
    case event_kind::region_begins: return iteration_words;
    default: return 256;
  }
}

bool names_a_worker(event_kind kind) noexcept {
  return kind == event_kind::takes_steal || kind == event_kind::shares_forced || kind == event_kind::wakes;
}

class ring_reader {
 public:
  ring_reader(std::span<const word> words, const std::string& of) : words_(words), of_(of) {}

  traced_run run() {
    read_header();
    for (std::size_t i = 0; i < layout_.workers; ++i) read_worker(i);
    traced_worker others;
    read_events(layout_.workers, others);
    made_.others = std::move(others.events);
    made_.others_lost = others.lost;
    read_names();  // last: a worker notes an event after its name
    for (std::size_t i = 0; i < layout_.workers; ++i)
      for (const event& one : made_.workers[i].events) check(one, i);
    for (const event& one : made_.others)
      if (one.kind != event_kind::counts || one.name >= made_.names.size())
        refuse("the ring of threads that are no workers has an event that makes no sense");
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw error("nearfork: ring file " + of_ + ": " + why); }
  [[nodiscard]] std::uint64_t at(std::size_t i) const noexcept { return words_[i].load(seam::memory_order_acquire); }

  void read_header() {
    if (words_.size() < header::words) refuse("it is shorter than a header, " + counted(header::words * 8, "byte"));
    if (at(header::magic) != ring_magic)
      refuse("it does not begin as a ring file of this version of nearfork does (nfring02)");
    const std::uint64_t workers = at(header::workers);
    const std::uint64_t events = at(header::events);
    if (workers == 0 || workers > most_workers) refuse("it cannot have " + counted(workers, "worker"));
    if (events < least_events || events > most_events || !std::has_single_bit(events))
      refuse("a ring cannot have " + counted(events, "event"));
    layout_ = {.workers = workers, .events = events};
    if (at(header::size) != layout_.words() || words_.size() != layout_.words())
      refuse("it has " + counted(words_.size() * 8, "byte") + ", and not the " + std::to_string(layout_.words() * 8) +
             " of its workers and rings");
    first_ns_ = at(header::first_ns);
    first_ticks_ = at(header::first_ticks);
    ns_per_tick_ = std::bit_cast<double>(at(header::ns_per_tick));
    constexpr double slowest_ns = 1e6;
    if (!(ns_per_tick_ > 0 && ns_per_tick_ <= slowest_ns)) refuse("its clock has no length of a tick");
    made_.process = static_cast<std::uint32_t>(at(header::process));
    made_.title = text_at(header::title);
  }

  [[nodiscard]] std::string text_at(std::size_t first) const {
    std::array<std::uint64_t, name_words> words{};
    for (std::size_t i = 0; i < name_words; ++i) words[i] = at(first + i);
    std::array<char, sizeof words> text{};
    std::memcpy(text.data(), words.data(), sizeof words);
    const auto end = std::find(text.begin(), text.end(), '\0');
    if (end == text.end()) refuse("a name has no end");
    return {text.begin(), end};
  }

  void read_names() {
    const std::uint64_t names = at(header::names);
    if (names == 0 || names > most_names) refuse("it cannot have " + counted(names, "name"));
    for (std::size_t i = 0; i < names; ++i) made_.names.push_back(text_at(ring_layout::name_at(i)));
  }

  [[nodiscard]] std::optional<std::uint32_t> one_less(std::size_t i) const {
    const std::uint64_t value = at(i);
    if (value > std::uint64_t{1} << 32) refuse("a worker's record has the number " + std::to_string(value));
    return value == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(value - 1));
  }

  void read_worker(std::size_t worker) {
    const std::size_t record_at = layout_.record_at(worker);
    traced_worker one;
    const std::uint64_t domain = at(record_at + record::domain);
    if (domain >= most_workers) refuse("worker " + std::to_string(worker) + " is in domain " + std::to_string(domain));
    one.domain = static_cast<std::uint32_t>(domain);
    one.node = one_less(record_at + record::node);
    one.os_pu = one_less(record_at + record::pu);
    if (const auto thread = static_cast<std::uint32_t>(at(record_at + record::thread)); thread != 0)
      one.thread = thread;
    read_events(worker, one);
    made_.workers.push_back(std::move(one));
  }

  /// event_ring.hpp says why the head is read twice. The slot of the oldest event may be half overwritten.
  void read_events(std::size_t ring, traced_worker& into) const {
    const std::size_t head_at = layout_.record_at(ring) + record::head;
    const std::size_t ring_at = layout_.ring_at(ring);
    const std::uint64_t head = at(head_at);
    const std::uint64_t first = head < layout_.events ? 0 : head - layout_.events + 1;
    std::vector<event> found;
    found.reserve(head - first);
    for (std::uint64_t i = first; i < head; ++i) {
      const std::size_t slot = ring_at + (i & (layout_.events - 1)) * event_words;
      found.push_back(event_of({at(slot), at(slot + 1), at(slot + 2), at(slot + 3)}));
    }
    const std::uint64_t head_now = std::max(head, at(head_at));
    const std::uint64_t whole = head_now < layout_.events ? 0 : head_now - layout_.events + 1;
    const std::uint64_t gone = std::min<std::uint64_t>(found.size(), whole > first ? whole - first : 0);
    into.lost = first + gone;
    into.events.reserve(found.size() - gone);
    std::uint64_t latest_ns = 0;
    for (std::size_t i = gone; i < found.size(); ++i) {
      // Counters of different cores may differ by some ticks, and a worker's fibers may change threads.
      found[i].at = latest_ns = std::max(latest_ns, ns_at(found[i].at));
      into.events.push_back(found[i]);
    }
  }

  void check(const event& one, std::size_t worker) const {
    const auto kind = static_cast<std::size_t>(one.kind);
    if (kind == 0 || kind >= event_kinds || one.detail >= details_of(one.kind) || one.name >= made_.names.size() ||
        (names_a_worker(one.kind) && one.number >= layout_.workers) ||
        (one.kind == event_kind::plan_changes && one.number >= made_.names.size()))
      refuse("worker " + std::to_string(worker) + " has an event that makes no sense");
  }

  [[nodiscard]] std::uint64_t ns_at(std::uint64_t ticks) const noexcept {
    const auto since = static_cast<std::int64_t>(ticks - first_ticks_);
    const double ns = static_cast<double>(since) * ns_per_tick_;
    constexpr double most_ns = 9e18;
    return ns <= 0 ? first_ns_ : first_ns_ + static_cast<std::uint64_t>(std::min(ns, most_ns));
  }

  const std::span<const word> words_;
  const std::string& of_;
  ring_layout layout_;
  std::uint64_t first_ns_ = 0;
  std::uint64_t first_ticks_ = 0;
  double ns_per_tick_ = 1;
  traced_run made_;
};

}  // namespace

traced_run read_rings(std::span<const word> words, const std::string& of) {
  return ring_reader(words, of).run();
}

traced_run read_ring_file(std::string_view bytes, const std::string& path) {
  if (bytes.size() % sizeof(word) != 0)
    throw error("nearfork: ring file " + path + ": " + counted(bytes.size(), "byte") +
                " are no whole number of words; it was cut off, or is no ring file");
  std::vector<word> words(bytes.size() / sizeof(word));
  if (!bytes.empty()) std::memcpy(static_cast<void*>(words.data()), bytes.data(), bytes.size());
  return read_rings(words, path);
}

}  // namespace nearfork::traces
