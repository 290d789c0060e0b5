#include "runtime/recording/data_names.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include <nearfork/detail/recording.hpp>

#include "base/kept_list.hpp"
#include "runtime/recording/touched_data.hpp"

namespace nearfork {
namespace {

struct live_name {
  std::uint64_t number;
  named_data what;
};

struct past_name {
  std::uint64_t number;
  std::uint64_t died;
};
/// A task that runs often names the same data again and again: that is one entry.
using data_key = std::tuple<std::uint64_t, std::uint64_t, std::string>;

struct name_book {
  std::uint64_t last_number = 0;  // of names, deaths and iterations
  std::uint32_t iterations = 0;   // that are being recorded
  std::vector<live_name> live;
  std::map<data_key, past_name> past;  // empty while nothing is being recorded
};

/// The one book of the process, for one thread at a time.
class book_turn {
 public:
  book_turn() {
    if (turn_.all().empty()) turn_.all().emplace_back();
  }
  [[nodiscard]] name_book& book() const { return turn_.all().front(); }

 private:
  kept_list<name_book> turn_;
};

void keep_past(name_book& book, live_name&& gone) {
  if (book.iterations == 0) return;
  const std::uint64_t now = ++book.last_number;
  const auto [at, is_new] = book.past.try_emplace({gone.what.begin, gone.what.bytes, std::move(gone.what.name)},
                                                  past_name{.number = gone.number, .died = now});
  if (!is_new) at->second.died = now;
}

}  // namespace

names_of_iteration::names_of_iteration() {
  const book_turn turn;
  began_ = ++turn.book().last_number;
  ++turn.book().iterations;
}

names_of_iteration::~names_of_iteration() {
  const book_turn turn;
  if (--turn.book().iterations == 0) turn.book().past.clear();
}

void for_each_name_since(std::uint64_t began, const std::function<void(const named_data&)>& tell) {
  const book_turn turn;
  std::vector<std::pair<std::uint64_t, const data_key*>> past;
  for (const auto& [key, one] : turn.book().past)
    if (one.died > began) past.emplace_back(one.number, &key);
  std::ranges::sort(past);
  for (const auto& [number, key] : past) tell({std::get<0>(*key), std::get<1>(*key), std::get<2>(*key)});
  for (const live_name& one : turn.book().live) tell(one.what);
}

std::uint64_t detail::note_name(const char* name, const void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(begin);
  if (bytes == 0 || bytes >= touched_data::address_end - address) return 0;
  const book_turn turn;
  const std::uint64_t number = ++turn.book().last_number;
  turn.book().live.push_back({number, {address, bytes, name}});
  return number;
}

/// Without memory the name counts for no iteration that has not ended yet.
void detail::drop_name(std::uint64_t noted) noexcept {
  const book_turn turn;
  auto& live = turn.book().live;
  const auto found = std::ranges::find(live, noted, &live_name::number);
  if (found == live.end()) return;
  try {
    keep_past(turn.book(), std::move(*found));
    live.erase(found);
  } catch (const std::bad_alloc&) {
    live.erase(found);
  }
}

}  // namespace nearfork
