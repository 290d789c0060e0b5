// Explores interleavings and weak-memory outcomes of small concurrent programs, so that the runtime's real headers can
// be checked: they are compiled against seam_model.hpp, whose atomics call the explorer at every operation.
//
// The search is depth first over all choices; each execution starts from scratch. The choices are which thread goes on
// at each atomic operation (at most `preemptions` switches away from a thread that could go on), and which store a load
// reads. The memory model is views over modification orders (as in promising semantics without promises):
//   - a load reads any store of its location that is not older than what its thread has seen of it;
//   - release stores carry the thread's view, acquire loads take it over; a read-modify-write reads the latest store
//     and continues its release sequence;
//   - seq_cst operations additionally see nothing older than seq_cst operations of the same location saw or wrote. They
//     pass on no more than that: a release store may become visible after a later seq_cst load, as on x86.
// The model is simpler than C++: stores enter the modification order as they are executed, loads do not read from the
// future (no load buffering), a failing compare-exchange reads the latest store. So the explorer finds a subset of what
// C++ allows: a bug found is a bug, but silence does not prove that there is none. litmus_test.cpp shows what the model
// allows and what it forbids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nearfork::model {

enum class memory_order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };
[[nodiscard]] inline bool acquires(memory_order order) {
  return order == memory_order::acquire || order == memory_order::acq_rel || order == memory_order::seq_cst;
}
[[nodiscard]] inline bool releases(memory_order order) {
  return order == memory_order::release || order == memory_order::acq_rel || order == memory_order::seq_cst;
}

/// By location number: how far the thread has seen the location's stores.
using view = std::vector<std::uint32_t>;
/// By thread: how far the thread's steps are known (happens-before).
using clock = std::vector<std::uint32_t>;

struct knowledge {
  view seen;
  clock known;
  void join(const knowledge& other);
};

/// The model's side of one atomic object.
class location {
 public:
  explicit location(std::uint64_t initial);
  ~location();
  location(const location&) = delete;
  location& operator=(const location&) = delete;

  std::uint64_t load(memory_order order);
  void store(std::uint64_t value, memory_order order);
  std::uint64_t read_modify_write(const std::function<std::uint64_t(std::uint64_t)>& change, memory_order order);
  /// Returns whether it exchanged; `expected` receives what was read if not.
  bool compare_exchange(std::uint64_t& expected, std::uint64_t desired, memory_order success, memory_order failure);
  [[nodiscard]] std::uint64_t latest() const;
  /// The calling thread has learned of the latest store, but not of what that store carries.
  void catch_up();

 private:
  struct message {
    std::uint64_t value;
    knowledge carried;
  };
  void begin_step(const char* what);
  void append(std::uint64_t value, memory_order order, const knowledge* continued);

  std::uint32_t number_;
  std::vector<message> stores_;
  clock touched_;  // by thread: its last access; a destroying thread must know them all
};

/// A variable without atomics: two accesses, one a write, that happens-before does not order are a race.
class plain_access {
 public:
  void read(const char* name);
  void write(const char* name);

 private:
  clock reads_;
  clock writes_;
};

void yield();
/// membarrier(): each thread passes a full fence, one after the other.
void fence_all();
void futex_wait(location& word, std::uint64_t expected);
void futex_wake(location& word, std::size_t most);

/// States a property of the program under test; false ends the exploration with the schedule that led here.
void require(bool holds, const char* what);

struct limits {
  unsigned preemptions = 2;
  std::uint64_t executions = 3'000'000;
  unsigned steps = 2000;  // the most of one execution; more is a livelock
};

struct outcome {
  std::uint64_t executions = 0;
  bool complete = true;  // false: limits::executions was hit
  std::string failure;   // empty: none
  std::string schedule;  // the schedule of the failing execution
};

/// One execution's threads, and the checks when they are done; the body that fills it is called anew each time.
class program {
 public:
  void thread(std::function<void()> body) { threads.push_back(std::move(body)); }
  void finally(std::function<void()> check) { finals.push_back(std::move(check)); }
  std::vector<std::function<void()>> threads;
  std::vector<std::function<void()>> finals;
};

[[nodiscard]] outcome explore(const std::function<void(program&)>& build, limits within = {});

}  // namespace nearfork::model
