// The real mailbox, parking lot and idle protocol: a worker without work, one on a slower core that comes to a join,
// and a thread that publishes other work.
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "runtime/protocols/idle_protocol.hpp"
#include "runtime/protocols/task_mailbox.hpp"

namespace {

using namespace nearfork;
using detail::seam::memory_order_acq_rel;
using detail::seam::memory_order_relaxed;
using model::expect_holds;

struct mailed_task {
  detail::seam::plain<int> steps{0};
};

constexpr std::uint32_t taker = 0;
constexpr std::uint32_t giver = 1;

/// Two workers. `pieces` is work that the taker may find elsewhere.
struct pair_of_workers {
  explicit pair_of_workers(std::uint32_t searching) : lot_(2, searching) {}

  // For give_task() and end_asking().
  task_mailbox<mailed_task>& mailbox_of(std::uint32_t index) { return mailboxes[index]; }
  parking_lot& lot() { return lot_; }
  void notify(std::uint32_t index) { lot_.notify(index); }

  struct found {
    mailed_task* given = nullptr;
    bool piece = false;
    explicit operator bool() const { return given != nullptr || piece; }
  };

  // For idle(), by the taker.
  found search() {
    if (pieces.load(memory_order_relaxed) > 0) {
      pieces.fetch_sub(1, memory_order_acq_rel);
      return {nullptr, true};
    }
    mailed_task* const given = mailboxes[taker].try_take();
    if (given != nullptr) asks = false;
    return {given, false};
  }
  void ask_everyone() {}
  [[nodiscard]] bool stopping() const { return false; }
  [[nodiscard]] bool work_in_sight() const {
    return mailboxes[taker].has_task() || pieces.load(memory_order_relaxed) > 0;
  }
  [[nodiscard]] bool more_in_sight() const { return false; }
  void park() { lot_.park(taker); }
  void notify_one() {}

  /// idle_until_work(), and then the work.
  void look_for_work() {
    found got = idle(*this, lot_, taker);
    if (asks) {
      asks = false;
      if (mailed_task* const given = end_asking(*this, taker, giver)) run(*given);
    }
    if (got.given != nullptr) run(*got.given);
    if (got.piece) ++pieces_done;
  }
  void run(mailed_task& one) {
    one.steps = one.steps + 1;
    ++runs;
  }
  /// give_up_task(): the switch of fibers is left out.
  void come_to_a_join(mailed_task& one) {
    one.steps = one.steps + 1;
    const auto by = mailboxes[giver].is_asked() ? mailboxes[giver].agree() : std::nullopt;
    if (by) give_task(*this, one, *by);
    else run(one);
  }
  void publish() {
    pieces.fetch_add(1, memory_order_relaxed);
    if (lot_.should_notify()) lot_.notify(taker);
  }

  parking_lot lot_;
  task_mailbox<mailed_task> mailboxes[2];
  detail::seam::atomic<int> pieces{0};
  bool asks = false;
  int runs = 0;
  int pieces_done = 0;
};

/// The taker asks, then idles until it has had the piece.
void take_all(pair_of_workers& in) {
  in.asks = in.mailbox_of(giver).ask(taker);
  model::require(in.asks, "nobody else asks");
  while (in.pieces_done == 0) in.look_for_work();
}

model::outcome each_task_runs_once(std::uint32_t searching) {
  return model::explore(
      [=](model::program& made) {
        auto s = std::make_shared<pair_of_workers>(searching);
        auto one = std::make_shared<mailed_task>();
        made.thread([=] { take_all(*s); });
        made.thread([=] { s->come_to_a_join(*one); });
        made.thread([=] { s->publish(); });
        made.finally([=] {
          model::require(s->runs == 1 && one->steps == 2, "the task went on once, here or there");
          model::require(s->pieces_done == 1, "the other work was done");
          const idle_counts counts = s->lot_.approx_counts();
          model::require(counts.searching() == 0 && counts.sleeping() == 0, "everybody was counted out");
        });
      },
      {.preemptions = 3});
}

TEST(task_mailbox_model, a_task_goes_on_once_whether_it_is_given_or_kept) {
  expect_holds(each_task_runs_once(1));
}

TEST(task_mailbox_model, the_same_where_no_worker_searches_before_it_sleeps) {
  expect_holds(each_task_runs_once(0));
}

/// Nothing else is published: the taker must be woken by the gift.
TEST(task_mailbox_model, a_sleeping_taker_is_woken_by_the_task) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<pair_of_workers>(1);
        auto one = std::make_shared<mailed_task>();
        s->asks = s->mailbox_of(giver).ask(taker);
        made.thread([=] { s->look_for_work(); });
        made.thread([=] { s->come_to_a_join(*one); });
        made.finally([=] { model::require(s->runs == 1 && one->steps == 2, "the task went on there"); });
      },
      {.preemptions = 4}));
}

}  // namespace
