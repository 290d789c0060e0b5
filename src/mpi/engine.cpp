#include "mpi/engine.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nearfork/config.hpp>

namespace nearfork::mpi {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

/// Tasks of a program that uses this part wait for messages, which other tasks send.
[[maybe_unused]] const bool waits_are_expected = (detail::expect_waiting_tasks(), true);

std::string level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    default: return "thread level " + std::to_string(level);
  }
}

void let_errors_return(MPI_Comm comm) {
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  if (MPI_Comm_get_errhandler(comm, &now) != MPI_SUCCESS) return;
  if (now == MPI_ERRORS_ARE_FATAL) (void)MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  else if (now != MPI_ERRORS_RETURN) (void)MPI_Errhandler_free(&now);
}

}  // namespace

std::uint64_t steady_ns() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

/// Never destroyed: a poller outlives all runtimes.
engine& engine::instance() noexcept {
  static engine* const it = new engine;
  return *it;
}

engine& engine::ready(const called& what) {
  engine& it = instance();
  if (it.state_.load(std::memory_order_acquire) != state::usable) it.start(what);
  return it;
}

void engine::start(const called& what) {
  const std::lock_guard one_at_a_time(starting_);
  int is_initialized = 0;
  int is_finalized = 0;
  (void)MPI_Initialized(&is_initialized);
  (void)MPI_Finalized(&is_finalized);
  if (is_finalized != 0 || state_ == state::over)
    refuse(what, "MPI has been finalised; let all tasks that use MPI end before MPI_Finalize() or the session's end");
  if (is_initialized == 0)
    refuse(what,
           "MPI is not initialised; make a nearfork::mpi::session first, or call MPI_Init_thread(&argc, &argv, "
           "MPI_THREAD_MULTIPLE, &provided)");
  if (state_ == state::usable) return;  // another thread was faster
  int level = MPI_THREAD_SINGLE;
  (void)MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED)
    refuse(what, "MPI was initialised with " + level_name(level) +
                     ", but tasks call it from all workers; call MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, "
                     "&provided) in place of MPI_Init, or make a nearfork::mpi::session");
  tell_after(config::from_environment().mpi_stall_s * second);
  is_serialized_ = level == MPI_THREAD_SERIALIZED;
  let_errors_return(MPI_COMM_WORLD);
  let_errors_return(MPI_COMM_SELF);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  (void)MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval_, nullptr);
  // MPI_Finalize() deletes the attributes of MPI_COMM_SELF first (MPI 3.1, 8.7.1).
  int at_end = MPI_KEYVAL_INVALID;
  (void)MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &engine::at_finalize, &at_end, nullptr);
  (void)MPI_Comm_set_attr(MPI_COMM_SELF, at_end, this);
  state_.store(state::usable, std::memory_order_release);
}

int engine::at_finalize(MPI_Comm, int, void* value, void*) {
  static_cast<engine*>(value)->cut_off_all();
  return MPI_SUCCESS;
}

/// The tasks would wait for ever.
void engine::cut_off_all() noexcept {
  const std::lock_guard alone(polls_);
  state_.store(state::over, std::memory_order_release);
  take_news();
  const auto left = std::exchange(listed_, {});
  requests_.clear();
  single_waits_.clear();
  for (awaited* const one : left) {
    one->cut_off = true;
    waits_.fetch_sub(1, std::memory_order_relaxed);
    const resumer done = *std::move(one->done);
    (void)done.try_resume();
  }
}

void engine::return_errors(const called& what) {
  if (what.comm == MPI_COMM_WORLD || what.comm == MPI_COMM_SELF) return;
  if (what.comm == MPI_COMM_NULL)
    refuse(what, "MPI_COMM_NULL is no communicator; this rank may be outside of the group");
  int code = MPI_SUCCESS;
  {
    const auto held = lock();
    void* value = nullptr;
    int is_known = 0;
    code = MPI_Comm_get_attr(what.comm, keyval_, static_cast<void*>(&value), &is_known);
    if (code == MPI_SUCCESS && is_known == 0) {
      let_errors_return(what.comm);
      code = MPI_Comm_set_attr(what.comm, keyval_, this);
    }
  }
  if (code != MPI_SUCCESS) fail(what, code);
}

bool engine::test_at_once(awaited& one) {
  const auto held = lock();
  int complete = 0;
  switch (one.how) {
    case ends_when::all:
      if (one.count != 1) return false;
      one.code = MPI_Test(one.requests, &complete, one.statuses);
      if (one.code != MPI_SUCCESS) *one.requests = MPI_REQUEST_NULL;
      break;
    case ends_when::any: {
      int which = MPI_UNDEFINED;
      one.code = MPI_Testany(static_cast<int>(one.count), one.requests, &which, &complete, one.statuses);
      one.which = which == MPI_UNDEFINED ? one.count : static_cast<std::size_t>(which);
      break;
    }
    case ends_when::probed:
      one.code = MPI_Iprobe(one.what.peer, one.what.tag, one.what.comm, &complete, one.statuses);
      break;
    case ends_when::taken:
      one.code = MPI_Improbe(one.what.peer, one.what.tag, one.what.comm, &complete, one.message, one.statuses);
      break;
  }
  return complete != 0 || one.code != MPI_SUCCESS;
}

void engine::await(awaited& one, resumer done) {
  if (test_at_once(one)) return done.resume();
  one.since_ns = steady_ns();
  one.done.emplace(std::move(done));
  waits_.fetch_add(1, std::memory_order_relaxed);
  one.next = news_.load(std::memory_order_relaxed);
  while (!news_.compare_exchange_weak(one.next, &one, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void engine::throw_if_failed(const awaited& one) {
  if (one.cut_off) refuse(one.what, "MPI_Finalize() was called while this task waited; let all tasks end before it");
  if (one.code != MPI_SUCCESS) fail(one.what, one.code);
}

void engine::list(awaited& one) {
  one.place = listed_.size();
  listed_.push_back(&one);
}

void engine::finish(awaited& one) noexcept {
  listed_[one.place] = listed_.back();
  listed_[one.place]->place = one.place;
  listed_.pop_back();
  waits_.fetch_sub(1, std::memory_order_relaxed);
  const resumer done = *std::move(one.done);  // the wait is gone as soon as its task goes on
  (void)done.try_resume();
}

void engine::take_news() {
  awaited* next = nullptr;
  for (awaited* one = news_.exchange(nullptr, std::memory_order_acquire); one != nullptr; one = next) {
    next = one->next;
    list(*one);
    if (one->how != ends_when::all) {
      single_waits_.push_back(one);
      continue;
    }
    {
      const auto held = lock();
      requests_.add(*one);
    }
    if (one->left == 0) finish(*one);
  }
}

bool engine::test_single_waits() {
  const std::size_t before = single_waits_.size();
  std::erase_if(single_waits_, [this](awaited* one) {
    if (!test_at_once(*one)) return false;
    finish(*one);
    return true;
  });
  return single_waits_.size() != before;
}

bool engine::poll() noexcept {
  const std::unique_lock alone(polls_, std::try_to_lock);
  if (!alone.owns_lock() || state_.load(std::memory_order_relaxed) != state::usable) return false;
  take_news();
  const bool any = requests_.test([this] { return lock(); }, [this](awaited& one) { finish(one); });
  const bool heard = test_single_waits() || any;
  if (const int signal = signal_.load(std::memory_order_relaxed); signal != 0) tell_all_and_end(signal);
  if (!heard && !listed_.empty()) tell_long_waits(steady_ns());
  return heard;
}

}  // namespace nearfork::mpi
