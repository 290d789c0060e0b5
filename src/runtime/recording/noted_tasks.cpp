#include "runtime/recording/noted_tasks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace nearfork::detail {
namespace {

constexpr std::uint32_t no_note = std::numeric_limits<std::uint32_t>::max();

std::vector<work_piece> wide_pieces_of(iteration_log& log) {
  std::vector<work_piece> all;
  for (worker_log& one : log.logs()) one.wide_pieces.for_each([&](const work_piece& piece) { all.push_back(piece); });
  std::ranges::stable_sort(all, {}, &work_piece::task);
  return all;
}

/// Only a task that changed workers has notes in several logs, so nearly all notes are in order.
template <class Note>
void by_stretch(std::vector<Note>& notes) {
  if (!std::ranges::is_sorted(notes, {}, &Note::stretch)) std::ranges::stable_sort(notes, {}, &Note::stretch);
}

}  // namespace

template <class Notes>
void noted_tasks::chains<Notes>::link(iteration_log& log, Notes worker_log::* notes) {
  std::vector<note*> pages;
  for (worker_log& one : log.logs())
    for (std::size_t i = 0; i < (one.*notes).pages(); ++i) pages.push_back((one.*notes).page(i));
  if (pages.empty()) return;
  first_.assign(log.numbers_end(), no_note);
  pages_ = std::move(pages);
  std::size_t page = pages_.size();
  for (auto one = log.logs().rbegin(); one != log.logs().rend(); ++one)
    for (std::size_t i = ((*one).*notes).pages(); i-- > 0;) link_page(--page, ((*one).*notes).notes_on(i));
}

template <class Notes>
void noted_tasks::chains<Notes>::link_page(std::size_t page, std::size_t notes) noexcept {
  for (std::size_t i = notes; i-- > 0;) {
    auto& one = pages_[page][i];
    one.task = std::exchange(first_[one.task], static_cast<std::uint32_t>(page * Notes::per_page + i));
  }
}

template <class Notes>
template <class Take>
void noted_tasks::chains<Notes>::for_each(std::uint32_t task, const Take& take) const {
  if (pages_.empty()) return;
  for (std::uint32_t at = first_[task]; at != no_note;) {
    const auto& one = pages_[at / Notes::per_page][at % Notes::per_page];
    take(one);
    at = one.task;
  }
}

void noted_tasks::link() {
  if (linked_) return;
  wide_ = wide_pieces_of(log_);
  // A chain is linked as a whole or not at all, and never twice.
  if (narrow_.empty()) narrow_.link(log_, &worker_log::pieces);
  accesses_.link(log_, &worker_log::accesses);
  linked_ = true;
}

std::span<const work_piece> noted_tasks::pieces_of(std::uint32_t task) {
  pieces_of_one_.clear();
  narrow_.for_each(task, [&](const narrow_piece& one) {
    pieces_of_one_.push_back({.task = task,
                              .stretch = one.stretch,
                              .first_child = one.first_child,
                              .branching = one.branching,
                              .ticks = one.ticks,
                              .spawned = one.spawned != 0});
  });
  if (!wide_.empty()) {
    const auto first = std::ranges::lower_bound(wide_, task, {}, &work_piece::task);  // clang 14 refuses equal_range
    const auto last = std::ranges::upper_bound(wide_, task, {}, &work_piece::task);
    pieces_of_one_.insert(pieces_of_one_.end(), first, last);
  }
  by_stretch(pieces_of_one_);
  return pieces_of_one_;
}

std::span<const noted_access> noted_tasks::accesses_of(std::uint32_t task) {
  accesses_of_one_.clear();
  accesses_.for_each(task, [&](const noted_access& one) { accesses_of_one_.push_back(one); });
  by_stretch(accesses_of_one_);
  return accesses_of_one_;
}

std::uint32_t waiting_tasks::take() {
  family& now = families_[at_];
  const std::uint32_t task = now.next++;
  if (now.next == now.end && ++at_ == forgotten_after) {
    families_.erase(families_.begin(), families_.begin() + forgotten_after);
    at_ = 0;
  }
  return task;
}

}  // namespace nearfork::detail
