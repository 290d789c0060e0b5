#include "model/explorer.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "model/schedule_text.hpp"
#include "model/vector_clock.hpp"

namespace nearfork::model {
namespace {

constexpr std::size_t stack_bytes = 128 * 1024;
constexpr std::uint32_t set_up = 0;  // thread number of the set-up and of the final checks

struct model_thread {
  std::function<void()> body;
  ucontext_t context{};
  knowledge has;
  bool finished = false;
  bool yielded = false;           // waits for another thread's step
  location* waits_for = nullptr;  // the futex that the thread waits on
};

/// A point where the execution could go several ways, and the way that it takes this time.
struct choice {
  std::size_t taken;
  std::size_t ways;
};

/// Thrown to end a final check. A thread under test needs no exception: it is simply not resumed.
struct failed_check {};

class execution {
 public:
  execution(std::vector<choice>& path, const limits& within) : path_(path), within_(within) {}

  void run(const std::function<void(program&)>& build);
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] std::string schedule() const { return schedule_.str(); }

  std::size_t choose(std::size_t ways) {
    if (ways <= 1) return 0;
    if (next_ == path_.size()) path_.push_back({0, ways});
    return path_[next_++].taken;
  }
  model_thread& self() { return *threads_[running_]; }
  [[nodiscard]] std::uint32_t running() const { return running_; }
  std::uint32_t new_location() { return locations_++; }
  void note(const std::string& what) { schedule_ << "  thread " << running_ << ": " << what << '\n'; }

  /// Called before each atomic operation: another thread may run first.
  void step();
  void yield_step();
  void fence_all_steps();
  void wait_step(location& word);
  void wake(location& word, std::size_t most);
  [[noreturn]] void fail(const std::string& what);
  [[nodiscard]] bool inside_threads() const { return running_ != set_up; }

  view common;  // by location: the latest store that a seq_cst operation wrote or read
  view newest;  // by location: the latest store to it

 private:
  void start_thread(std::uint32_t number);
  static void entry_point();
  [[nodiscard]] bool can_run(std::uint32_t number) const {
    const model_thread& one = *threads_[number];
    return !one.finished && one.waits_for == nullptr && !one.yielded;
  }
  void switch_to(std::uint32_t number);
  void pick_another();
  void wake_the_yielded() {
    for (std::uint32_t i = 1; i < threads_.size(); ++i)
      if (i != running_) threads_[i]->yielded = false;
  }

  std::vector<choice>& path_;
  const limits& within_;
  std::size_t next_ = 0;
  unsigned steps_ = 0;
  unsigned preemptions_ = 0;
  std::uint32_t locations_ = 0;
  std::uint32_t running_ = set_up;
  std::vector<std::unique_ptr<model_thread>> threads_;
  std::string failure_;
  std::ostringstream schedule_;
};

execution* present = nullptr;
/// Stacks outlive executions. Otherwise thousands of executions a second would spend their time mapping stacks.
std::vector<std::unique_ptr<char[]>>& stacks() {
  static std::vector<std::unique_ptr<char[]>> all;
  return all;
}

void execution::start_thread(std::uint32_t number) {
  while (stacks().size() <= number) stacks().push_back(std::make_unique<char[]>(stack_bytes));
  ucontext_t& context = threads_[number]->context;
  getcontext(&context);
  context.uc_stack.ss_sp = stacks()[number].get();
  context.uc_stack.ss_size = stack_bytes;
  context.uc_link = nullptr;
  makecontext(&context, &entry_point, 0);
}

void execution::entry_point() {
  execution& all = *present;
  all.self().body();
  all.self().finished = true;
  all.note("ends");
  all.wake_the_yielded();
  all.pick_another();
}

void execution::switch_to(std::uint32_t number) {
  const std::uint32_t from = running_;
  if (number == from) return;
  running_ = number;
  swapcontext(&threads_[from]->context, &threads_[number]->context);
}

/// Called when the running thread cannot go on.
void execution::pick_another() {
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 1; i < threads_.size(); ++i)
    if (can_run(i)) ready.push_back(i);
  if (ready.empty()) {
    // Only yielded threads are left. They go on in turn, until the bound on steps reports a livelock.
    for (std::uint32_t i = 1; i < threads_.size(); ++i)
      if (!threads_[i]->finished && threads_[i]->waits_for == nullptr) ready.push_back(i);
    if (ready.empty()) {
      const bool all_done =
          std::all_of(threads_.begin() + 1, threads_.end(), [](const auto& one) { return one->finished; });
      if (!all_done) fail("deadlock: every thread that is not done sleeps on a futex");
      switch_to(set_up);
      return;
    }
    for (auto& one : threads_) one->yielded = false;
  }
  switch_to(ready[choose(ready.size())]);
}

void execution::step() {
  if (!inside_threads()) return;
  if (++steps_ > within_.steps) fail("livelock: more steps than an execution may have");
  wake_the_yielded();
  if (preemptions_ < within_.preemptions) {
    std::vector<std::uint32_t> others;
    for (std::uint32_t i = 1; i < threads_.size(); ++i)
      if (i != running_ && can_run(i)) others.push_back(i);
    if (const std::size_t way = choose(others.size() + 1); way > 0) {
      ++preemptions_;
      switch_to(others[way - 1]);
    }
  }
  raise(self().has.known, running_, entry(self().has.known, running_) + 1);
}

/// Orders atomic accesses alone: a race on plain data is still one.
void execution::fence_all_steps() {
  for (std::uint32_t i = 1; i < threads_.size(); ++i) {
    if (i == running_) continue;
    step();
    join_max(self().has.seen, threads_[i]->has.seen);
    join_max(threads_[i]->has.seen, self().has.seen);
  }
}

void execution::yield_step() {
  if (!inside_threads()) return;
  if (++steps_ > within_.steps) fail("livelock: more steps than an execution may have");
  join_max(self().has.seen, newest);  // a thread that spins sees every store in the end
  self().yielded = true;
  pick_another();
}

void execution::wait_step(location& word) {
  self().waits_for = &word;
  note("sleeps");
  pick_another();
}

void execution::wake(location& word, std::size_t most) {
  for (auto& one : threads_)
    if (most > 0 && one->waits_for == &word) {
      one->waits_for = nullptr;
      --most;
    }
}

void execution::fail(const std::string& what) {
  failure_ = what;
  note("FAILS: " + what);
  if (running_ == set_up) throw failed_check{};
  running_ = set_up;
  setcontext(&threads_[set_up]->context);
  std::abort();
}

void execution::run(const std::function<void(program&)>& build) {
  threads_.push_back(std::make_unique<model_thread>());
  program made;
  build(made);
  for (auto& body : made.threads) {
    auto one = std::make_unique<model_thread>();
    one->body = body;
    one->has = threads_[set_up]->has;
    threads_.push_back(std::move(one));
  }
  for (std::uint32_t i = 1; i < threads_.size(); ++i) start_thread(i);
  pick_another();
  if (!failure_.empty()) return;
  for (std::size_t i = 1; i < threads_.size(); ++i) self().has.join(threads_[i]->has);
  try {
    for (auto& check : made.finals) check();
  } catch (const failed_check&) {
    // failure_ says it
  }
}

}  // namespace

void knowledge::join(const knowledge& other) {
  join_max(seen, other.seen);
  join_max(known, other.known);
}

location::location(std::uint64_t initial) : number_(present->new_location()) {
  stores_.push_back({initial, present->self().has});
}

location::~location() {
  if (present == nullptr || !present->failure().empty() || !present->inside_threads()) return;
  if (!knows_all(present->self().has.known, touched_))
    present->fail("an atomic is destroyed while another thread may still use it");
  touched_.assign(1, ~std::uint32_t{0});  // a clock that no thread knows: any later access fails
}

void location::begin_step(const char* what) {
  present->step();
  if (entry(touched_, 0) == ~std::uint32_t{0}) present->fail(std::string("a destroyed atomic is used: ") + what);
  const std::uint32_t me = present->running();
  raise(touched_, me, entry(present->self().has.known, me));
}

std::uint64_t location::load(memory_order order) {
  begin_step("load");
  knowledge& mine = present->self().has;
  std::uint32_t oldest = entry(mine.seen, number_);
  if (order == memory_order::seq_cst) oldest = std::max(oldest, entry(present->common, number_));
  if (!present->inside_threads()) oldest = static_cast<std::uint32_t>(stores_.size() - 1);
  // The latest store first, so that the expected schedule is tried first.
  const auto read = static_cast<std::uint32_t>(stores_.size() - 1 - present->choose(stores_.size() - oldest));
  raise(mine.seen, number_, read);
  if (acquires(order)) mine.join(stores_[read].carried);
  if (order == memory_order::seq_cst) raise(present->common, number_, read);
  present->note("location " + std::to_string(number_) + " load " + name_of(order) + " = " +
                number_text(stores_[read].value) + (read + 1 < stores_.size() ? " (stale)" : ""));
  return stores_[read].value;
}

void location::append(std::uint64_t value, memory_order order, const knowledge* continued) {
  knowledge& mine = present->self().has;
  raise(mine.seen, number_, static_cast<std::uint32_t>(stores_.size()));
  raise(present->newest, number_, static_cast<std::uint32_t>(stores_.size()));
  message made{value, {}};
  raise(made.carried.seen, number_, static_cast<std::uint32_t>(stores_.size()));
  if (continued != nullptr) made.carried.join(*continued);
  if (releases(order)) made.carried.join(mine);
  if (order == memory_order::seq_cst) raise(present->common, number_, static_cast<std::uint32_t>(stores_.size()));
  stores_.push_back(std::move(made));
}

void location::store(std::uint64_t value, memory_order order) {
  begin_step("store");
  append(value, order, nullptr);
  present->note("location " + std::to_string(number_) + " store " + name_of(order) + " " + number_text(value));
}

std::uint64_t location::read_modify_write(const std::function<std::uint64_t(std::uint64_t)>& change,
                                          memory_order order) {
  begin_step("read-modify-write");
  const message before = stores_.back();
  knowledge& mine = present->self().has;
  raise(mine.seen, number_, static_cast<std::uint32_t>(stores_.size() - 1));
  if (acquires(order)) mine.join(before.carried);
  const std::uint64_t after = change(before.value);
  append(after, order, &before.carried);
  present->note("location " + std::to_string(number_) + " change " + name_of(order) + " " + number_text(before.value) +
                " -> " + number_text(after));
  return before.value;
}

bool location::compare_exchange(std::uint64_t& expected, std::uint64_t desired, memory_order success,
                                memory_order failure) {
  begin_step("compare-exchange");
  const message before = stores_.back();
  knowledge& mine = present->self().has;
  raise(mine.seen, number_, static_cast<std::uint32_t>(stores_.size() - 1));
  const bool equal = before.value == expected;
  if (acquires(equal ? success : failure)) mine.join(before.carried);
  if (equal) append(desired, success, &before.carried);
  present->note("location " + std::to_string(number_) + " compare-exchange " + name_of(success) + " " +
                number_text(expected) + " -> " + number_text(desired) +
                (equal ? "" : " fails, = " + number_text(before.value)));
  expected = before.value;
  return equal;
}

std::uint64_t location::latest() const {
  return stores_.back().value;
}

void location::catch_up() {
  raise(present->self().has.seen, number_, static_cast<std::uint32_t>(stores_.size() - 1));
}

namespace {

/// True if all accesses of `of` happen before the next access of thread `me`. The thread's own accesses do, even
/// without an atomic step since.
bool all_before(const clock& of, const knowledge& mine, std::uint32_t me) {
  for (std::size_t i = 0; i < of.size(); ++i)
    if (i != me && of[i] > entry(mine.known, i)) return false;
  return true;
}

}  // namespace

void plain_access::read(const char* name) {
  if (!present->inside_threads()) return;
  const knowledge& mine = present->self().has;
  if (!all_before(writes_, mine, present->running()))
    present->fail(std::string("race: a read of a ") + name + " is not ordered after its last write");
  raise(reads_, present->running(), entry(mine.known, present->running()) + 1);
}

void plain_access::write(const char* name) {
  const knowledge& mine = present->self().has;
  if (!present->inside_threads()) return;
  if (!all_before(writes_, mine, present->running()) || !all_before(reads_, mine, present->running()))
    present->fail(std::string("race: a write of a ") + name + " is not ordered after its last access");
  raise(writes_, present->running(), entry(mine.known, present->running()) + 1);
}

void yield() {
  present->yield_step();
}

void fence_all() {
  present->fence_all_steps();
}

void futex_wait(location& word, std::uint64_t expected) {
  present->step();
  if (word.latest() == expected) present->wait_step(word);
  word.catch_up();  // a loop on a futex sees the word change in the end
}

void futex_wake(location& word, std::size_t most) {
  present->step();
  present->wake(word, most);
}

void require(bool holds, const char* what) {
  if (!holds) present->fail(what);
}

outcome explore(const std::function<void(program&)>& build, limits within) {
  outcome result;
  std::vector<choice> path;
  for (;;) {
    execution one(path, within);
    present = &one;
    one.run(build);
    ++result.executions;
    result.failure = one.failure();
    if (!result.failure.empty()) result.schedule = one.schedule();
    present = nullptr;
    if (!result.failure.empty()) return result;
    while (!path.empty() && path.back().taken + 1 == path.back().ways) path.pop_back();
    if (path.empty()) return result;
    ++path.back().taken;
    if (result.executions == within.executions) {
      result.complete = false;
      return result;
    }
  }
}

}  // namespace nearfork::model
